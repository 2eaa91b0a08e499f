"""What one process does to a folder, another sees in its next request."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import keypact
from keypact.errors import DynamoDBError

from . import workloads
from .children import OtherProcess

INDEXED: dict[str, Any] = {
    "AttributeDefinitions": [{"AttributeName": "color", "AttributeType": "S"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_color",
            "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


@pytest.fixture
def here(tmp_path) -> Iterator[keypact.Backend]:
    """The folder, opened by this process."""
    with keypact.connect(f"sqlite:{tmp_path}") as backend:
        yield backend


@pytest.fixture(scope="module")
def other_process() -> Iterator[OtherProcess]:
    """Another process, which opens one folder after the other."""
    with OtherProcess() as other:
        yield other


@pytest.fixture
def there(here, other_process, tmp_path) -> Iterator[OtherProcess]:
    """The folder, opened by another process."""
    other_process.open(tmp_path)
    yield other_process
    other_process.release()


def put(backend: workloads.Backend, pk: str, **attributes: str) -> None:
    item = {"pk": {"S": pk}} | {name: {"S": value} for name, value in attributes.items()}
    backend.call("PutItem", {"TableName": "things", "Item": item})


def error_code(backend: workloads.Backend, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(DynamoDBError) as raised:
        backend.call(operation, request)
    return raised.value.code


def colored(backend: workloads.Backend, color: str) -> list[str]:
    """Keys of the index entries of a color."""
    answer = backend.call(
        "Query",
        {
            "TableName": "things",
            "IndexName": "by_color",
            "KeyConditionExpression": "color = :c",
            "ExpressionAttributeValues": {":c": {"S": color}},
        },
    )
    return sorted(item["pk"]["S"] for item in answer["Items"])


# Tables ----------------------------------------------------------------------------------

USES: dict[str, dict[str, Any]] = {
    "DescribeTable": {"TableName": "things"},
    "DescribeTimeToLive": {"TableName": "things"},
    "GetItem": {"TableName": "things", "Key": {"pk": {"S": "a"}}},
    "Scan": {"TableName": "things"},
    "PutItem": {"TableName": "things", "Item": {"pk": {"S": "a"}}},
    "DeleteItem": {"TableName": "things", "Key": {"pk": {"S": "a"}}},
    "BatchGetItem": {"RequestItems": {"things": {"Keys": [{"pk": {"S": "a"}}]}}},
    "TransactWriteItems": {
        "TransactItems": [{"Put": {"TableName": "things", "Item": {"pk": {"S": "a"}}}}]
    },
    "TransactGetItems": {
        "TransactItems": [{"Get": {"TableName": "things", "Key": {"pk": {"S": "a"}}}}]
    },
}


@pytest.mark.parametrize("operation", USES)
def test_a_table_made_there_can_be_used_here_at_once(here, there, operation):
    """Whatever the first request is that this process makes to it."""
    assert error_code(here, operation, USES[operation]) == "ResourceNotFoundException"
    workloads.create_table(there, "things")
    here.call(operation, USES[operation])


@pytest.mark.parametrize("operation", USES)
def test_a_table_deleted_there_is_gone_here_at_once(here, there, operation):
    """Its name is unknown in the very next request."""
    workloads.create_table(here, "things")
    put(here, "a")
    there.call("DeleteTable", {"TableName": "things"})
    assert error_code(here, operation, USES[operation]) == "ResourceNotFoundException"


@pytest.mark.parametrize("operation", USES)
def test_a_table_made_anew_there_is_the_new_one_here(here, there, operation):
    """Nothing of the old one is seen, and writes go to the new one."""
    workloads.create_table(here, "things")
    put(here, "old")
    there.call("DeleteTable", {"TableName": "things"})
    workloads.create_table(there, "things", **INDEXED)
    here.call(operation, USES[operation])
    put(here, "new", color="red")
    assert colored(there, "red") == ["new"]
    items = there.call("Scan", {"TableName": "things"})["Items"]
    assert "old" not in [item["pk"]["S"] for item in items]


@pytest.mark.parametrize("operation", ["GetItem", "PutItem", "Scan"])
def test_all_threads_see_a_table_made_there_at_once(here, there, operation):
    """Each of them, though only one can be the first to notice; and again when it is made anew."""
    together = Barrier(8)

    def use(_number: int) -> None:
        together.wait()
        here.call(operation, USES[operation])

    with ThreadPoolExecutor(8) as pool:
        for _ in range(25):
            workloads.create_table(there, "things")
            list(pool.map(use, range(8)))
            there.call("DeleteTable", {"TableName": "things"})
            workloads.create_table(there, "things")
            list(pool.map(use, range(8)))
            there.call("DeleteTable", {"TableName": "things"})


def test_tables_are_listed_as_they_are(here, there):
    """Each process lists what either has made."""
    workloads.create_table(here, "one")
    workloads.create_table(there, "two")
    assert here.call("ListTables", {}) == {"TableNames": ["one", "two"]}
    there.call("DeleteTable", {"TableName": "one"})
    assert here.call("ListTables", {}) == {"TableNames": ["two"]}


def test_a_table_is_made_once(here, there):
    """The second to ask learns that it is there."""
    workloads.create_table(there, "things")
    with pytest.raises(DynamoDBError, match="ResourceInUseException"):
        workloads.create_table(here, "things")


def test_time_to_live_set_there_counts_here(here, there):
    """A change of the definition is seen, too."""
    workloads.create_table(here, "things")
    specification = {"AttributeName": "until", "Enabled": True}
    there.call(
        "UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": specification}
    )
    described = here.call("DescribeTimeToLive", {"TableName": "things"})
    assert described["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "until",
    }


# Items and indexes -----------------------------------------------------------------------


def test_an_index_shows_here_what_was_written_there(here, there):
    """Entries appear, move and go with the write, wherever it was made."""
    workloads.create_table(here, "things", **INDEXED)
    put(there, "a", color="red")
    assert colored(here, "red") == ["a"]
    put(here, "a", color="blue")
    assert (colored(there, "red"), colored(there, "blue")) == ([], ["a"])
    there.call("DeleteItem", {"TableName": "things", "Key": {"pk": {"S": "a"}}})
    assert colored(here, "blue") == []


def test_alternating_writers_see_each_other(here, there):
    """A read after the other's acknowledged write sees it, every time."""
    workloads.create_table(here, "things")
    for number in range(50):
        writer, reader = (here, there) if number % 2 else (there, here)
        put(writer, "a", value=str(number))
        item = workloads.get(reader, "things", "a")
        assert item == {"pk": {"S": "a"}, "value": {"S": str(number)}}


# Opening together ------------------------------------------------------------------------


def test_many_processes_may_make_one_folder_at_once(tmp_path):
    """Whoever is first makes the file; the others use it, and nobody fails."""
    with ExitStack() as stack:
        others = [stack.enter_context(OtherProcess()) for _ in range(6)]
        for number in range(10):
            folder = tmp_path / str(number)
            for other in others:
                other.start_opening(folder)
            for other in others:
                other.wait_until_open()
            workloads.create_table(others[0], "things")
            for other in others[1:]:
                put(other, "a")
            for other in others:
                assert workloads.get(other, "things", "a") == {"pk": {"S": "a"}}
                other.release()


def test_many_threads_may_make_one_folder_at_once(tmp_path):
    """The same within one process, and opening and closing over and over."""

    def open_and_close(number: int) -> Path:
        folder = tmp_path / str(number // 8)
        with keypact.connect(f"sqlite:{folder}") as backend:
            backend.call("ListTables", {})
        return folder

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(open_and_close, range(64)))) == 8
