"""Models as values: what a DMS document says, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from ..errors import InvalidModel

# Versions of DMS that documents may be of.
DMS_VERSIONS = ("0.1",)


class FrozenObject(dict[str, Any]):
    """A JSON object that cannot be changed, and can be hashed, copied and pickled."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenObject, (dict(self),)

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        raise TypeError("a model cannot be changed; make another one")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


def freeze(data: Any) -> Any:
    """JSON data that cannot be changed: objects are FrozenObject, lists are tuples."""
    if isinstance(data, Mapping):
        return FrozenObject((key, freeze(value)) for key, value in data.items())
    if isinstance(data, (list, tuple)):
        return tuple(freeze(value) for value in data)
    return data


NOTHING: Mapping[str, Any] = FrozenObject()


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an item, by its DynamoDB name."""

    name: str
    type: str
    required: bool = False
    optional: bool = False
    omit_empty: bool = False
    roles: tuple[str, ...] = ()
    format: str | None = None
    json: bool = False
    binary: bool = False
    # None: stored in the clear. Otherwise the document's object, which may be empty.
    encryption: Mapping[str, Any] | None = None
    tags: Mapping[str, Any] = NOTHING

    @property
    def is_encrypted(self) -> bool:
        """Whether it is stored as an encrypted envelope."""
        return self.encryption is not None


@dataclass(frozen=True, slots=True)
class KeyPart:
    """An attribute's part in a key: its name and S, N or B."""

    attribute: str
    type: str


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index."""

    name: str
    type: str
    partition: KeyPart
    sort: KeyPart | None = None
    projection: str = "ALL"
    fields: tuple[str, ...] = ()

    @property
    def is_global(self) -> bool:
        """A GSI has its own partition key; an LSI shares the table's."""
        return self.type == "GSI"


@dataclass(frozen=True)
class Model:
    """A named item schema and the table it lives in."""

    name: str
    table: str
    partition: KeyPart
    sort: KeyPart | None
    attributes: tuple[Attribute, ...]
    indexes: tuple[Index, ...] = ()
    naming: str | None = None
    namespace: str | None = field(default=None, compare=False)

    @cached_property
    def by_name(self) -> Mapping[str, Attribute]:
        """Attributes by their DynamoDB names."""
        return {attribute.name: attribute for attribute in self.attributes}

    @cached_property
    def key_names(self) -> tuple[str, ...]:
        """The primary key's attributes: partition, then sort."""
        parts = (self.partition,) if self.sort is None else (self.partition, self.sort)
        return tuple(part.attribute for part in parts)

    @cached_property
    def created_at(self) -> str | None:
        """The attribute that says when an item was made."""
        return self._with_role("created_at")

    @cached_property
    def updated_at(self) -> str | None:
        """The attribute that says when an item was last written."""
        return self._with_role("updated_at")

    @cached_property
    def version(self) -> str | None:
        """The attribute that counts an item's updates."""
        return self._with_role("version")

    @cached_property
    def ttl(self) -> str | None:
        """The attribute that says when an item expires."""
        return self._with_role("ttl")

    @cached_property
    def encrypted(self) -> frozenset[str]:
        """Names of the attributes that are stored sealed."""
        return frozenset(one.name for one in self.attributes if one.is_encrypted)

    def index(self, name: str) -> Index:
        """The index of that name."""
        for index in self.indexes:
            if index.name == name:
                return index
        known = ", ".join(index.name for index in self.indexes) or "none"
        raise InvalidModel(f"model {self.name} has no index {name!r}; it has: {known}")

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        try:
            return self.by_name[name]
        except KeyError:
            raise InvalidModel(
                f"model {self.name} has no attribute {name!r}; declare it in the DMS"
            ) from None

    def _with_role(self, role: str) -> str | None:
        for attribute in self.attributes:
            if role in attribute.roles:
                return attribute.name
        return None


@dataclass(frozen=True)
class Schema:
    """A document's models."""

    dms_version: str
    models: tuple[Model, ...]
    namespace: str | None = None

    def model(self, name: str) -> Model:
        """The model of that name."""
        for model in self.models:
            if model.name == name:
                return model
        known = ", ".join(model.name for model in self.models)
        raise InvalidModel(f"the schema has no model {name!r}; it has: {known}")
