"""Models and items, drawn: every type, every flag, names of any kind, values of any size."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from keypact.schema.models import Attribute, KeyPart, Model

TYPES = ("S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.sampled_from(
    ["PK", "createdAt", "a", "a-b", "class", "ttl", "größe", 'q"', "back\\", "n\n"]
) | texts.filter(bool)


@st.composite
def _numbers(draw: st.DrawFn) -> int | Decimal:
    """Any number that DynamoDB holds, as it is read: int when it is integral."""
    digits = str(draw(st.integers(1, 10**38 - 1))).rstrip("0")
    magnitude = draw(st.integers(-3, 40) | st.integers(-130, 125))
    # Built of its parts: arithmetic would round it.
    parts = tuple(map(int, digits))
    number = Decimal((draw(st.integers(0, 1)), parts, magnitude - len(digits) + 1))
    return int(number) if number == number.to_integral_value() else number


numbers = st.integers(-1000, 1000) | _numbers()
scalars = texts | numbers | st.binary(max_size=8) | st.booleans() | st.none()
sets = (
    st.sets(texts, min_size=1, max_size=4)
    | st.sets(numbers, min_size=1, max_size=4)
    | st.sets(st.binary(max_size=4), min_size=1, max_size=4)
)
values = st.recursive(
    scalars | sets,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
# What JSON gives back as it was: integral floats are ints there.
blobs = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.just(0.5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
times = st.datetimes(datetime(1, 1, 2), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds it

OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "S": texts,
    "N": numbers,
    "B": st.binary(max_size=8),
    "BOOL": st.booleans(),
    "NULL": st.none(),
    "M": st.dictionaries(texts, values, max_size=3),
    "L": st.lists(values, max_size=3),
    "SS": st.sets(texts, max_size=4),
    "NS": st.sets(numbers, max_size=4),
    "BS": st.sets(st.binary(max_size=4), max_size=4),
}


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    """An attribute that contradicts itself nowhere."""
    type_ = draw(st.sampled_from(TYPES))
    form = {"S": "rfc3339nano", "N": draw(st.sampled_from(["int", "unix_seconds"]))}.get(type_)
    form = form if draw(st.integers(0, 3)) == 0 else None
    required = draw(st.booleans())
    return Attribute(
        name,
        type_,
        required=required,
        optional=not required and draw(st.booleans()),
        omit_empty=not required and draw(st.booleans()),
        format=form,
        json=type_ == "S" and form is None and draw(st.booleans()),
        binary=type_ == "B" and draw(st.booleans()),
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A model with up to eight attributes, a key of one or two among them."""
    found = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    made = [draw(attributes(name)) for name in found]
    key = [
        Attribute(name, draw(st.sampled_from(["S", "N", "B"])), required=draw(st.booleans()))
        for name in found[: draw(st.integers(1, 2))]
    ]
    parts = [KeyPart(one.name, one.type) for one in key]
    return Model(
        name="Drawn",
        table="drawn",
        partition=parts[0],
        sort=parts[1] if len(parts) > 1 else None,
        attributes=(*key, *made[len(key) :]),
    )


def of_attribute(attribute: Attribute, *, is_key: bool = False) -> st.SearchStrategy[Any]:
    """Values that fit an attribute, as they are read."""
    if attribute.json:
        return blobs
    if attribute.format == "rfc3339nano":
        return times.map(_go_time)
    if attribute.format is not None:
        return st.integers(-(10**12), 10**12)
    fitting = OF_TYPE[attribute.type]
    return fitting.filter(lambda value: value not in ("", b"")) if is_key else fitting


def _go_time(moment: datetime) -> str:
    text = moment.isoformat().removesuffix("+00:00")
    return (text.rstrip("0") if "." in text else text) + "Z"


@st.composite
def items(draw: st.DrawFn, model: Model) -> dict[str, Any]:
    """An item that fits its model, as a mapping."""
    item: dict[str, Any] = {}
    for one in model.attributes:
        is_key = one.name in model.key_names
        if is_key or one.required or draw(st.booleans()):
            item[one.name] = draw(of_attribute(one, is_key=is_key))
    return item


@st.composite
def models_with_items(draw: st.DrawFn) -> tuple[Model, dict[str, Any]]:
    """A model and an item of it."""
    model = draw(models())
    return model, draw(items(model))
