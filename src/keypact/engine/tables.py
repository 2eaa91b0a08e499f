"""Tables and indexes as the store knows them: frozen, made once from a definition."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .attributes import Attributes
from .errors import ResourceNotFoundException, SchemaMismatch, ValidationException
from .limits import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from .ordering import join_parts, key_bytes, partition_bytes

Definition = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeySchema:
    """Names of the attributes that make up a key, in order."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]

    @classmethod
    def read(cls, elements: list[dict[str, str]]) -> KeySchema:
        """From DynamoDB's list of AttributeName and KeyType."""
        names: dict[str, list[str]] = {"HASH": [], "RANGE": []}
        for element in elements:
            names[element["KeyType"]].append(element["AttributeName"])
        return cls(tuple(names["HASH"]), tuple(names["RANGE"]))

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the partition's first."""
        return self.partition + self.sort


@dataclass(frozen=True)
class Index:
    """A secondary index: its key, what it projects, and the tree that holds it."""

    name: str
    is_global: bool
    keys: KeySchema
    projection: str
    tree: str
    # Names that an entry holds when not everything is projected.
    projected: frozenset[str]

    def project(self, attributes: Attributes) -> Attributes:
        """The part of an item that the index holds."""
        if self.projection == "ALL":
            return attributes
        projected = self.projected
        return {name: value for name, value in attributes.items() if name in projected}


@dataclass(frozen=True)
class Table:
    """A table: its key, indexes, and how items become rows."""

    id: int
    name: str
    definition: Definition = field(repr=False)

    @cached_property
    def keys(self) -> KeySchema:
        """The table's own key."""
        return KeySchema.read(self.definition["KeySchema"])

    @cached_property
    def types(self) -> dict[str, str]:
        """S, N or B for every attribute that is part of a key."""
        return {
            element["AttributeName"]: element["AttributeType"]
            for element in self.definition["AttributeDefinitions"]
        }

    @cached_property
    def tree(self) -> str:
        """Name of the tree that holds the items."""
        return f"items_{self.id}"

    @cached_property
    def find_sql(self) -> str:
        """The statement that reads one item; made once, as it runs most often."""
        return f"SELECT size, item FROM {self.tree} WHERE pk = ? AND sk = ?"

    @cached_property
    def ttl_attribute(self) -> str | None:
        """Attribute that says when an item expires."""
        name: str | None = self.definition.get("TimeToLive")
        return name

    @cached_property
    def indexes(self) -> dict[str, Index]:
        """By name, local ones first, as DynamoDB reports them."""
        found: dict[str, Index] = {}
        for member, is_global in _INDEX_MEMBERS:
            for one in self.definition.get(member, ()):
                keys = KeySchema.read(one["KeySchema"])
                projection = one["Projection"]
                found[one["IndexName"]] = Index(
                    name=one["IndexName"],
                    is_global=is_global,
                    keys=keys,
                    projection=projection["ProjectionType"],
                    tree=f"index_{self.id}_{one['Number']}",
                    projected=frozenset(
                        [*self.keys.names, *keys.names, *projection.get("NonKeyAttributes", ())]
                    ),
                )
        return found

    @cached_property
    def _partition(self) -> tuple[str, str]:
        return self.keys.partition[0], self.types[self.keys.partition[0]]

    @cached_property
    def _sort(self) -> tuple[str, str] | None:
        return (self.keys.sort[0], self.types[self.keys.sort[0]]) if self.keys.sort else None

    @cached_property
    def has_local_indexes(self) -> bool:
        """Whether partitions of this table are item collections with a size limit."""
        return any(not index.is_global for index in self.indexes.values())

    @cached_property
    def index_key_names(self) -> frozenset[str]:
        """Every attribute that is part of some index key."""
        return frozenset(name for index in self.indexes.values() for name in index.keys.names)

    def index(self, name: str) -> Index:
        """The index of that name."""
        try:
            return self.indexes[name]
        except KeyError:
            raise ValidationException(
                f"The table does not have the specified index: {name}"
            ) from None

    # Keys of items ----------------------------------------------------------------

    def item_key(self, item: Attributes) -> tuple[bytes, bytes]:
        """Row key of a whole, checked item."""
        name, tag = self._partition
        partition = _encode(name, tag, _item_member(item, name, tag), PARTITION_KEY_BYTES_MAX)
        sort = b""
        if self._sort is not None:
            name, tag = self._sort
            sort = _encode(name, tag, _item_member(item, name, tag), SORT_KEY_BYTES_MAX)
        return partition_bytes(partition), sort

    def request_key(self, key: Attributes) -> tuple[bytes, bytes]:
        """Row key of a request's checked Key member, which holds the key and nothing else."""
        name, tag = self._partition
        if len(key) != (1 if self._sort is None else 2):
            raise _schema_mismatch()
        partition = _encode(name, tag, _key_member(key, name, tag), PARTITION_KEY_BYTES_MAX)
        sort = b""
        if self._sort is not None:
            name, tag = self._sort
            sort = _encode(name, tag, _key_member(key, name, tag), SORT_KEY_BYTES_MAX)
        return partition_bytes(partition), sort

    def index_key(self, index: Index, item: Attributes) -> tuple[bytes, bytes] | None:
        """Row key in an index, None when the item lacks a part and so is not in it."""
        for name in index.keys.names:
            if name not in item:
                return None
        partition = [self._index_part(item, name) for name in index.keys.partition]
        sort = [self._index_part(item, name) for name in index.keys.sort]
        return partition_bytes(join_parts(partition)), join_parts(sort) if sort else b""

    def _index_part(self, item: Attributes, name: str) -> bytes:
        tag = self.types[name]
        return key_bytes(tag, item[name][tag])

    def check_index_keys(self, item: Attributes) -> None:
        """Refuse an item whose value for an index key has the wrong type or size."""
        for index in self.indexes.values():
            for name in index.keys.names:
                value = item.get(name)
                if value is None:
                    continue
                tag = self.types[name]
                if tag not in value:
                    raise SchemaMismatch(
                        "One or more parameter values were invalid: Type mismatch for Index Key "
                        f"{name} Expected: {tag} Actual: {next(iter(value))} "
                        f"IndexName: {index.name}"
                    )
                _check_index_part(index, name, tag, value[tag])


