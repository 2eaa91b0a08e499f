"""Python source for one model: straight lines instead of a loop over its attributes.

Common values are handled in place; everything else goes to a function that knows all the
rules. So generated code decides nothing that `values` does not decide the same way.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType

from .blobs import read_blob
from .errors import InvalidValue, MissingPrimaryKey
from .lifecycle import ttl_seconds
from .schema.models import Attribute, Model
from .values import (
    INTEGRAL,
    PLAIN_TIME,
    SET_TYPES,
    SHORT_INTEGER_MAX,
    AttributeValue,
    Unfit,
    decimal_text,
    encode_attribute,
    format_of,
    from_value,
    is_text,
    missing,
    read_attribute,
    read_number,
    refusal,
    show,
    time_text,
    whole,
    whole_set,
    write_list,
    write_map,
    write_set,
)

if TYPE_CHECKING:
    from .records import Field


# Where a class is marked whose instances are their fields and nothing else: making one runs
# no code of it. The mark is the class itself, so a subclass has none.
PLAIN_MARK = "__keypact_plain__"


@dataclass(frozen=True, slots=True)
class Member:
    """An attribute of the model, the class's field for it, and how each becomes the other."""

    number: int
    attribute: Attribute
    field: Field | None
    is_key: bool

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.attribute.name

    def encode(self, value: object) -> AttributeValue | None:
        """Encode a value by all the rules; None where it is left out."""
        return encode_attribute(self.attribute, value)

    def put(self, out: dict[str, AttributeValue], value: object) -> None:
        """Encode any value, or one that is required and missing, by all the rules."""
        if self.is_key and (value is MISSING or is_blank(value)):
            raise MissingPrimaryKey(f"the item has no {self.name}, which is part of its key")
        if value is MISSING:
            raise missing(self.attribute)
        encoded = self.encode(value)
        if encoded is not None:
            out[self.name] = encoded

    def read(self, stored: AttributeValue) -> Any:
        """Decode any stored value by all the rules; ``Unfit`` when it does not fit."""
        return self.lift(read_attribute(self.attribute, stored))

    def read_null(self, wire: Any) -> Any:
        """What is stored with another type than declared: NULL is fine."""
        if not wire.NULL:
            raise Unfit("it is stored with another type")
        return self.lift(set() if self.attribute.type in SET_TYPES else None)

    def absent(self) -> Any:
        """What the class says where nothing is stored; ``Unfit`` when it says nothing."""
        field = self.field
        if field is None:
            raise Unfit("it is missing")
        if field.default is not NODEFAULT:
            return field.default
        if field.default_factory is not NODEFAULT:
            return field.default_factory()
        if field.shape.optional:
            return None
        raise Unfit("it is missing, and its field has no default")

    def lift(self, plain: Any) -> Any:
        """The field's value of a plain one."""
        if self.field is None:
            return plain
        if plain is None and not self.field.shape.optional:
            raise Unfit(f"NULL is stored, which {self.field.shape.name} cannot hold")
        lifted = self.field.shape.lift(plain)
        if self.is_key and self.field.shape.loses and self._plain(lifted) != plain:
            raise Unfit(f"{show(plain)} is more than {self.field.shape.name} can hold of a key")
        return lifted

    def lower(self, value: Any) -> Any:
        """The plain value of a field's; InvalidValue when the field cannot have it."""
        if value is None:
            return None
        try:
            return self._plain(value)
        except Unfit as unfit:
            raise refusal(self.attribute, value, unfit) from None

    def _plain(self, value: Any) -> Any:
        assert self.field is not None
        if self.field.shape.is_time and self.attribute.type == "N":
            try:
                return ttl_seconds(value)
            except InvalidValue as error:
                raise Unfit(str(error)) from None
        return self.field.shape.lower(value)

    @property
    def is_required(self) -> bool:
        """Whether every item has it."""
        return self.is_key or self.attribute.required

    @property
    def is_plain_text(self) -> bool:
        """Whether any str will do."""
        attribute = self.attribute
        return attribute.type == "S" and not attribute.json and format_of(attribute) is None


