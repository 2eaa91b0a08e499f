"""Updates: the item afterwards, what is returned of it, and what cannot be done."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from keypact.engine.errors import ValidationException
from keypact.engine.expressions import Environment, Update

LETTERS = [{"S": letter} for letter in "abcd"]
ITEM: dict[str, Any] = {
    "s": {"S": "x"},
    "n": {"N": "5"},
    "l": {"L": LETTERS},
    "m": {
        "M": {"k": {"S": "v"}, "l": {"L": [{"N": "1"}, {"N": "2"}]}, "d": {"M": {"e": {"N": "1"}}}}
    },
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["AQ==", "Ag=="]},
}
ONE = {"N": "1"}
TWO = {"N": "2"}
GONE = object()


def bind(text: str, **values: Any) -> Update:
    env = Environment(None, {f":{name}": value for name, value in values.items()} or None)
    update = env.update(text)
    env.finish()
    return update


def apply(text: str, item: dict[str, Any] = ITEM, **values: Any) -> dict[str, Any]:
    before = deepcopy(item)
    after = bind(text, **values).apply(item)
    assert item == before, "the item given stays as it is"
    return after


def changes(after: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    names = after.keys() | before.keys()
    return {n: after.get(n, GONE) for n in names if after.get(n) != before.get(n)}


def letters(text: str) -> dict[str, Any]:
    """A list of letters and numbers."""
    return {"L": [{"N": each} if each.isdigit() else {"S": each} for each in text]}


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("SET q = :v", {"v": ONE}, {"q": ONE}),
        ("SET n = n + :v", {"v": ONE}, {"n": {"N": "6"}}),
        ("SET n = n - :v", {"v": {"N": "0.5"}}, {"n": {"N": "4.5"}}),
        ("SET n = :v - n", {"v": ONE}, {"n": {"N": "-4"}}),
        ("SET n = n + n", {}, {"n": {"N": "10"}}),
        ("SET n = n - n", {}, {"n": {"N": "0"}}),
        ("SET q = s", {}, {"q": {"S": "x"}}),
        ("SET q = m.k, r = l[1]", {}, {"q": {"S": "v"}, "r": {"S": "b"}}),
        # All right sides see the item as it was.
        ("SET n = s, s = n", {}, {"n": {"S": "x"}, "s": {"N": "5"}}),
        ("SET q = n REMOVE n", {}, {"q": {"N": "5"}, "n": GONE}),
        ("REMOVE l[0] SET q = l[0]", {}, {"q": {"S": "a"}, "l": letters("bcd")}),
        ("SET l[0] = l[1], l[1] = l[0]", {}, {"l": letters("bacd")}),
        ("SET n = if_not_exists(n, :v)", {"v": ONE}, {}),
        ("SET q = if_not_exists(q, :v) + :v", {"v": ONE}, {"q": TWO}),
        ("SET q = if_not_exists(q, n)", {}, {"q": {"N": "5"}}),
        ("SET q = if_not_exists(q.z, :v)", {"v": ONE}, {"q": ONE}),
        ("SET n = if_not_exists(n, q)", {}, {}),
        ("SET q = if_not_exists(q, if_not_exists(m.z, :v))", {"v": ONE}, {"q": ONE}),
        ("SET l = list_append(l, :v)", {"v": {"L": [ONE]}}, {"l": letters("abcd1")}),
        ("SET l = list_append(:v, l)", {"v": {"L": [ONE]}}, {"l": letters("1abcd")}),
        (
            "SET q = list_append(if_not_exists(q, :e), :v)",
            {"e": {"L": []}, "v": {"L": [ONE]}},
            {"q": letters("1")},
        ),
        (
            "SET q = list_append(list_append(l, l), :v)",
            {"v": {"L": []}},
            {"q": letters("abcdabcd")},
        ),
    ],
)
def test_set(text: str, values: dict[str, Any], expected: dict[str, Any]) -> None:
    assert changes(apply(text, **values), ITEM) == expected


def _m(**members: Any) -> dict[str, Any]:
    return {"M": {name: value for name, value in {**ITEM["m"]["M"], **members}.items() if value}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET m.z = :v", {"m": _m(z=ONE)}),
        ("SET m.k = :v, m.d.e = :w", {"m": _m(k=ONE, d={"M": {"e": TWO}})}),
        ("SET m.l[1] = :v", {"m": _m(l={"L": [ONE, ONE]})}),
        ("REMOVE m.k", {"m": _m(k=None)}),
        ("REMOVE m.d.e", {"m": _m(d={"M": {}})}),
        ("REMOVE m.z, z, l[9]", {}),
        ("ADD m.z :v", {"m": _m(z=ONE)}),
        ("ADD m.d.e :v", {"m": _m(d={"M": {"e": TWO}})}),
        ("ADD m.l[0] :v", {"m": _m(l={"L": [TWO, TWO]})}),
        # List indexes are those of the list as it was; additions come in order of index.
        ("SET l[1] = :v", {"l": letters("a1cd")}),
        ("SET l[9] = :v, l[5] = :w", {"l": letters("abcd21")}),
        ("SET l[4] = :v", {"l": letters("abcd1")}),
        ("ADD l[9] :v", {"l": letters("abcd1")}),
        ("REMOVE l[1], l[2]", {"l": letters("ad")}),
        ("REMOVE l[2], l[1]", {"l": letters("ad")}),
        ("REMOVE l[0], l[1], l[2], l[3]", {"l": letters("")}),
        ("REMOVE l[1] SET l[2] = :v", {"l": letters("a1d")}),
        ("SET l[9] = :v REMOVE l[0]", {"l": letters("bcd1")}),
    ],
)
def test_nested_paths(text: str, expected: dict[str, Any]) -> None:
    values = {name: value for name, value in {"v": ONE, "w": TWO}.items() if f":{name}" in text}
    assert changes(apply(text, **values), ITEM) == expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("ADD n :v", ONE, {"n": {"N": "6"}}),
        ("ADD n :v", {"N": "-5"}, {"n": {"N": "0"}}),
        ("ADD n :v", {"N": "1e-30"}, {"n": {"N": "5." + "0" * 29 + "1"}}),
        ("ADD q :v", ONE, {"q": ONE}),
        ("ADD q :v", {"SS": ["c"]}, {"q": {"SS": ["c"]}}),
        ("ADD ss :v", {"SS": ["c", "a"]}, {"ss": {"SS": ["a", "b", "c"]}}),
        ("ADD ns :v", {"NS": ["1.0", "3"]}, {"ns": {"NS": ["1", "2", "3"]}}),
        ("ADD bs :v", {"BS": ["Ag==", "Aw=="]}, {"bs": {"BS": ["AQ==", "Ag==", "Aw=="]}}),
        ("DELETE ss :v", {"SS": ["a", "z"]}, {"ss": {"SS": ["b"]}}),
        ("DELETE ss :v", {"SS": ["z"]}, {}),
        ("DELETE ss :v", {"SS": ["a", "b"]}, {"ss": GONE}),
        ("DELETE ns :v", {"NS": ["1.0"]}, {"ns": {"NS": ["2"]}}),
        ("DELETE bs :v", {"BS": ["AQ=="]}, {"bs": {"BS": ["Ag=="]}}),
        ("DELETE q :v", {"SS": ["a"]}, {}),
        ("DELETE m.q :v", {"SS": ["a"]}, {}),
        ("DELETE l[9] :v", {"SS": ["a"]}, {}),
    ],
)
def test_add_and_delete(text: str, value: dict[str, Any], expected: dict[str, Any]) -> None:
    """No set is ever empty: with its last member the attribute goes."""
    assert changes(apply(text, v=value), ITEM) == expected


BAD_PATH = "The document path provided in the update expression is invalid for update"
BAD_TYPE = "An operand in the update expression has an incorrect data type"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
DIGITS = "Attempting to store more than 38 significant digits in a Number"


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        *(
            (text.format(path), {"v": {"SS": ["a"]}} if ":v" in text else {}, BAD_PATH)
            for text in ("SET {} = :v", "REMOVE {}", "ADD {} :v", "DELETE {} :v")
            for path in ("q.z", "q[0]", "s.z", "s[0]", "m[0]", "l.z", "m.q.z", "l[9].z", "l[0].z")
        ),
        ("SET q = z", {}, MISSING),
        ("SET q = m.z", {}, MISSING),
        ("SET q = l[9]", {}, MISSING),
        ("SET q = z + :v", {"v": ONE}, MISSING),
        ("SET q = if_not_exists(z, y)", {}, MISSING),
        ("SET q = list_append(z, :v)", {"v": {"L": []}}, MISSING),
        ("SET q = s + :v", {"v": ONE}, BAD_TYPE),
        ("SET q = if_not_exists(s, :v) + :v", {"v": ONE}, BAD_TYPE),
        ("SET q = :v + if_not_exists(q, :w)", {"v": ONE, "w": {"S": "x"}}, BAD_TYPE),
        ("SET q = list_append(s, l)", {}, BAD_TYPE),
        ("SET q = list_append(l, n)", {}, BAD_TYPE),
        ("ADD s :v", {"v": ONE}, BAD_TYPE),
        ("ADD ss :v", {"v": ONE}, BAD_TYPE),
        ("ADD ss :v", {"v": {"NS": ["1"]}}, BAD_TYPE),
        ("ADD l[0] :v", {"v": ONE}, BAD_TYPE),
        ("DELETE ss :v", {"v": {"NS": ["1"]}}, BAD_TYPE),
        ("DELETE n :v", {"v": {"NS": ["1"]}}, BAD_TYPE),
        ("SET q = :v + :w", {"v": {"N": "9" * 38}, "w": TWO}, DIGITS),
        ("ADD n :v", {"v": {"N": "1E+40"}}, DIGITS),
        ("SET q = n - :v", {"v": {"N": "1E-38"}}, DIGITS),
    ],
)
def test_what_an_item_does_not_allow(text: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        apply(text, **values)
    assert caught.value.message == message


def test_sums_are_exact_to_38_digits() -> None:
    after = apply("SET q = :v + :w", v={"N": "9" * 37 + "8"}, w=ONE)
    assert after["q"] == {"N": "9" * 38}
    after = apply("SET q = :v + :w", v={"N": "9" * 38}, w=ONE)
    assert after["q"] == {"N": "1" + "0" * 38}


OPERAND = "Incorrect operand type for operator or function; "


@pytest.mark.parametrize(
    ("text", "values", "problem"),
    [
        ("SET n = n + :v", {"v": {"S": "x"}}, "operator or function: +, operand type: S"),
        ("SET n = :v - n", {"v": {"L": []}}, "operator or function: -, operand type: L"),
        ("SET n = list_append(l, l) + n", {}, "operator or function: +, operand type: L"),
        (
            "SET l = list_append(l, :v)",
            {"v": ONE},
            "operator or function: list_append, operand type: N",
        ),
        *(
            (
                "ADD q :v",
                {"v": value},
                f"operator: ADD, operand type: {name}, typeSet: ALLOWED_FOR_ADD_OPERAND",
            )
            for name, value in {
                "STRING": {"S": "x"},
                "BINARY": {"B": "AQ=="},
                "BOOLEAN": {"BOOL": True},
                "NULL": {"NULL": True},
                "LIST": {"L": []},
                "MAP": {"M": {}},
            }.items()
        ),
        (
            "DELETE q :v",
            {"v": ONE},
            "operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
        ),
    ],
)
def test_values_of_the_wrong_type_are_refused_without_an_item(
    text: str, values: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ValidationException) as caught:
        bind(text, **values)
    assert caught.value.message == f"Invalid UpdateExpression: {OPERAND}{problem}"


@pytest.mark.parametrize(
    ("text", "verb", "one", "two"),
    [
        ("SET n = :v, n = :v", "overlap", "[n]", "[n]"),
        ("SET n = :v REMOVE n", "overlap", "[n]", "[n]"),
        ("SET m = :v, m.a = :v", "overlap", "[m]", "[m, a]"),
        ("SET l[0] = :v REMOVE l", "overlap", "[l, [0]]", "[l]"),
        ("REMOVE l[0], l[0]", "overlap", "[l, [0]]", "[l, [0]]"),
        ("SET a = :v, l[0] = :v REMOVE l[0].a", "overlap", "[l, [0]]", "[l, [0], a]"),
        ("SET l[0] = :v, l.a = :v", "conflict", "[l, [0]]", "[l, a]"),
        ("SET m.a.b = :v, m[0] = :v", "conflict", "[m, a, b]", "[m, [0]]"),
    ],
)
def test_paths_that_get_in_each_others_way(text: str, verb: str, one: str, two: str) -> None:
    with pytest.raises(ValidationException) as caught:
        bind(text, **({"v": ONE} if ":v" in text else {}))
    assert caught.value.message == (
        f"Invalid UpdateExpression: Two document paths {verb} with each other; must remove or "
        f"rewrite one of these paths; path one: {one}, path two: {two}"
    )


def test_a_path_may_be_read_and_written() -> None:
    """Only paths that are written get in each other's way."""
    bind("SET m.a = m.b, c = m, d = m.a")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("SET s = :v", {"s": {"S": "x"}}, {"s": ONE}),
        ("SET q = :v", {}, {"q": ONE}),
        ("REMOVE s", {"s": {"S": "x"}}, {}),
        ("SET m.k = :v", {"m": {"M": {"k": {"S": "v"}}}}, {"m": {"M": {"k": ONE}}}),
        ("SET m.z = :v", {}, {"m": {"M": {"z": ONE}}}),
        ("REMOVE m.d.e", {"m": {"M": {"d": {"M": {"e": ONE}}}}}, {}),
        ("SET l[3] = :v, l[1] = :w", {"l": letters("bd")}, {"l": letters("21")}),
        ("SET m.l[1] = :v", {"m": {"M": {"l": {"L": [TWO]}}}}, {"m": {"M": {"l": {"L": [ONE]}}}}),
        ("REMOVE l[1]", {"l": letters("b")}, {"l": letters("c")}),
        ("ADD n :v", {"n": {"N": "5"}}, {"n": {"N": "6"}}),
    ],
)
def test_what_is_returned_of_an_update(text: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Only what the paths lead to, before and after; elements of a list close up."""
    values = {name: value for name, value in {"v": ONE, "w": TWO}.items() if f":{name}" in text}
    update = bind(text, **values)
    assert update.pick(ITEM) == old
    assert update.pick(update.apply(ITEM)) == new


def test_an_update_knows_where_it_writes() -> None:
    env = Environment({"#k": "key.with.dots"}, {":v": ONE})
    update = env.update("SET a.b[0] = c REMOVE #k ADD d :v")
    assert update.paths == (("a", "b", 0), ("key.with.dots",), ("d",))
    assert update.attribute_names() == {"a", "key.with.dots", "d"}


def test_what_does_not_change_is_shared() -> None:
    after = apply("SET m.k = :v", v=ONE)
    assert after["l"] is ITEM["l"]
    assert after["m"]["M"]["d"] is ITEM["m"]["M"]["d"]
