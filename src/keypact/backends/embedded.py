"""The embedded engine as a backend."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from ..engine import Engine, FolderError, ServiceError
from ..engine.engine import Prepared
from ..engine.writer import Outcome, ThreadWriter
from ..errors import DynamoDBError, FolderUnusable


class EmbeddedBackend:
    """Requests answered in this process, from a folder or from memory."""

    def __init__(self, folder: Path | None, *, fsync: bool = True) -> None:
        try:
            self.engine = Engine(folder, fsync=fsync)
        except FolderError as error:
            raise FolderUnusable(str(error)) from error
        # In memory a commit waits for nothing, so it needs no thread.
        self._commits_at_once = folder is None
        # One a loop: outcomes are delivered on the loop that waits for them.
        self._writers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadWriter] = (
            weakref.WeakKeyDictionary()
        )

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer as DynamoDB JSON; an error answer raises DynamoDBError."""
        try:
            return self.engine.execute(operation, request)
        except ServiceError as error:
            raise _as_library_error(error) from None

    def answer(self, operation: str, request: dict[str, Any]) -> bytes:
        """The answer as bytes of JSON."""
        try:
            return self.engine.execute_bytes(operation, request)
        except ServiceError as error:
            raise _as_library_error(error) from None

    async def acall(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """As ``call``, awaited."""
        answer = await self.aanswer(operation, request)
        try:
            return self.engine.read_answer(answer)
        except ServiceError as error:
            raise _as_library_error(error) from None

    async def aanswer(self, operation: str, request: dict[str, Any]) -> bytes:
        """As ``answer``. Writes of concurrent tasks share a commit; short reads run here."""
        try:
            prepared = self.engine.prepare(operation, request)
            if not prepared.writes:
                return self.engine.run_read(prepared)
        except ServiceError as error:
            raise _as_library_error(error) from None
        if self._commits_at_once:
            outcome = self.engine.run_writes([prepared])[0]
        else:
            outcome = await self._write(prepared)
        if isinstance(outcome, ServiceError):
            raise _as_library_error(outcome)
        return outcome

    def _write(self, prepared: Prepared) -> asyncio.Future[Outcome]:
        loop = asyncio.get_running_loop()
        writer = self._writers.get(loop)
        if writer is None:
            writer = self._writers[loop] = ThreadWriter(self.engine, loop)
            # A loop that ends takes its thread along.
            weakref.finalize(loop, writer.end)
        future: asyncio.Future[Outcome] = loop.create_future()
        writer.submit(prepared, _deliver_to(future))
        return future

    def close(self) -> None:
        """Close the engine; what was acknowledged is in the folder."""
        for writer in list(self._writers.values()):
            writer.close()
        self.engine.close()

    async def aclose(self) -> None:
        """As ``close``."""
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()


def _deliver_to(future: asyncio.Future[Outcome]) -> Callable[[Outcome], None]:
    def deliver(outcome: Outcome) -> None:
        # Cancelled meanwhile: the write happened all the same.
        if not future.done():
            future.set_result(outcome)

    return deliver


def _as_library_error(error: ServiceError) -> DynamoDBError:
    return DynamoDBError(error.code, error.message, error.payload)
