"""Tables of every shape, and items that fit them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.differential.values import Json, anything, keys_of_kind, of_kind, pick, sort_value

# Where a request means the table of its scenario.
TABLE = "@table"
KEY_KINDS = ("S", "N", "B")

# Attributes that are no key, each with the type it mostly has. The last two need a
# placeholder in expressions: one is reserved, one has a dot in it.
ATTRIBUTES = {
    "n": "N",
    "n2": "N",
    "s": "S",
    "b": "B",
    "t": "BOOL",
    "z": "NULL",
    "l": "L",
    "m": "M",
    "ss": "SS",
    "ns": "NS",
    "bs": "BS",
    "status": "S",
    "v.w": "N",
}


_INDEX_MEMBERS = (("GlobalSecondaryIndexes", True), ("LocalSecondaryIndexes", False))


@dataclass(frozen=True)
class Index:
    """A secondary index. `sort` is empty when it has none."""

    name: str
    is_global: bool
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    projection: str
    included: tuple[str, ...] = ()

    @property
    def key_names(self) -> tuple[str, ...]:
        """Names of its key, the partition's first."""
        return self.partition + self.sort

    def described(self) -> Json:
        """As CreateTable takes it."""
        projection: Json = {"ProjectionType": self.projection}
        if self.included:
            projection["NonKeyAttributes"] = list(self.included)
        return {
            "IndexName": self.name,
            "KeySchema": _schema(self.partition, self.sort),
            "Projection": projection,
        }


@dataclass(frozen=True)
class Table:
    """A table's keys, the types of all key attributes, and its indexes."""

    partition: str
    sort: str
    types: dict[str, str]
    indexes: tuple[Index, ...] = ()

    @property
    def key_names(self) -> tuple[str, ...]:
        """Names of the table's own key."""
        return (self.partition, self.sort) if self.sort else (self.partition,)

    def key_of(self, item: Json) -> Json:
        """The key of an item."""
        return {name: item[name] for name in self.key_names}

    def creation(self, name: str = TABLE) -> Json:
        """The request that makes it."""
        request: Json = {
            "TableName": name,
            "KeySchema": _schema((self.partition,), (self.sort,) if self.sort else ()),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": kind} for name, kind in self.types.items()
            ],
            "BillingMode": "PAY_PER_REQUEST",
        }
        for member, is_global in _INDEX_MEMBERS:
            described = [one.described() for one in self.indexes if one.is_global is is_global]
            if described:
                request[member] = described
        return request


def _schema(partition: tuple[str, ...], sort: tuple[str, ...]) -> list[Json]:
    return [{"AttributeName": name, "KeyType": "HASH"} for name in partition] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in sort
    ]


_PROJECTIONS: list[tuple[str, tuple[str, ...]]] = [
    ("ALL", ()),
    ("KEYS_ONLY", ()),
    ("INCLUDE", ("n",)),
    ("INCLUDE", ("s", "m")),
]
_Keys = tuple[tuple[str, ...], tuple[str, ...]]
_GLOBAL_KEYS: list[_Keys] = [
    (("g",), ()),
    (("g",), ("h",)),
    (("g",), ("sk",)),
    (("h",), ("pk",)),
    (("pk",), ("h",)),
]
_HASH_ONLY_KEYS: list[_Keys] = [(("g",), ()), (("g",), ("h",)), (("g",), ("pk",)), (("h",), ())]
# Several attributes in one index key: the witnesses have no such indexes.
_SEVERAL_KEYS: list[_Keys] = [
    (("g", "h"), ()),
    (("g",), ("h", "k")),
    (("g", "k"), ("h", "n")),
    (("pk",), ("g", "h", "k")),
]


_index_counts = st.sampled_from([0, 1, 2, 3])


@st.composite
def tables(draw: st.DrawFn, *, indexed: bool = True, several: bool = False) -> Table:
    """A table with up to three indexes of each kind; `several`: with keys of many attributes."""
    sort = pick(draw, ("sk", "sk", "sk", ""))
    indexes: list[Index] = []
    if indexed:
        choices = _GLOBAL_KEYS if sort else _HASH_ONLY_KEYS
        if several:
            choices = choices[:2] + _SEVERAL_KEYS
        for number in range(draw(_index_counts)):
            keys = pick(draw, choices)
            indexes.append(Index(f"global{number}", True, *keys, *pick(draw, _PROJECTIONS)))
        if sort:
            for number in range(draw(_index_counts)):
                name = pick(draw, ("h", "k"))
                indexes.append(
                    Index(f"local{number}", False, ("pk",), (name,), *pick(draw, _PROJECTIONS))
                )
    names = ["pk", *([sort] if sort else [])]
    names += [name for index in indexes for name in index.key_names]
    types = {name: "N" if name == "n" else pick(draw, KEY_KINDS) for name in dict.fromkeys(names)}
    return Table("pk", sort, types, tuple(indexes))


# Items ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """A table with the few key values that its items and requests share."""

    table: Table
    contents: dict[str, list[Json]]

    def key_value(self, draw: st.DrawFn, name: str) -> Json:
        """A value of one key attribute."""
        return pick(draw, self.contents[name])

    def key(self, draw: st.DrawFn) -> Json:
        """The key of an item, there or not."""
        return {name: self.key_value(draw, name) for name in self.table.key_names}

    def item(self, draw: st.DrawFn, kinds: dict[str, str] = ATTRIBUTES) -> Json:
        """An item that the table takes, with attributes mostly of these types."""
        item = {}
        names = list(kinds)
        for _ in range(pick(draw, (0, 1, 5, 8, 11))):
            name = pick(draw, names)
            strange = pick(draw, range(8)) == 7
            item[name] = draw(anything if strange else of_kind(kinds[name]))
        if pick(draw, range(12)) == 11:
            # More than one unit of capacity.
            item["s"] = {"S": "x" * pick(draw, (900, 1100, 4200, 9000))}
        for name in self.contents:
            # Without an index key an item is not in that index.
            if name in self.table.key_names or pick(draw, range(3)):
                item[name] = self.key_value(draw, name)
            else:
                item.pop(name, None)
        return item


@st.composite
def pools(draw: st.DrawFn, table: Table, *, wide: bool = False) -> Pool:
    """Few key values for a table; `wide`: as different as they may be."""
    contents = {}
    for name, kind in table.types.items():
        most = 2 if name in ("pk", "g") else 4
        contents[name] = draw(
            st.lists(keys_of_kind(kind, wide=wide), min_size=1, max_size=most, unique_by=sort_value)
        )
    return Pool(table, contents)
