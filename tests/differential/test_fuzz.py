"""No input makes our engine anything but answer: with a result, or with an error it documents.

After an error everything is as it was before.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from botocore.session import Session
from hypothesis import strategies as st

import keypact
from keypact.errors import DynamoDBError
from tests.differential.expressions import EXPRESSIONS, Writing
from tests.differential.mistakes import TOKEN_SOUP
from tests.differential.properties import holds_for
from tests.differential.requests import EVERY, Maker
from tests.differential.tables import TABLE, Index, Pool, Table
from tests.differential.values import Json, pick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypact.backends import Backend

NAME = "fuzzed"

# What any request may be answered with, whatever the operation declares besides.
ALWAYS = {"ValidationException", "SerializationException"}
OPERATIONS = (
    "BatchGetItem",
    "BatchWriteItem",
    "CreateTable",
    "DeleteItem",
    "DeleteTable",
    "DescribeTable",
    "DescribeTimeToLive",
    "GetItem",
    "ListTables",
    "PutItem",
    "Query",
    "Scan",
    "TransactGetItems",
    "TransactWriteItems",
    "UpdateItem",
    "UpdateTimeToLive",
)


@cache
def _service() -> Any:
    return Session().get_service_model("dynamodb")


@cache
def _known_codes(operation: str) -> set[str]:
    """The errors that botocore's model declares for the operation, but for a failed store."""
    if operation not in _service().operation_names:
        return {"UnknownOperationException"}
    declared = {shape.name for shape in _service().operation_model(operation).error_shapes}
    return (declared | ALWAYS) - {"InternalServerError"}


# The engine under fuzz ------------------------------------------------------------------

_TABLE = Table(
    "pk",
    "sk",
    {"pk": "S", "sk": "N", "g": "S", "h": "B", "k": "N"},
    (
        Index("global0", True, ("g",), ("h",), "INCLUDE", ("n",)),
        Index("local0", False, ("pk",), ("k",), "KEYS_ONLY"),
    ),
)
_POOL = Pool(
    _TABLE,
    {
        "pk": [{"S": "a"}, {"S": "b"}],
        "sk": [{"N": "1"}, {"N": "-2.5"}],
        "g": [{"S": "x"}],
        "h": [{"B": "AA=="}],
        "k": [{"N": "7"}],
    },
)
_ITEMS: list[Json] = [
    {
        "pk": {"S": pk},
        "sk": {"N": sk},
        "g": {"S": "x"},
        "h": {"B": "AA=="},
        "n": {"N": "1"},
        "m": {"M": {"x": {"L": [{"N": "1"}, {"SS": ["a"]}]}}},
    }
    for pk in "ab"
    for sk in ("1", "-2.5")
]


class Fuzzed:
    """A backend with one table, made anew when a request has succeeded in changing it."""

    def __init__(self) -> None:
        self._backend: Backend | None = None
        self._before = ""

    def call(self, operation: str, request: Any) -> None:
        """Make the request; fails unless it is answered as promised."""
        if self._backend is None:
            self._backend = _filled()
            self._before = _state(self._backend)
        refused = _refusal(self._backend, operation, request)
        changed = _state(self._backend) != self._before
        if refused is None:
            if changed:
                self.close()
            return
        assert refused.code in _known_codes(operation), f"{refused.code}: {refused.message}"
        assert not changed, f"changed by {refused}"
        json.dumps([refused.message, refused.details])

    def close(self) -> None:
        """Forget the backend."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None


def _refusal(backend: Backend, operation: str, request: Any) -> DynamoDBError | None:
    try:
        backend.call(operation, request)
    except DynamoDBError as error:
        return error
    return None


def _filled() -> Backend:
    backend = keypact.connect("memory:")
    backend.call("CreateTable", _TABLE.creation(NAME))
    for item in _ITEMS:
        backend.call("PutItem", {"TableName": NAME, "Item": item})
    return backend


def _state(backend: Backend) -> str:
    """All that can be seen: every table's description and contents, through every index."""
    state: Json = {}
    for name in backend.call("ListTables", {})["TableNames"]:
        description = backend.call("DescribeTable", {"TableName": name})["Table"]
        state[name] = [
            backend.call("Scan", {"TableName": name})["Items"],
            *(
                backend.call("Scan", {"TableName": name, "IndexName": index["IndexName"]})["Items"]
                for index in description.get("GlobalSecondaryIndexes", ())
            ),
            description,
            backend.call("DescribeTimeToLive", {"TableName": name}),
        ]
    return json.dumps(state, sort_keys=True)


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Fuzzed]:
    opened = Fuzzed()
    yield opened
    opened.close()