class Tables:
    """All tables at one moment. A change makes a new one; this one stays as it is."""

    __slots__ = ("by_name", "version")

    def __init__(self, version: int, tables: list[Table]) -> None:
        self.version = version
        self.by_name = {table.name: table for table in tables}

    def table(self, name: str) -> Table:
        """The table of that name, or of that ARN."""
        found = self.by_name.get(name) or self.by_name.get(table_name(name))
        if found is None:
            raise ResourceNotFoundException("Requested resource not found")
        return found

    def described(self, name: str) -> Table:
        """The table, with the text that table operations use when there is none."""
        name = table_name(name)
        if name not in self.by_name:
            raise ResourceNotFoundException(
                f"Requested resource not found: Table: {name} not found"
            )
        return self.by_name[name]


def present(members: dict[str, Any]) -> dict[str, Any]:
    """A request's members without those that are null, which count as absent."""
    return {name: value for name, value in members.items() if value is not None}


def table_name(text: str) -> str:
    """A table's name from its name or ARN."""
    return text.rpartition(":table/")[2] if text.startswith("arn:") else text


_INDEX_MEMBERS = (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True))


def _item_member(item: Attributes, name: str, tag: str) -> str:
    value = item.get(name)
    if value is None:
        raise SchemaMismatch(
            f"One or more parameter values were invalid: Missing the key {name} in the item"
        )
    if tag not in value:
        raise SchemaMismatch(
            "One or more parameter values were invalid: Type mismatch for key "
            f"{name} expected: {tag} actual: {next(iter(value))}"
        )
    content: str = value[tag]
    return content


def _key_member(key: Attributes, name: str, tag: str) -> str:
    value = key.get(name)
    if value is None or tag not in value:
        raise _schema_mismatch()
    content: str = value[tag]
    return content


def _schema_mismatch() -> SchemaMismatch:
    return SchemaMismatch("The provided key element does not match the schema")


def _encode(name: str, tag: str, content: str, bytes_max: int) -> bytes:
    encoded = key_bytes(tag, content)
    check_key(name, tag, encoded, bytes_max)
    return encoded


def check_key(name: str, tag: str, encoded: bytes, bytes_max: int) -> None:
    """Refuse a key attribute without a byte in it, or with too many."""
    if not encoded:
        raise ValidationException(
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            f"cannot contain an empty {_KIND[tag]} value. Key: {name}"
        )
    if len(encoded) > bytes_max:
        raise _too_large(bytes_max)


def _too_large(bytes_max: int) -> ValidationException:
    kind = "hashkey" if bytes_max == PARTITION_KEY_BYTES_MAX else "rangekey"
    return ValidationException(
        f"One or more parameter values were invalid: Size of {kind} has exceeded the "
        f"maximum size limit of{bytes_max} bytes"
    )


def _check_index_part(index: Index, name: str, tag: str, content: str) -> None:
    if not content:
        raise ValidationException(
            "One or more parameter values are not valid. A value specified for a secondary index "
            f"key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            f"{_KIND[tag]} value. IndexName: {index.name}, IndexKey: {name}"
        )
    bytes_max = PARTITION_KEY_BYTES_MAX if name in index.keys.partition else SORT_KEY_BYTES_MAX
    if len(content) > bytes_max // 4 and len(key_bytes(tag, content)) > bytes_max:
        raise _too_large(bytes_max)


_KIND = {"S": "string", "B": "binary", "N": "number"}
