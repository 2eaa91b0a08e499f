"""Pydantic models as classes of items.

Pydantic validates what is read and says what is written, so validators, aliases and its
own types work as they always do: a UUID, an Enum or a URL is stored as the text that
pydantic gives it in JSON. A field that pydantic reads as float is stored as the shortest
decimal that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar, get_args, get_origin

import pydantic
from msgspec import NODEFAULT
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from ..annotations import ANYTHING, Shape, Unsupported, shape_of
from ..classes import item_fields
from ..codec_source import Member, decoder, members_of, wire_decoder
from ..codecs import Codec
from ..errors import InvalidModel
from ..records import Field
from ..schema.models import Attribute
from ..values import Attributes, Unfit, format_of, refusal, time_text

M = TypeVar("M")

# Python types that attribute values are made of, but for float.
_PLAIN = (str, int, Decimal, bytes, bytearray, memoryview, type(None))


def pydantic_fields(kind: type[pydantic.BaseModel]) -> Iterator[Field]:
    """The fields of a pydantic model, stored by alias where they have one."""
    for name, info in kind.model_fields.items():
        default = NODEFAULT if info.default is PydanticUndefined else info.default
        factory = NODEFAULT if info.default_factory is None else info.default_factory
        yield Field(name, _written_name(name, info), default, factory)


def pydantic_shape(annotation: Any) -> Shape:
    """The shape of a field; what only pydantic knows is text, or what contains it."""
    try:
        return shape_of(annotation)
    except Unsupported:
        members = [one for one in get_args(annotation) if one is not type(None)]
        if len(members) == 1 and get_origin(annotation) not in _CONTAINERS:
            shape = pydantic_shape(members[0])
            return replace(shape, optional=type(None) in get_args(annotation))
    origin = get_origin(annotation) or annotation
    type_ = _CONTAINERS.get(origin, "S")
    if isinstance(origin, type) and issubclass(origin, pydantic.BaseModel):
        type_ = "M"
    return replace(ANYTHING, name=str(annotation), type=type_, optional=False)


_CONTAINERS = {list: "L", tuple: "L", Sequence: "L", dict: "M", Mapping: "M"}


def _written_name(name: str, info: FieldInfo) -> str:
    return info.serialization_alias or info.alias or name


def _read_name(name: str, info: FieldInfo) -> str:
    for alias in (info.validation_alias, info.alias):
        if isinstance(alias, str):
            return alias
    return name


class PydanticCodec(Codec[M]):
    """The codec of a model whose items are of a pydantic class: mappings, validated."""

    def _read_members(self) -> tuple[Member, ...]:
        kind: Any = self.item_class
        # Attribute, the name pydantic writes it by, and the one it reads it by.
        self._names: list[tuple[Attribute, str, str]] = []
        fields = item_fields(kind, self.model)
        for field in fields:
            info = kind.model_fields[field.name]
            attribute = self.model.by_name[field.stored]
            written, read = _written_name(field.name, info), _read_name(field.name, info)
            self._names.append((attribute, written, read))
        # Plain members: what becomes of their values is pydantic's business.
        return tuple(replace(member, field=None) for member in members_of(self.model, fields))

    @cached_property
    def _lower(self) -> Callable[[Any], dict[str, Any]]:
        def lower(item: Any) -> dict[str, Any]:
            dumped = item.model_dump(by_alias=True)
            return {
                attribute.name: _lowered(attribute, dumped[written])
                for attribute, written, _ in self._names
                if written in dumped
            }

        return lower

    @cached_property
    def _decode(self) -> Callable[[Attributes, bool], Any]:
        plain = decoder(self._members, self.model, None)
        return lambda attributes, partial: self._validated(plain(attributes, partial))

    @cached_property
    def _decode_wire(self) -> Callable[[Any, bool], Any]:
        plain = wire_decoder(self._members, self.model, None)
        return lambda wire, partial: self._validated(plain(wire, partial))

    def build(self, values: Mapping[str, Any]) -> M:
        """An item of values by attribute name; InvalidModel when pydantic refuses them."""
        self._check_names(values)
        try:
            return self._validated(values)
        except pydantic.ValidationError as error:
            raise InvalidModel(str(error)) from error

    def _plain(self, member: Member, value: Any) -> Any:
        return _lowered(member.attribute, value)

    def _validated(self, values: Mapping[str, Any]) -> M:
        kind: Any = self.item_class
        found: M = kind.model_validate(
            {
                read: values[attribute.name]
                for attribute, _, read in self._names
                if attribute.name in values
            }
        )
        return found

    def _made(self, made: dict[str, Any], reasons: list[str]) -> Any:
        try:
            return self._validated(made)
        except pydantic.ValidationError as error:
            reasons.append(f"{getattr(self.item_class, '__name__', '')} refuses it: {error}")
            return None


def _lowered(attribute: Attribute, value: Any) -> Any:
    if attribute.json:
        return to_jsonable_python(value)
    if isinstance(value, datetime) and format_of(attribute) is not None:
        return value
    try:
        return _plain(value)
    except Unfit as unfit:
        raise refusal(attribute, value, unfit) from None


def _plain(value: Any) -> Any:
    """What pydantic dumped, without the types that only Python has."""
    if type(value) in _PLAIN:
        return value
    if type(value) is float:
        return Decimal(repr(value))
    if isinstance(value, Mapping):
        return {_plain(key): _plain(member) for key, member in value.items()}
    if isinstance(value, (set, frozenset)):
        return {_plain(member) for member in value}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    if isinstance(value, datetime):
        return time_text(value)
    return value if isinstance(value, bool) else to_jsonable_python(value)
