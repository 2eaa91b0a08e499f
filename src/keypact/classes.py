"""Classes of items: a class declares a model, or is bound to one that a document declares.

    @keypact.model(table="users")
    class User:
        pk: str = keypact.attribute(name="PK", roles=("pk",))
        sk: str = keypact.attribute(name="SK", roles=("sk",))
        nickname: str | None = None
        tags: set[str] = keypact.attribute(default_factory=set, omit_empty=True)

Such a class is a dataclass with slots and keyword-only fields. Dataclasses, msgspec
Structs and pydantic models are taken as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar, dataclass_transform
from weakref import WeakKeyDictionary

import msgspec

from .errors import InvalidDocument, InvalidModel, Problem
from .names import camel_case, python_names
from .records import Field, attribute, fields_of, is_pydantic, make_dataclass
from .schema import check_schema
from .schema.models import NOTHING, Attribute, Index, KeyPart, Model, Schema, freeze
from .values import format_of

__all__ = ["attribute", "bind", "class_for", "index", "item_fields", "model", "model_of"]

C = TypeVar("C", bound=type)

_BOUND: WeakKeyDictionary[type, tuple[Model, tuple[Field, ...]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class IndexDeclaration:
    """An index by the names of fields or attributes; their types are known from there."""

    name: str
    partition: str | None
    sort: str | None
    projection: str
    fields: tuple[str, ...]


def index(
    name: str,
    *,
    partition: str | None = None,
    sort: str | None = None,
    projection: str = "ALL",
    fields: Iterable[str] = (),
) -> IndexDeclaration:
    """A secondary index: a global one, or without ``partition`` a local one.

    With ``fields`` it projects these and the keys.
    """
    named = tuple(fields)
    return IndexDeclaration(name, partition, sort, "INCLUDE" if named else projection, named)


@dataclass_transform(kw_only_default=True, field_specifiers=(attribute,))
def model(
    *,
    table: str,
    name: str | None = None,
    partition: str | None = None,
    sort: str | None = None,
    convention: str | None = None,
    indexes: Sequence[IndexDeclaration | Index] = (),
    namespace: str | None = None,
    frozen: bool = False,
) -> Callable[[C], C]:
    """Declare a model by a class with annotations; InvalidDocument tells every problem.

    The key is what has the roles pk and sk, or what ``partition`` and ``sort`` name. An
    attribute has its field's name, or what that is in ``convention``, or the name that `attribute`
    gives it. An index that only roles name is global and projects everything.
    """
    # Classes inside of functions use names that no module has.
    names = dict(sys._getframe(1).f_locals)  # noqa: SLF001 - as the standard library does

    def declare(kind: C) -> C:
        made: Any = kind
        if not _is_complete(kind):
            made = make_dataclass(kind, frozen=frozen)
        fields = _named(fields_of(made, {**names, kind.__name__: made}), convention)
        declaring = _Declaring(made.__name__, fields)
        declared = Model(
            name=name or made.__name__,
            table=table,
            partition=declaring.key("pk", partition) or KeyPart("", ""),
            sort=declaring.key("sk", sort),
            attributes=declaring.attributes,
            indexes=declaring.indexes(indexes, partition),
            naming=convention,
            namespace=namespace,
        )
        declaring.check(declared)
        _BOUND[made] = declared, fields
        return made  # type: ignore[no-any-return]

    return declare


def bind(model: Model) -> Callable[[C], C]:
    """Use a class for the items of a model that is declared elsewhere, such as in a document.

    A field stands for the attribute that it names: by `attribute`, by an alias, by its own
    name, or by its name in the attribute's convention (``created_at`` for ``createdAt``).
    """

    def tie(kind: C) -> C:
        _BOUND[kind] = model, _match(kind, model)
        return kind

    return tie


def model_of(kind: type) -> Model:
    """The model that a class declares or is bound to."""
    if kind in _BOUND:
        return _BOUND[kind][0]
    raise InvalidModel(
        f"{getattr(kind, '__name__', kind)!s} is the class of no model; "
        "declare one with keypact.model, or bind it with keypact.bind"
    )


def is_bound(kind: type) -> bool:
    """Whether the class has a model."""
    return kind in _BOUND


def item_fields(kind: type, model: Model) -> tuple[Field, ...]:
    """The class's fields in the order of the model's attributes, each with its attribute."""
    bound = _BOUND.get(kind)
    if bound is not None and bound[0] == model:
        return bound[1]
    return _match(kind, model)


@lru_cache(maxsize=256)
def class_for(model: Model) -> type:
    """A dataclass for the items of a model, as `keypact.generate_module` would write it."""
    from .generation import class_source

    name, source = class_source(model)
    here = sys.modules[__name__]
    namespace: dict[str, Any] = {"__name__": __name__, "keypact": here, "index": index}
    # Not with our own future imports: annotations are types there, not their text.
    code = compile(source, f"<class of model {model.name}>", "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102 - our own lines
    kind: type = namespace[name]
    return bind(model)(kind)


def _is_complete(kind: type) -> bool:
    return (
        "__dataclass_fields__" in vars(kind)
        or issubclass(kind, msgspec.Struct)
        or is_pydantic(kind)
    )


# A model from fields -----------------------------------------------------------------------


def _named(fields: tuple[Field, ...], convention: str | None) -> tuple[Field, ...]:
    """The fields with attribute names in the convention, where they have none of their own."""
    if convention != "camelCase":
        return fields
    return tuple(
        replace(field, stored=camel_case(field.name)) if field.stored == field.name else field
        for field in fields
    )


class _Declaring:
    """A class on its way to a model, and the problems met on it."""

    def __init__(self, name: str, fields: tuple[Field, ...]) -> None:
        self.name = name
        self.fields = fields
        self.problems: list[Problem] = []
        self.attributes = tuple(self._attribute(field) for field in fields)

    def key(self, role: str, name: str | None) -> KeyPart | None:
        """The key's part with this role, or that has this name."""
        if name is not None:
            return self._part("the key", name)
        found = self._with_role(role)
        if found is None and role == "pk":
            self._refuse("", "no field is the partition key", 'one needs roles=("pk",)')
        return found

    def check(self, made: Model) -> None:
        """Our problems and the document's, all at once."""
        try:
            check_schema(Schema("0.1", (made,), made.namespace))
        except InvalidDocument as error:
            holes = () if made.partition.attribute else ("models[0].keys.partition",)
            self.problems += [
                replace(problem, path=self._told(problem.path))
                for problem in error.problems
                if not problem.path.startswith(holes)
            ]
        if self.problems:
            raise InvalidDocument(self.problems)

    def _told(self, path: str) -> str:
        """The field that a path in the document stands for."""
        for number, field in enumerate(self.fields):
            start = f"models[0].attributes[{number}]"
            if path == start or path.startswith(f"{start}."):
                return f"{self.name}.{field.name}{path.removeprefix(start).replace('.', ': ', 1)}"
        return path.replace("models[0]", self.name, 1)

    def _attribute(self, field: Field) -> Attribute:
        shape = field.shape
        made = attribute_of(field)
        if not made.type:
            self._refuse(field.name, f"{shape.name} can be of several types", "say type= or json=")
        elif not made.json and not fits(field, made.type):
            told = f"{shape.name} is not stored as {made.type}"
            self._refuse(field.name, told, "change one of them")
        return made

    def _with_role(self, role: str) -> KeyPart | None:
        for one in self.attributes:
            if role in one.roles:
                return KeyPart(one.name, one.type)
        return None

    def indexes(
        self, declared: Sequence[IndexDeclaration | Index], partition: str | None
    ) -> tuple[Index, ...]:
        """The indexes declared, and those that only roles name."""
        made: dict[str, Index] = {}
        for one in declared:
            made[one.name] = one if isinstance(one, Index) else self._index(one, partition)
        for role in (role for one in self.attributes for role in one.roles):
            kind, _, name = role.partition(":")
            if kind == "index_pk" and name not in made:
                key = self._with_role(role)
                assert key is not None
                made[name] = Index(name, "GSI", key, self._with_role(f"index_sk:{name}"))
        return tuple(made.values())

    def _index(self, declared: IndexDeclaration, table_partition: str | None) -> Index:
        told = f"index {declared.name!r}"
        name = declared.partition or table_partition
        key = self._with_role("pk") if name is None else self._part(told, name)
        return Index(
            name=declared.name,
            type="LSI" if declared.partition is None else "GSI",
            partition=key or KeyPart("", "S"),
            sort=None if declared.sort is None else self._part(told, declared.sort),
            projection=declared.projection,
            fields=tuple(self._attribute_name(name) for name in declared.fields),
        )

    def _part(self, what: str, name: str) -> KeyPart:
        stored = self._attribute_name(name)
        for one in self.attributes:
            if one.name == stored:
                return KeyPart(stored, one.type)
        self._refuse("", f"{what} names {name!r}, which is no field", "")
        return KeyPart(stored, "S")

    def _attribute_name(self, name: str) -> str:
        for field in self.fields:
            if field.name == name:
                return field.stored
        return name

    def _refuse(self, field: str, message: str, hint: str) -> None:
        path = f"{self.name}.{field}" if field else self.name
        self.problems.append(Problem(path, message, hint))