def members_of(model: Model, fields: Sequence[Field] | None) -> tuple[Member, ...]:
    """The model's attributes, each with its field where items have a class."""
    by_name = {field.stored: field for field in fields or ()}
    members: list[Member] = []
    for number, one in enumerate(model.attributes):
        field = by_name.get(one.name)
        is_key = one.name in model.key_names
        # A class has no other way than None to say that there is nothing.
        is_optional = field is not None and field.shape.optional and not one.required
        written = replace(
            one,
            optional=one.optional or is_optional,
            # Zero is a key like others.
            omit_empty=one.omit_empty and not is_key,
        )
        members.append(Member(number, written, field, is_key))
    return tuple(members)


def is_blank(value: object) -> bool:
    """Whether it cannot be part of a key: None, and text or bytes without content."""
    return value is None or (isinstance(value, (str, bytes, bytearray, memoryview)) and not value)


class _Source:
    """Lines of one function, and the names they use."""

    def __init__(self, head: str, **names: Any) -> None:
        self.lines = [head]
        self.names = names

    def add(self, *lines: str, indent: int = 1) -> None:
        self.lines += ["    " * indent + line for line in lines]

    def made(self, title: str) -> Callable[..., Any]:
        text = "\n".join(self.lines) + "\n"
        exec(compile(text, f"<{title}>", "exec"), self.names)  # noqa: S102 - our own lines
        function: Callable[..., Any] = self.names["made"]
        return function


# Encoding ----------------------------------------------------------------------------------


def encoder(
    members: Sequence[Member], model: Model, check_names: Callable[[Iterable[str]], None]
) -> Callable[[Mapping[str, Any]], dict[str, AttributeValue]]:
    """A function from values by attribute name to attribute values.

    ``Unfit`` out of it says that some value does not fit, and not which.
    """
    source = _Source("def made(item):", **_ENCODER_NAMES)
    source.names["check_names"] = check_names
    source.add("get = item.get", "out = {}")
    for member in members:
        name, number = repr(member.name), member.number
        source.names[f"put_{number}"] = member.put
        source.add(f"v = get({name}, MISSING)")
        branch = "if"
        for test, value in _fast_encodings(member):
            source.add(f"{branch} {test}: out[{name}] = {value}")
            branch = "elif"
        # What is required is asked for even where there is nothing.
        rest = "True" if member.is_required else "v is not MISSING"
        source.add(f"{branch} {rest}: put_{number}(out, v)")
    # Something was left out, or something is too many.
    source.add("if len(out) != len(item):", "    check_names(item)", "return out")
    return source.made(f"encoder of model {model.name}")


_ENCODER_NAMES: dict[str, Any] = {
    "MISSING": MISSING,
    "Decimal": Decimal,
    "base64": b2a_base64,
    "datetime": datetime,
    "time_text": time_text,
    "decimal_text": decimal_text,
    "is_text": is_text,
    "plain_time": PLAIN_TIME,
    "write_list": write_list,
    "write_map": write_map,
    "write_set": write_set,
}


def _fast_encodings(member: Member) -> Iterator[tuple[str, str]]:
    """Tests for values that are encoded in place, and how. What is empty is not among them."""
    attribute = member.attribute
    kind = attribute.type
    # Where being empty makes a difference, all the rules are asked.
    some = " and v" if attribute.omit_empty or (member.is_key and kind != "N") else ""
    if attribute.json:
        return
    if kind == "S" and format_of(attribute) is not None:
        yield "type(v) is str and plain_time(v)", "{'S': v}"
        if not attribute.omit_empty:
            yield "type(v) is datetime", "{'S': time_text(v)}"
    elif kind == "S":
        yield f"type(v) is str{some} and (v.isascii() or is_text(v))", "{'S': v}"
    elif kind == "N":
        bound = SHORT_INTEGER_MAX
        yield f"type(v) is int{some} and -{bound} < v < {bound}", "{'N': str(v)}"
        if format_of(attribute) is None:
            yield f"type(v) is Decimal{some}", "{'N': decimal_text(v)}"
    elif kind == "BOOL":
        yield "v is True" if some else "v is True or v is False", "{'BOOL': v}"
    elif kind == "B":
        yield f"type(v) is bytes{some}", "{'B': base64(v, newline=False).decode('ascii')}"
    elif kind == "L":
        yield f"type(v) is list{some}", "write_list(v)"
    elif kind == "M":
        yield f"type(v) is dict{some}", "write_map(v)"
    elif kind in SET_TYPES:
        yield f"type(v) is set{some}", f"write_set({kind!r}, v)"


