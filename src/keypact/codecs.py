"""Codecs: items to attribute values and back, by code generated for each model.

Items are mappings by attribute name, or instances of the model's class. Attributes that
are stored and not declared are ignored on reading, so a model may know less than others
who write to its table. Nothing undeclared is ever written.

What only classes and errors need is imported where it is used: whoever has mappings does
not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING
from functools import cached_property, lru_cache
from types import GenericAlias
from typing import Any, Generic, TypeVar, cast, overload

import msgspec

from .codec_source import (
    Member,
    decoder,
    encoder,
    is_blank,
    lowerer,
    members_of,
    wire_decoder,
    wire_type,
)
from .errors import InvalidModel, InvalidValue, ItemNotReadable, KeypactError, MissingPrimaryKey
from .schema.models import Model
from .values import Attributes, AttributeValue, Unfit, from_value, show

M = TypeVar("M")

# Takes an item that does not fit, as plain values of whatever types are stored, and
# returns values that do, or that a later upcaster can go on with.
Upcaster = Callable[[dict[str, Any]], dict[str, Any]]


@overload
def codec(
    model: Model, item_class: None = None, upcasters: Sequence[Upcaster] = ()
) -> Codec[dict[str, Any]]: ...
@overload
def codec(model: Model, item_class: type[M], upcasters: Sequence[Upcaster] = ()) -> Codec[M]: ...
def codec(
    model: Model, item_class: type[Any] | None = None, upcasters: Sequence[Upcaster] = ()
) -> Codec[Any]:
    """The codec of a model, for mappings or for a class of items; made once."""
    kind: Any = item_class
    return _made_once(model, kind, tuple(upcasters))


@lru_cache(maxsize=512)
def _made_once(
    model: Model, item_class: type[Any] | None, upcasters: tuple[Upcaster, ...]
) -> Codec[Any]:
    if item_class is not None:
        from .records import is_pydantic

        if is_pydantic(item_class):
            from .adapters.pydantic import PydanticCodec

            return PydanticCodec(model, item_class, upcasters)
    return Codec(model, item_class, upcasters)


class Codec(Generic[M]):
    """One model's way between items and attribute values.

    Encrypted attributes are their plaintext here: whoever writes seals them afterwards,
    and opens them before decoding.
    """

    def __init__(
        self, model: Model, item_class: type[M] | None, upcasters: tuple[Upcaster, ...]
    ) -> None:
        self.model = model
        self.item_class = item_class
        self.upcasters = upcasters
        self._members = self._read_members()
        self._by_name = {member.name: member for member in self._members}
        self._key_members = [self._by_name[name] for name in model.key_names]

    def _read_members(self) -> tuple[Member, ...]:
        if self.item_class is None:
            return members_of(self.model, None)
        from .classes import item_fields

        return members_of(self.model, item_fields(self.item_class, self.model))

    # Writing ------------------------------------------------------------------------------

    def encode(self, item: M | Mapping[str, Any]) -> Attributes:
        """The item's attribute values; every rule of the model is checked."""
        values = item if type(item) is dict else self.values_of(item)
        try:
            return self._encode(values)
        except Unfit:
            return self.encode_each(values)

    def encode_each(self, values: Mapping[str, Any]) -> Attributes:
        """As `encode`, attribute by attribute: slower, and errors name theirs."""
        encoded: Attributes = {}
        for member in self._members:
            if member.name in values or member.is_required:
                member.put(encoded, values.get(member.name, MISSING))
        self._check_names(values)
        return encoded

    def encode_attribute(self, name: str, value: object) -> AttributeValue | None:
        """One attribute of an item of this codec; None when it is left out.

        ``value`` is as in `values_of`, or as the class's field holds it. A class's None is
        nothing; a mapping's None is NULL unless the attribute is optional.
        """
        self._check_names([name])
        member = self._by_name[name]
        return member.encode(self._plain(member, value))

    def _plain(self, member: Member, value: Any) -> Any:
        """The plain value of a field's; one that is plain already stays as it is."""
        try:
            return value if member.field is None else member.lower(value)
        except InvalidValue:
            return value

    def values_of(self, item: M | Mapping[str, Any]) -> Mapping[str, Any]:
        """The item's values by attribute name. A class's None is in it, as None."""
        if isinstance(item, Mapping):
            return item
        if self.item_class is not None and isinstance(item, self.item_class):
            return self._lower(item)
        other = self._codec_of(item)
        values = other.values_of(item)
        # What is nothing in the other class would be NULL here.
        return {
            name: value
            for name, value in values.items()
            if value is not None or other.encode_attribute(name, None) is not None
        }

    def attribute_names(self, names: Iterable[str]) -> list[str]:
        """Names of attributes, where names of the class's fields may stand for them."""
        fields = {one.field.name: one.name for one in self._members if one.field is not None}
        found = [name if name in self._by_name else fields.get(name, name) for name in names]
        self._check_names(found)
        return found

    def key(self, key: Any) -> Attributes:
        """The primary key: of a mapping or an instance, a tuple of both parts, or one value."""
        if isinstance(key, (tuple, list)):
            parts: Sequence[Any] = key
            if len(parts) > len(self._key_members):
                told = ", ".join(self.model.key_names)
                raise InvalidModel(f"the key of model {self.model.name} is {told}, not {key!r}")
        elif isinstance(key, Mapping):
            parts = [key.get(member.name) for member in self._key_members]
        elif type(key) in _KEY_VALUES or not self._is_item(key):
            parts = (key,)
        else:
            return self.key(self.values_of(key))
        encoded: Attributes = {}
        for number, member in enumerate(self._key_members):
            value = parts[number] if number < len(parts) else None
            if is_blank(value):
                raise MissingPrimaryKey(self._missing(member.name, key))
            if type(value) is str and value.isascii() and member.is_plain_text:
                encoded[member.name] = {"S": value}
            else:
                member.put(encoded, self._plain(member, value))
        return encoded

    # Reading ------------------------------------------------------------------------------

    def decode(self, attributes: Attributes, *, partial: bool = False) -> M:
        """The item of stored attributes; ItemNotReadable when they do not fit the model.

        ``partial`` says that attributes may be missing because they were not asked for.
        """
        try:
            return cast(M, self._decode(attributes, partial))
        except (ValueError, TypeError):
            return self._read_misfit(attributes, partial)

    def read_get(self, answer: bytes) -> M | None:
        """The item in a GetItem answer."""
        if self._get_decoder is not None:
            try:
                item = self._get_decoder.decode(answer).Item
                return None if item is None else cast(M, self._decode_wire(item, False))
            except (ValueError, TypeError, msgspec.ValidationError):
                # Read once more, by the rules, for the error or for the upcasters.
                pass
        attributes = msgspec.json.decode(answer).get("Item")
        return None if attributes is None else self.decode(attributes)

    def read_page(
        self, answer: bytes, *, partial: bool = False
    ) -> tuple[list[M], Attributes | None]:
        """The items in a Query or Scan answer, and its LastEvaluatedKey."""
        if self._page_decoder is not None:
            try:
                page = self._page_decoder.decode(answer)
                decode = self._decode_wire
                return [decode(item, partial) for item in page.Items], page.LastEvaluatedKey
            except (ValueError, TypeError, msgspec.ValidationError):
                # Read once more, by the rules, for the error or for the upcasters.
                pass
        found = msgspec.json.decode(answer)
        items = [self.decode(attributes, partial=partial) for attributes in found["Items"]]
        return items, found.get("LastEvaluatedKey")

    def build(self, values: Mapping[str, Any]) -> M:
        """An item of values by attribute name; what has a default may be missing."""
        if self.item_class is None:
            return cast(M, dict(values))
        self._check_names(values)
        made: dict[str, Any] = {}
        for member in self._members:
            assert member.field is not None
            try:
                if member.name in values:
                    made[member.field.name] = member.lift(values[member.name])
                else:
                    made[member.field.name] = member.absent()
            except Unfit as unfit:
                raise InvalidModel(f"attribute {member.name}{unfit.path}: {unfit}") from None
        return self.item_class(**made)

    # What is generated, when it is first needed --------------------------------------------

    @cached_property
    def _encode(self) -> Callable[[Mapping[str, Any]], Attributes]:
        return encoder(self._members, self.model, self._check_names)

    @cached_property
    def _lower(self) -> Callable[[Any], dict[str, Any]]:
        return lowerer(self._members, self.model)

    @cached_property
    def _decode(self) -> Callable[[Attributes, bool], Any]:
        return decoder(self._members, self.model, self.item_class)

    @cached_property
    def _decode_wire(self) -> Callable[[Any, bool], Any]:
        return wire_decoder(self._members, self.model, self.item_class)

    @cached_property
    def _wire_item(self) -> Any:
        return wire_type(self._members)

    @cached_property
    def _get_decoder(self) -> msgspec.json.Decoder[Any] | None:
        if self._wire_item is None:
            return None
        answer = msgspec.defstruct("GetAnswer", [("Item", self._wire_item | None, None)], gc=False)
        return msgspec.json.Decoder(answer, strict=False)

    @cached_property
    def _page_decoder(self) -> msgspec.json.Decoder[Any] | None:
        if self._wire_item is None:
            return None
        items = GenericAlias(list, (self._wire_item,))
        fields: list[Any] = [("Items", items), ("LastEvaluatedKey", dict[str, Any] | None, None)]
        return msgspec.json.Decoder(msgspec.defstruct("PageAnswer", fields, gc=False), strict=False)

    # What does not fit ---------------------------------------------------------------------

    def _read_misfit(self, attributes: Attributes, partial: bool) -> M:
        """The item as an upcaster makes it fit; else ItemNotReadable tells every reason."""
        reasons: list[str] = []
        item = self._read_each(attributes, partial, reasons)
        if not reasons:
            return item
        values = {name: from_value(value) for name, value in attributes.items()}
        for upcaster in self.upcasters:
            try:
                values = upcaster(dict(values))
            except Exception as error:
                told = getattr(upcaster, "__name__", repr(upcaster))
                reasons.append(f"upcaster {told} failed with {error!r}")
                raise self._not_readable(attributes, reasons, partial) from error
            unfit: list[str] = []
            item = self._read_each(self._encode_known(values, unfit), partial, unfit)
            if not unfit:
                return item
            reasons = [f"after its upcasters, {reason}" for reason in unfit]
        raise self._not_readable(attributes, reasons, partial)

    def _read_each(self, attributes: Attributes, partial: bool, reasons: list[str]) -> M:
        """The item, attribute by attribute; with reasons, it is none."""
        made: dict[str, Any] = {}
        for member in self._members:
            target = member.name if member.field is None else member.field.name
            try:
                if member.name in attributes:
                    made[target] = member.read(attributes[member.name])
                elif member.field is not None or (member.is_required and not partial):
                    made[target] = member.absent()
            except Unfit as unfit:
                told = "the value does not fit" if member.attribute.is_encrypted else str(unfit)
                reasons.append(f"attribute {member.name}{unfit.path}: {told}")
        return cast(M, None) if reasons else self._made(made, reasons)

    def _made(self, made: dict[str, Any], reasons: list[str]) -> M:
        if self.item_class is None:
            return cast(M, made)
        try:
            return self.item_class(**made)
        except (ValueError, TypeError) as error:
            reasons.append(f"{self.item_class.__name__} refuses it: {error}")
            return cast(M, None)

    def _encode_known(self, values: Mapping[str, Any], reasons: list[str]) -> Attributes:
        encoded: Attributes = {}
        for member in self._members:
            if member.name in values:
                try:
                    member.put(encoded, values[member.name])
                except KeypactError as error:
                    reasons.append(str(error))
        return encoded

    def _not_readable(
        self, attributes: Attributes, reasons: list[str], partial: bool
    ) -> ItemNotReadable:
        key = {
            name: from_value(attributes[name])
            for name in self.model.key_names
            if name in attributes
        }
        advice = "write the item anew, change the model, or give the table an upcaster"
        if partial:
            advice = "only a part of the item was read: give the fields defaults, or read mappings"
        return ItemNotReadable(
            f"the item {key!r} of table {self.model.table} does not fit model "
            f"{self.model.name}: {'; '.join(reasons)}. To read it, {advice}"
        )

    def _check_names(self, names: Iterable[str]) -> None:
        known = self.model.by_name
        for name in names:
            if name not in known:
                from .schema.fields import closest

                near = closest(str(name), known)
                hint = f"did you mean {near!r}?" if near else "declare it in the model"
                raise InvalidModel(f"model {self.model.name} has no attribute {name!r}; {hint}")

    def _missing(self, name: str, key: Any) -> str:
        from .schema.fields import closest

        told = f"the key of model {self.model.name} needs {' and '.join(self.model.key_names)}"
        if isinstance(key, Mapping) and name not in key and (near := closest(name, key)):
            return f"{told}; {near!r} is not {name!r}"
        return f"{told}; {name} is missing or empty"

    def _is_item(self, value: Any) -> bool:
        from .classes import is_bound

        return is_bound(type(value)) or (
            self.item_class is not None and isinstance(value, self.item_class)
        )

    def _codec_of(self, item: Any) -> Codec[Any]:
        """The codec for an instance of another class of this model."""
        from .classes import is_bound, model_of

        kind = type(item)
        if not is_bound(kind):
            name = "mapping" if self.item_class is None else self.item_class.__name__
            raise InvalidModel(f"an item of model {self.model.name} is a {name}, not {show(item)}")
        if model_of(kind) != self.model:
            raise InvalidModel(
                f"{kind.__name__} is the class of model {model_of(kind).name}, "
                f"not of {self.model.name}"
            )
        return codec(self.model, kind)


# Types whose values are never items.
_KEY_VALUES = frozenset({str, int, bytes})
