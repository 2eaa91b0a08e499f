"""Writes that wait together are committed together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event, get_ident
from typing import Any

import pytest

from keypact.engine.errors import ConditionalCheckFailedException, ServiceError
from keypact.engine.writer import COMMIT_WRITES_MAX, LoopWriter, ThreadWriter


class Store:
    """Takes batches of text; a commit lasts until it is allowed to end."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.threads: set[int] = set()
        self.begun = Event()
        self.may_end = Event()
        self.may_end.set()

    def run_writes(self, batch: list[str]) -> list[bytes | ServiceError]:
        self.threads.add(get_ident())
        self.batches.append(batch)
        self.begun.set()
        assert self.may_end.wait(30)
        return [
            ConditionalCheckFailedException(text) if text == "refused" else text.encode()
            for text in batch
        ]


def write(text: str) -> Any:
    """A prepared write, as far as the store above cares."""
    return text


def run(test: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(test(), 30))


@pytest.fixture
def store() -> Store:
    return Store()


def test_what_queues_during_a_commit_shares_the_next(store):
    """Ten writes behind a slow one are one commit, and each gets its own outcome."""

    async def test() -> None:
        loop = asyncio.get_running_loop()
        writer = ThreadWriter(store, loop)
        done = [loop.create_future() for _ in range(11)]
        store.may_end.clear()
        writer.submit(write("first"), done[0].set_result)
        await asyncio.to_thread(store.begun.wait)
        for number in range(1, 11):
            writer.submit(write(str(number)), done[number].set_result)
        store.may_end.set()
        outcomes = await asyncio.gather(*done)
        writer.close()
        assert outcomes == [b"first", *(str(number).encode() for number in range(1, 11))]
        assert store.batches == [["first"], [str(number) for number in range(1, 11)]]
        assert get_ident() not in store.threads, "the loop does not wait for the disk"

    run(test)


@pytest.mark.parametrize("kind", [ThreadWriter, LoopWriter])
def test_a_refused_write_does_not_touch_its_neighbours(store, kind):
    """In one commit, one gets its error and the others their answers."""

    async def test() -> None:
        loop = asyncio.get_running_loop()
        writer = kind(store, loop)
        done = [loop.create_future() for _ in range(3)]
        for text, future in zip(("a", "refused", "b"), done, strict=True):
            writer.submit(write(text), future.set_result)
        first, refused, last = await asyncio.gather(*done)
        writer.close()
        assert (first, last) == (b"a", b"b")
        assert isinstance(refused, ConditionalCheckFailedException)

    run(test)


def test_one_turn_of_the_loop_is_one_commit(store):
    """In memory, what arrives together is committed together, on the loop's own thread."""

    async def test() -> None:
        loop = asyncio.get_running_loop()
        writer = LoopWriter(store, loop)
        done = [loop.create_future() for _ in range(3)]
        for number, future in enumerate(done):
            writer.submit(write(str(number)), future.set_result)
        await asyncio.gather(*done)
        assert store.batches == [["0", "1", "2"]]
        assert store.threads == {get_ident()}

    run(test)


def test_a_commit_has_a_largest_size(store):
    """The first of many does not wait for all of them."""

    async def test() -> None:
        loop = asyncio.get_running_loop()
        writer = ThreadWriter(store, loop)
        store.may_end.clear()
        done = [loop.create_future() for _ in range(COMMIT_WRITES_MAX + 2)]
        writer.submit(write("first"), done[0].set_result)
        await asyncio.to_thread(store.begun.wait)
        for future in done[1:]:
            writer.submit(write("later"), future.set_result)
        store.may_end.set()
        await asyncio.gather(*done)
        writer.close()
        assert [len(batch) for batch in store.batches] == [1, COMMIT_WRITES_MAX, 1]

    run(test)


@pytest.mark.parametrize("kind", [ThreadWriter, LoopWriter])
def test_closing_finishes_what_is_queued(store, kind):
    """Every write that was taken is run."""

    async def test() -> None:
        writer = kind(store, asyncio.get_running_loop())
        outcomes: list[Any] = []
        for number in range(5):
            writer.submit(write(str(number)), outcomes.append)
        writer.close()
        await asyncio.sleep(0)
        assert [text for batch in store.batches for text in batch] == ["0", "1", "2", "3", "4"]
        assert outcomes == [b"0", b"1", b"2", b"3", b"4"]

    run(test)