# Expressions ------------------------------------------------------------------------------

_CARRIERS: dict[str, tuple[str, Json]] = {
    "ConditionExpression": ("PutItem", {"Item": _ITEMS[0]}),
    "FilterExpression": ("Scan", {}),
    "KeyConditionExpression": ("Query", {}),
    "ProjectionExpression": ("GetItem", {"Key": _TABLE.key_of(_ITEMS[0])}),
    "UpdateExpression": ("UpdateItem", {"Key": _TABLE.key_of(_ITEMS[0])}),
}
_SUBSTITUTIONS: Json = {
    "ExpressionAttributeNames": {"#n": "n", "#x": "x"},
    "ExpressionAttributeValues": {":v0": {"N": "1"}, ":v1": {"S": "a"}},
}
_surrogates = st.characters(categories=["Cs", "Cc", "Ll", "Nd", "Po", "Sm"])
_texts = (
    st.text(max_size=40)
    | st.text(_surrogates, max_size=40)
    | st.binary(max_size=40).map(lambda data: data.decode("latin-1"))
    | st.lists(st.sampled_from(TOKEN_SOUP), max_size=30).map(" ".join)
    | st.lists(st.sampled_from(TOKEN_SOUP), max_size=30).map("".join)
)
# Openings that nest, and what may close them.
_NESTS = ("(", "NOT ", "size(", "n[0]", "m.x", "SET n=", "n = n AND ", "((n) OR ", "-", "#n.", "n,")


@st.composite
def _deep(draw: st.DrawFn) -> str:
    """One thing many times over, up to and beyond the longest expression."""
    count = pick(draw, (10, 50, 101, 500, 4096, 5000))
    return pick(draw, _NESTS) * count + pick(draw, ("", "n", ":v0")) + pick(draw, ("", ")")) * count


@st.composite
def _expressions(draw: st.DrawFn) -> tuple[str, Json]:
    member = pick(draw, EXPRESSIONS)
    operation, request = _CARRIERS[member]
    text = draw(_deep() if pick(draw, range(6)) == 5 else _texts)
    substitutions = _SUBSTITUTIONS if pick(draw, range(2)) else {}
    used = {
        name: {one: value for one, value in members.items() if one in text}
        for name, members in substitutions.items()
    }
    kept = {name: members for name, members in used.items() if members}
    return operation, {"TableName": NAME, **request, member: text, **kept}


@holds_for(_expressions(), short=800, soak=10_000)
def test_any_text_may_come_as_an_expression(example: tuple[str, Json], fuzzed: Fuzzed) -> None:
    """Random text, soups of tokens and endless nesting are refused, or mean something."""
    fuzzed.call(*example)


# Requests ---------------------------------------------------------------------------------