def lowerer(members: Sequence[Member], model: Model) -> Callable[[Any], dict[str, Any]]:
    """A function from an instance to its values by attribute name."""
    source = _Source("def made(item):")
    parts: list[str] = []
    for member in members:
        field = member.field
        assert field is not None
        shape, value = field.shape, f"item.{field.name}"
        if not shape.is_anything and (member.attribute.json or not shape.writes_plain):
            source.names[f"lower_{member.number}"] = member.lower
            value = f"lower_{member.number}({value})"
            if shape.takes_int:
                value = f"v if type(v := item.{field.name}) is int else {value}"
        parts.append(f"{member.name!r}: {value}")
    source.add(f"return {{{', '.join(parts)}}}")
    return source.made(f"fields of model {model.name}")


# Decoding ----------------------------------------------------------------------------------


def decoder(
    members: Sequence[Member], model: Model, construct: Callable[..., Any] | None
) -> Callable[[Mapping[str, AttributeValue], bool], Any]:
    """A function from attribute values to an item: a dict, or what ``construct`` makes."""
    source = _Source("def made(attributes, partial):", **_DECODER_NAMES)
    source.add("get = attributes.get")
    _decode_all(source, members, construct, wire=False)
    return source.made(f"decoder of model {model.name}")


def wire_decoder(
    members: Sequence[Member], model: Model, construct: Callable[..., Any] | None
) -> Callable[[Any, bool], Any]:
    """As `decoder`, from what `wire_type` reads."""
    source = _Source("def made(wire, partial):", **_DECODER_NAMES)
    _decode_all(source, members, construct, wire=True)
    return source.made(f"wire decoder of model {model.name}")


_DECODER_NAMES: dict[str, Any] = {
    "UNSET": UNSET,
    "fromisoformat": datetime.fromisoformat,
    "plain_time": PLAIN_TIME,
    "Decimal": Decimal,
    "a2b": a2b_base64,
    "read_blob": read_blob,
    "from_value": from_value,
    "read_number": read_number,
    "whole": whole,
    "whole_set": whole_set,
}


def _decode_all(
    source: _Source,
    members: Sequence[Member],
    construct: Callable[..., Any] | None,
    *,
    wire: bool,
) -> None:
    source.names.update(construct=construct, new=object.__new__)
    is_plain = getattr(construct, PLAIN_MARK, None) is construct
    if construct is None:
        source.add("item = {}")
    elif is_plain:
        source.add("item = new(construct)")
    for member in members:
        number, field = member.number, member.field
        if field is None:
            target = f"item[{member.name!r}]"
        else:
            target = f"item.{field.name}" if is_plain else f"v{number}"
        source.names[f"absent_{number}"] = member.absent
        source.names[f"lift_{number}"] = member.lift
        _decode_one(source, member, target, wire=wire)
        if field is not None:
            source.add(f"else: {target} = absent_{number}()")
        elif member.is_required:
            source.add(f"elif not partial: absent_{number}()")
    if construct is None or is_plain:
        source.add("return item")
    else:
        arguments = ", ".join(f"{one.field.name}=v{one.number}" for one in members if one.field)
        source.add(f"return construct({arguments})")


def _decode_one(source: _Source, member: Member, target: str, *, wire: bool) -> None:
    tag, number = member.attribute.type, member.number
    if wire:
        source.names[f"read_{number}"] = member.read_null
        source.add(f"a = wire.f{number}", "if a is not None:")
        if tag == "NULL":
            source.add(f"{target} = read_{number}(a)", indent=2)
            return
        source.add(f"v = a.{tag}", f"if v is UNSET: {target} = read_{number}(a)", indent=2)
        source.add(f"else: {target} = {_wire_value(member)}", indent=2)
    else:
        source.names[f"read_{number}"] = member.read
        source.add(f"a = get({member.name!r})", "if a is not None:")
        source.add(f"if {tag!r} in a:", f"    v = a[{tag!r}]", indent=2)
        source.add(f"    {target} = {_plain_value(member)}", indent=2)
        source.add(f"else: {target} = read_{number}(a)", indent=2)


