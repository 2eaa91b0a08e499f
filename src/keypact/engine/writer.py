"""Where the server's writes wait for their commit; all that wait share the next one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from .errors import InternalServerError, ServiceError

if TYPE_CHECKING:
    from .engine import Engine, Prepared

log = logging.getLogger(__name__)

Outcome: TypeAlias = "bytes | ServiceError"
Deliver: TypeAlias = "Callable[[Outcome], None]"
Waiting: TypeAlias = "tuple[Prepared, Deliver]"

# Bounds how long the first write of a commit waits for the last.
COMMIT_WRITES_MAX = 256


def run(engine: Engine, batch: list[Waiting]) -> list[Outcome]:
    """Run a batch in one commit; a failure of ours is an answer too."""
    try:
        return engine.run_writes([prepared for prepared, _ in batch])
    except Exception:
        log.exception("a commit of %d writes failed", len(batch))
        return [InternalServerError("The request processing has failed") for _ in batch]


class ThreadWriter:
    """Commits on a thread of its own: a slow disk holds up writes, not reads."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="keypact-writer", daemon=True)
        self._thread.start()

    def submit(self, prepared: Prepared, deliver: Deliver) -> None:
        """Queue a write; its outcome is delivered on the event loop."""
        self._queue.put((prepared, deliver))

    def end(self) -> None:
        """Let the thread end once it has finished what is queued."""
        self._queue.put(None)

    def close(self) -> None:
        """Finish what is queued, then end the thread."""
        self.end()
        self._thread.join()

    def _work(self) -> None:
        queue = self._queue
        open_ = True
        while open_:
            batch: list[Waiting] = []
            waiting = queue.get()
            while waiting is not None:
                batch.append(waiting)
                if len(batch) == COMMIT_WRITES_MAX:
                    break
                try:
                    waiting = queue.get_nowait()
                except Empty:
                    break
            else:
                open_ = False
            if batch:
                # One wake-up of the loop for all.
                self._loop.call_soon_threadsafe(deliver, batch, run(self._engine, batch))


class LoopWriter:
    """Commits on the event loop, once for all writes that one poll of the sockets brought.

    For a store without a disk: there is nothing to wait for, and handing over to
    another thread costs more than the commit.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._batch: list[Waiting] = []

    def submit(self, prepared: Prepared, deliver: Deliver) -> None:
        """Queue a write; its outcome is delivered on the event loop."""
        if not self._batch:
            self._loop.call_soon(self._commit)
        self._batch.append((prepared, deliver))

    def close(self) -> None:
        """Finish what is queued."""
        self._commit()

    def _commit(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            deliver(batch, run(self._engine, batch))


def deliver(batch: list[Waiting], outcomes: list[Outcome]) -> None:
    """Give everyone in the batch its outcome."""
    for (_, receive), outcome in zip(batch, outcomes, strict=True):
        receive(outcome)