# What the library itself puts into every item.
OWNED_ROLES = frozenset({"created_at", "updated_at", "version"})


def attribute_of(field: Field) -> Attribute:
    """The attribute that a field declares; its type is "" where that is left open."""
    declared, shape = field.declared, field.shape
    roles = tuple(declared.get("roles", ()))
    type_ = declared.get("type") or _implied_type(field, roles)
    is_key = "pk" in roles or "sk" in roles
    required, optional = declared.get("required"), declared.get("optional")
    if optional is None:
        is_ours = is_key or required or not OWNED_ROLES.isdisjoint(roles)
        optional = shape.optional and not is_ours
    if required is None:
        required = is_key or not (optional or field.has_default)
    encryption = declared.get("encryption", {} if declared.get("encrypted") else None)
    made = Attribute(
        name=field.stored,
        type=type_,
        required=required,
        optional=optional,
        omit_empty=declared.get("omit_empty", False),
        roles=roles,
        format=declared.get("format"),
        json=declared.get("json", False),
        binary=declared.get("binary", type_ == "B"),
        encryption=None if encryption is None else freeze(encryption),
        tags=freeze(declared.get("tags", NOTHING)),
    )
    if "format" in declared or made.json:
        return made
    form = format_of(made)
    if form is None and shape.is_time:
        form = "unix_seconds" if type_ == "N" else "rfc3339nano"
    return replace(made, format=form)