_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**31, 2**63, -(2**63), 2**64, 10**400])
    | st.floats()
    | st.text(max_size=5)
    | st.text(_surrogates, max_size=5)
    | st.sampled_from([NAME, "pk", "S", "a", "ALL", "HASH", "local0", "AA==", "1", "9" * 400, ""])
)
_json = st.recursive(
    _scalars,
    lambda inside: (
        st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=4), inside, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def _of_shape(draw: st.DrawFn, shape: Any, depth: int = 0) -> Any:
    """What botocore's model says of a member, now and then something else."""
    if pick(draw, range(25)) == 24 or depth > 7:
        return draw(_json)
    match shape.type_name:
        case "structure":
            members = {
                name: draw(_of_shape(member, depth + 1))
                for name, member in shape.members.items()
                if pick(draw, range(8)) < (7 if name in shape.required_members else 2)
            }
            # Members that nobody knows are not read, whatever is in them.
            return members | ({"Unknown": draw(_json)} if pick(draw, range(15)) == 14 else {})
        case "map":
            keys = [draw(_of_shape(shape.key, depth + 1)) for _ in range(pick(draw, (1, 2, 0)))]
            return {str(key): draw(_of_shape(shape.value, depth + 1)) for key in keys}
        case "list":
            return [draw(_of_shape(shape.member, depth + 1)) for _ in range(pick(draw, (1, 2, 0)))]
        case "string":
            return _text_of(draw, shape)
        case "boolean":
            return bool(pick(draw, range(2)))
        case "blob":
            return pick(draw, ("AA==", "", "A", "é"))
    return pick(draw, (1, 0, 2, -1, 100, 2**40, 1.5))


_WORDS = (
    *("pk", "sk", "n", "a", "1", ":v", "#n", "global0", "local0", "S"),
    "x" * 3000,
    "\ud800",
    "",
)


def _text_of(draw: st.DrawFn, shape: Any) -> Any:
    if shape.enum:
        return pick(draw, shape.enum)
    if "TableName" in shape.name or "Arn" in shape.name:
        return pick(draw, (NAME, NAME, NAME, "absent", "arn:aws:dynamodb:a:1:table/" + NAME, ""))
    if "Expression" in shape.name:
        return pick(draw, ("n = :v", "pk = :v", "SET n = :v", "n", "#n", "REMOVE n", "", "("))
    words = (
        "pk",
        "sk",
        "n",
        "a",
        "1",
        ":v",
        "#n",
        "global0",
        "local0",
        "S",
        "x" * 3000,
        "\ud800",
        "",
    )
    return pick(draw, words)


@st.composite
def _requests(draw: st.DrawFn) -> tuple[str, Any]:
    operation = pick(draw, OPERATIONS)
    if pick(draw, range(4)) == 3:
        return operation, draw(_json)
    return operation, draw(_of_shape(_service().operation_model(operation).input_shape))


@holds_for(_requests(), short=600, soak=8_000)
def test_any_json_may_come_as_a_request(example: tuple[str, Any], fuzzed: Fuzzed) -> None:
    """Any JSON, and what nearly has the shape of a request, of every operation."""
    fuzzed.call(*example)


# Good requests with one thing wrong ---------------------------------------------------------


@st.composite
def _broken(draw: st.DrawFn) -> tuple[str, Any]:
    """A good request in which one value, anywhere, is another."""
    maker: Maker = pick(draw, EVERY)
    step = maker(Writing(draw, _POOL))
    request = json.loads(json.dumps(step.request).replace(TABLE, NAME))
    place = request
    while True:
        places = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not places:
            break
        at = pick(draw, places)
        if not isinstance(place[at], (dict, list)) or pick(draw, range(5)) == 4:
            place[at] = draw(_json)
            break
        place = place[at]
    return step.operation, request


@holds_for(_broken(), short=600, soak=8_000)
def test_any_value_may_be_wrong_in_a_request(example: tuple[str, Any], fuzzed: Fuzzed) -> None:
    """A good request with one value replaced, at any depth."""
    fuzzed.call(*example)


def test_an_operation_nobody_has_is_unknown(fuzzed: Fuzzed) -> None:
    """UnknownOperationException, and nothing changes."""
    for operation in ("", "putItem", "PutItem ", "DropEverything", "\ud800"):
        fuzzed.call(operation, {})
