"""Fields of classes: what each is called, what it may hold, and what was declared of it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from typing import (
    Annotated,
    Any,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)
from weakref import WeakKeyDictionary

import msgspec
from msgspec import NODEFAULT

from .annotations import ANYTHING, Shape, Unsupported, shape_of
from .codec_source import PLAIN_MARK
from .errors import InvalidDocument, Problem

T = TypeVar("T")

_MARK = "keypact"


class Declared(TypedDict, total=False):
    """What may be said of an attribute; what is left out, the annotation decides."""

    name: str
    type: str
    roles: tuple[str, ...]
    format: str | None
    required: bool
    optional: bool
    omit_empty: bool
    json: bool
    binary: bool
    encrypted: bool
    encryption: Mapping[str, Any]
    tags: Mapping[str, Any]


@overload
def attribute(*, default: T, **declared: Unpack[Declared]) -> T: ...
@overload
def attribute(*, default_factory: Callable[[], T], **declared: Unpack[Declared]) -> T: ...
@overload
def attribute(**declared: Unpack[Declared]) -> Any: ...
def attribute(*, default: Any = MISSING, default_factory: Any = MISSING, **declared: Any) -> Any:
    """What a field's annotation leaves open of its attribute.

    It stands as the field's value; or within ``Annotated``, where the class has field
    specifiers of another library. ``encrypted=True`` is short for ``encryption={}``.
    """
    unknown = declared.keys() - Declared.__annotations__.keys()
    if unknown:
        raise TypeError(f"attribute() takes no {', '.join(sorted(unknown))}")
    if default_factory is not MISSING:
        return dataclasses.field(default_factory=default_factory, metadata={_MARK: declared})
    return dataclasses.field(default=default, metadata={_MARK: declared})


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a class. ``stored`` is its name within a map, or its attribute's name."""

    name: str
    stored: str
    default: Any = NODEFAULT
    default_factory: Any = NODEFAULT
    declared: Declared = dataclasses.field(default_factory=Declared)
    shape: Shape = ANYTHING

    @property
    def has_default(self) -> bool:
        """Whether an instance can be made without it."""
        return self.default is not NODEFAULT or self.default_factory is not NODEFAULT


_FIELDS: WeakKeyDictionary[type, tuple[Field, ...]] = WeakKeyDictionary()


def fields_of(kind: type, names: Mapping[str, Any] | None = None) -> tuple[Field, ...]:
    """The fields of a dataclass, Struct or pydantic model; InvalidDocument if some cannot be.

    ``names`` are what its annotations may use beside the names of its module.
    """
    if kind not in _FIELDS:
        _FIELDS[kind] = _read_fields(kind, names)
    return _FIELDS[kind]


def make_dataclass(kind: Any, *, frozen: bool) -> type:
    """The class as a dataclass with slots and keyword-only fields."""
    runs_code = (
        frozen
        or "__init__" in vars(kind)
        or hasattr(kind, "__post_init__")
        or kind.__new__ is not object.__new__
        or kind.__setattr__ is not object.__setattr__
    )
    made: Any = dataclass(kw_only=True, slots=True, frozen=frozen)(kind)
    if not runs_code and all(field.init for field in dataclasses.fields(made)):
        setattr(made, PLAIN_MARK, made)
    return cast(type, made)


def is_pydantic(kind: Any) -> bool:
    """Whether it is a pydantic model; pydantic is not imported to find out."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and issubclass(kind, pydantic.BaseModel)


def _read_fields(kind: type, names: Mapping[str, Any] | None) -> tuple[Field, ...]:
    drafts, shape_for = _drafts(kind)
    try:
        annotations = get_type_hints(kind, localns=dict(names or {}), include_extras=True)
    except NameError as error:
        problem = Problem(kind.__name__, f"its annotations cannot be read: {error}")
        raise InvalidDocument([problem]) from None
    problems: list[Problem] = []
    fields: list[Field] = []
    for draft in drafts:
        annotation = annotations[draft.name]
        declared = cast(Declared, {**_declared_within(annotation), **draft.declared})
        try:
            shape = shape_for(annotation)
        except Unsupported as error:
            problems.append(Problem(f"{kind.__name__}.{draft.name}", str(error)))
            continue
        stored = declared.get("name", draft.stored)
        fields.append(dataclasses.replace(draft, stored=stored, declared=declared, shape=shape))
    if problems:
        raise InvalidDocument(problems)
    return tuple(fields)


def _drafts(kind: Any) -> tuple[Iterator[Field], Callable[[Any], Shape]]:
    """The fields without their shapes, and what finds the shape of an annotation."""
    if issubclass(kind, msgspec.Struct):
        return _struct_fields(kind), shape_of
    if dataclasses.is_dataclass(kind):
        return _dataclass_fields(kind), shape_of
    if is_pydantic(kind):
        from .adapters.pydantic import pydantic_fields, pydantic_shape

        return pydantic_fields(kind), pydantic_shape
    problem = Problem(
        getattr(kind, "__name__", repr(kind)),
        "it is no class of items",
        "decorate it with keypact.model, or make it a dataclass, Struct or pydantic model",
    )
    raise InvalidDocument([problem])


def _dataclass_fields(kind: Any) -> Iterator[Field]:
    for field in dataclasses.fields(kind):
        if field.init:
            declared = field.metadata.get(_MARK, {})
            default, factory = (
                NODEFAULT if one is MISSING else one
                for one in (field.default, field.default_factory)
            )
            yield Field(field.name, field.name, default, factory, declared)


def _struct_fields(kind: type[msgspec.Struct]) -> Iterator[Field]:
    for field in msgspec.structs.fields(kind):
        yield Field(field.name, field.encode_name, field.default, field.default_factory)


def _declared_within(annotation: Any) -> dict[str, Any]:
    """What `attribute` says inside of Annotated."""
    declared: dict[str, Any] = {}
    if get_origin(annotation) is Annotated:
        for one in get_args(annotation)[1:]:
            if isinstance(one, dataclasses.Field):
                declared |= one.metadata.get(_MARK, {})
    return declared