def _plain_value(member: Member) -> str:
    """The item's value of ``v``, what is stored under the attribute's own type."""
    attribute = member.attribute
    if attribute.json:
        return _lifted(member, "read_blob(v)")
    if attribute.type == "N" and format_of(attribute) in INTEGRAL:
        return _lifted(member, f"int(v) if v.isdigit() else read_{member.number}(a)")
    return _lifted(member, _PLAIN_VALUES[attribute.type])


_PLAIN_VALUES = {
    "S": "v",
    "N": "int(v) if v.isdigit() else read_number(v)",
    "B": "a2b(v)",
    "BOOL": "v",
    "NULL": "None",
    "SS": "set(v)",
    "NS": "set(map(read_number, v))",
    "BS": "set(map(a2b, v))",
    "L": "[from_value(one) for one in v]",
    "M": "{name: from_value(one) for name, one in v.items()}",
}


def _lifted(member: Member, value: str) -> str:
    """The value through its field's shape, unless that would change and refuse nothing."""
    field = member.field
    if field is None:
        return value
    if field.shape.is_anything:
        return value
    if member.attribute.json:
        return f"lift_{member.number}({value})"
    if field.shape.reads_plain:
        return value
    if field.shape.is_time and member.attribute.type == "S" and not _must_check(member):
        return f"fromisoformat({value}) if plain_time({value}) else lift_{member.number}({value})"
    return f"lift_{member.number}({value})"


def _wire_value(member: Member) -> str:
    """The item's value of ``v``, what `wire_type` read."""
    attribute, field = member.attribute, member.field
    if attribute.json:
        return _lifted(member, "read_blob(v)")
    if field is not None and field.shape.wire is not None and not _must_check(member):
        return "v"
    if attribute.type == "N" and format_of(attribute) not in INTEGRAL:
        return _lifted(member, "whole(v) if type(v) is not int else v")
    if attribute.type == "NS":
        return _lifted(member, "v if Decimal not in map(type, v) else whole_set(v)")
    if attribute.type in ("L", "M"):
        return _lifted(member, _PLAIN_VALUES[attribute.type])
    return _lifted(member, "v")


def _must_check(member: Member) -> bool:
    return member.is_key and member.field is not None and member.field.shape.loses


# The wire ----------------------------------------------------------------------------------

_WIRE_TYPES: dict[str, Any] = {
    "S": str,
    "N": int | Decimal,
    "B": bytes,
    "BOOL": bool,
    "SS": set[str],
    "NS": set[int | Decimal],
    "BS": set[bytes],
    "L": list[Any],
    "M": dict[str, Any],
}


def wire_type(members: Sequence[Member]) -> type[msgspec.Struct] | None:
    """What msgspec reads an item's JSON into; None where a name is none that it can look for.

    Read without strictness: then the text of a number becomes a number on the way.
    """
    names = {f"f{member.number}": member.name for member in members}
    try:
        return msgspec.defstruct(
            "Item",
            [(f"f{member.number}", _value_type(member) | None, None) for member in members],
            rename=names,
            gc=False,
        )
    except ValueError:
        return None


def _value_type(member: Member) -> Any:
    attribute, field = member.attribute, member.field
    content = _WIRE_TYPES.get(attribute.type)
    if attribute.type == "N" and format_of(attribute) in INTEGRAL:
        content = int
    if field is not None and not attribute.json and not _must_check(member):
        content = field.shape.wire or content
    return _value_struct(attribute.type, content)


@lru_cache(maxsize=256)
def _value_struct(tag: str, content: Any) -> Any:
    fields: list[tuple[str, Any, Any]] = [("NULL", bool, False)]
    if content is not None:
        fields.insert(0, (tag, content | UnsetType, UNSET))
    return msgspec.defstruct("Value", fields, gc=False)