def _implied_type(field: Field, roles: tuple[str, ...]) -> str:
    if field.declared.get("json"):
        return "S"
    if field.shape.is_time and ("ttl" in roles or field.declared.get("format") == "unix_seconds"):
        return "N"
    return field.shape.type or ""


def fits(field: Field, type_: str) -> bool:
    """Whether a field's annotation can hold what an attribute of this type stores."""
    shape = field.shape
    return shape.type in (None, type_) or (shape.is_time and type_ == "N")


# Fields for a model ------------------------------------------------------------------------


def _match(kind: type, model: Model) -> tuple[Field, ...]:
    fields = {field.name: field for field in fields_of(kind)}
    matched: list[Field] = []
    problems: list[Problem] = []
    for name, python_name in python_names(model).items():
        field = _field_for(fields, name, python_name)
        one = model.by_name[name]
        if field is None:
            path, hint = f"{kind.__name__}.{python_name}", "add it, or leave the attribute out"
            problems.append(Problem(path, f"no field stands for attribute {name!r}", hint))
            continue
        del fields[field.name]
        matched.append(replace(field, stored=name))
        if not one.json and not fits(field, one.type):
            path, hint = f"{kind.__name__}.{field.name}", "change one of them"
            told = f"attribute {name!r} is {one.type}, which {field.shape.name} cannot hold"
            problems.append(Problem(path, told, hint))
    for field in fields.values():
        if not field.has_default:
            path = f"{kind.__name__}.{field.name}"
            problems.append(Problem(path, "no attribute of the model has this name"))
    if problems:
        raise InvalidDocument(problems)
    return tuple(matched)


def _field_for(fields: Mapping[str, Field], name: str, python_name: str) -> Field | None:
    for field in fields.values():
        if field.stored == name:
            return field
    return fields.get(name) or fields.get(python_name)
