"""DynamoDB's JSON protocol over HTTP, around an engine."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import msgspec

from .errors import (
    InternalServerError,
    SerializationException,
    ServiceError,
    UnknownOperationException,
)
from .http import JSON_CONTENT, PLAIN_CONTENT, Connection, Connections, Limits, Request
from .signature import Verifier, require_signature
from .writer import LoopWriter, Outcome, ThreadWriter

if TYPE_CHECKING:
    from .engine import Engine

log = logging.getLogger(__name__)

_TARGET_PREFIX: Final = b"DynamoDB_20120810."
_CONTENT_TYPES: Final = frozenset({JSON_CONTENT, b"application/json"})
# Requests in flight at the stop have this long to finish.
STOP_GRACE_SECONDS: Final = 10.0

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class Server:
    """An engine behind a port. Every method is called on the event loop."""

    def __init__(
        self,
        engine: Engine,
        *,
        keys: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        commit_on_loop: bool = False,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._engine = engine
        self._verify = Verifier(keys).verify if keys else None
        self._writer = (LoopWriter if commit_on_loop else ThreadWriter)(engine, loop)
        self._connections = Connections(self._handle, limits or Limits(), loop)
        self._listener: asyncio.Server | None = None

    async def listen(self, host: str, port: int) -> str:
        """Take requests at the address; port 0 picks a free one. Returns the URL."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            self._connections.accept, host, port, backlog=1024
        )
        address, port = self._listener.sockets[0].getsockname()[:2]
        return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"

    async def stop(self, grace_seconds: float = STOP_GRACE_SECONDS) -> None:
        """Take no new connections, finish the requests in flight, then close."""
        if self._listener is not None:
            self._listener.close()
        await self._connections.stop(grace_seconds)
        # Writes whose client is gone are still in the queue; they are kept.
        self._writer.close()

    def abort(self) -> None:
        """Finish no request; ``stop`` returns at once."""
        self._connections.abort()

    # One request ----------------------------------------------------------------------

    def _handle(self, connection: Connection, request: Request) -> None:
        try:
            if request.method != b"POST" or not _is_json(request):
                self._answer_other(connection, request)
                return
            operation, arguments = self._read(request)
            prepared = self._engine.prepare(operation, arguments)
            if prepared.writes:
                self._writer.submit(prepared, lambda outcome: _answer(connection, outcome))
                return
            # Short, so it runs here: a page of 1 MB holds the loop for some
            # milliseconds, a thread would cost every small read more than that.
            body = self._engine.run_read(prepared)
        except ServiceError as error:
            _answer(connection, error)
        except Exception:  # the server goes on whatever a request does to the engine
            log.exception("a request failed")
            _answer(connection, InternalServerError("The request processing has failed"))
        else:
            connection.answer(200, body)

    def _read(self, request: Request) -> tuple[str, dict[str, Any]]:
        """The operation and its arguments; what is wrong is found in DynamoDB's order."""
        target = request.headers.get(b"x-amz-target", b"")
        if not request.body and not target:
            raise UnknownOperationException
        try:
            arguments = _decode(request.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise SerializationException from None
        if not target.startswith(_TARGET_PREFIX):
            raise UnknownOperationException
        if self._verify is None:
            require_signature(request.headers)
        else:
            self._verify(request)
        if type(arguments) is not dict:
            raise SerializationException("Unexpected field type")
        return target[len(_TARGET_PREFIX) :].decode("latin-1"), arguments

    def _answer_other(self, connection: Connection, request: Request) -> None:
        """What is not the JSON protocol: the health check, and everything else."""
        if request.method == b"GET":
            text = f"healthy: dynamodb.{self._engine.region}.amazonaws.com "
            connection.answer(200, text.encode(), PLAIN_CONTENT)
        elif request.method == b"HEAD":
            connection.answer(200, b"", PLAIN_CONTENT)
        else:
            # No CORS: a page open in the developer's browser is not to read the data.
            connection.answer(404, b"<UnknownOperationException/>\n", PLAIN_CONTENT)


def _is_json(request: Request) -> bool:
    content_type = request.headers.get(b"content-type", b"")
    if content_type in _CONTENT_TYPES or not request.body:
        return True
    return content_type.partition(b";")[0].strip().lower() in _CONTENT_TYPES


def _answer(connection: Connection, outcome: Outcome) -> None:
    if isinstance(outcome, ServiceError):
        connection.answer(outcome.status, _encode(outcome.body()))
    else:
        connection.answer(200, outcome)


# Running a server -------------------------------------------------------------------------


def new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's where it is installed; it is twice as fast here."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def serve(
    engine: Engine,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    keys: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    commit_on_loop: bool = False,
    on_listening: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; the second of them does not wait for requests.

    ``keys`` maps access key ids to secrets; without it signatures are not verified.
    ``on_listening`` is called with the URL once connections are taken.
    Raises OSError when the address cannot be bound.
    """

    async def main() -> None:
        server = Server(engine, keys=keys, limits=limits, commit_on_loop=commit_on_loop)
        stopped = asyncio.Event()

        def on_signal() -> None:
            if stopped.is_set():
                server.abort()
            stopped.set()

        try:
            url = await server.listen(host, port)
            with _signals_call(on_signal):
                if on_listening is not None:
                    on_listening(url)
                await stopped.wait()
                await server.stop()
        except BaseException:
            server.abort()
            await server.stop(0)
            raise

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


@contextmanager
def _signals_call(on_signal: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32":
        # No signal handlers on its event loop: they are called between two
        # bytecodes of the main thread, and wake the loop from there.
        earlier = [
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(on_signal))
            for number in signals
        ]
        try:
            yield
        finally:
            for number, handler in zip(signals, earlier, strict=True):
                signal.signal(number, handler)
        return
    for number in signals:
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


@contextmanager
def running(
    engine: Engine,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    keys: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    commit_on_loop: bool = False,
) -> Iterator[str]:
    """Serve from a background thread while the block runs; gives the URL."""
    # The URL, and what stops the server.
    started: Future[tuple[str, Callable[[], object]]] = Future()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = Server(engine, keys=keys, limits=limits, commit_on_loop=commit_on_loop)
        stopped = asyncio.Event()
        try:
            url = await server.listen(host, port)
            started.set_result((url, lambda: loop.call_soon_threadsafe(stopped.set)))
            await stopped.wait()
        finally:
            await server.stop()

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                runner.run(main())
        except OSError as error:
            started.set_exception(error)

    thread = Thread(target=work, name="keypact-server", daemon=True)
    thread.start()
    url, stop = started.result()
    try:
        yield url
    finally:
        stop()
        thread.join()
