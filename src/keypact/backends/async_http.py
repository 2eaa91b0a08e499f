"""HTTP on aiohttp: one session an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..errors import BackendError
from .endpoints import Endpoint, Proxy
from .http import Answer, Limits, Lost
from .sync_http import tls_context

if TYPE_CHECKING:
    import ssl

    import aiohttp

P = ParamSpec("P")
R = TypeVar("R")


class Sessions:
    """The sessions of all event loops that use a backend."""

    def __init__(
        self, endpoint: Endpoint, proxy: Proxy | None, limits: Limits, total_seconds: float
    ) -> None:
        try:
            import aiohttp
            from yarl import URL
        except ImportError:
            raise BackendError(
                "DynamoDB over HTTP from async code needs aiohttp: install 'keypact[aio]'"
            ) from None
        self._aiohttp = aiohttp
        self._url = URL(endpoint.url)
        self._endpoint = endpoint
        self._limits = limits
        self._timeout = self._timeout_of(total_seconds)
        self._options: dict[str, Any] = {}
        self._more_headers: dict[str, str] = {}
        if proxy is not None:
            self._options["proxy"] = URL.build(scheme="http", host=proxy.host, port=proxy.port)
            if proxy.authorization:
                header = {"Proxy-Authorization": proxy.authorization}
                # With TLS the proxy is told before, and the server must not see it.
                if endpoint.secure:
                    self._options["proxy_headers"] = header
                else:
                    self._more_headers = header
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        self._context: ssl.SSLContext | None = None
        self._lock = Lock()

    def _timeout_of(self, total_seconds: float) -> aiohttp.ClientTimeout:
        limits = self._limits
        return self._aiohttp.ClientTimeout(
            total=total_seconds,
            sock_connect=limits.connect_seconds,
            sock_read=limits.read_seconds,
        )

    @staticmethod
    async def pause(seconds: float) -> None:
        """Let others run meanwhile."""
        await asyncio.sleep(seconds)

    @staticmethod
    async def run_aside(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run what may wait for a file or the network on a thread."""
        return await asyncio.to_thread(function, *args, **kwargs)

    async def exchange(
        self, headers: dict[str, str], body: bytes, deadline: float | None
    ) -> Answer:
        """Send a request and await its answer; raises Lost. No deadline: all the time there is."""
        aiohttp = self._aiohttp
        headers.update(self._more_headers)
        timeout = self._timeout
        if deadline is not None:
            timeout = self._timeout_of(max(0.001, deadline - time.monotonic()))
        session = self._sessions.get(asyncio.get_running_loop()) or self._open()
        try:
            async with session.post(
                self._url,
                data=body,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
                **self._options,
            ) as response:
                return Answer(response.status, response.headers, await self._read(response))
        except aiohttp.ClientConnectorCertificateError:
            raise Lost("the server's certificate is not trusted", sent=False, final=True) from None
        except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError) as error:
            raise Lost(_told(error), sent=False) from None
        except aiohttp.ConnectionTimeoutError:
            raise Lost("could not connect in time", sent=False) from None
        except TimeoutError:
            raise Lost("no answer came in time", sent=True) from None
        except (aiohttp.ClientError, OSError) as error:
            raise Lost(_told(error), sent=True) from None

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        bytes_max = self._limits.answer_bytes_max
        length = response.content_length
        if length is not None and length <= bytes_max:
            return await response.read()
        pieces, size = [], 0
        if length is None:
            async for piece in response.content.iter_any():
                pieces.append(piece)
                size += len(piece)
                if size > bytes_max:
                    break
            else:
                return b"".join(pieces)
        response.close()
        raise Lost(f"the answer is above {bytes_max} bytes", sent=True, final=True)

    def _tls(self) -> ssl.SSLContext | bool:
        if self._context is None and self._endpoint.secure:
            self._context = tls_context()
        return self._context or True

    def _open(self) -> aiohttp.ClientSession:
        connector = self._aiohttp.TCPConnector(
            limit=self._limits.loop_connections_max,
            keepalive_timeout=self._limits.idle_seconds_max,
            ssl=self._tls(),
        )
        session = self._aiohttp.ClientSession(
            connector=connector,
            auto_decompress=False,
            cookie_jar=self._aiohttp.DummyCookieJar(),
            skip_auto_headers=("Accept",),
        )
        with self._lock:
            for loop in [loop for loop in self._sessions if loop.is_closed()]:
                _close_with_its_loop(self._sessions.pop(loop))
            self._sessions[asyncio.get_running_loop()] = session
        return session

    def close(self) -> None:
        """Close all sessions; those of other running loops close there, soon."""
        for loop, session in self._take_all():
            if loop.is_closed():
                _close_with_its_loop(session)
            elif loop.is_running():
                asyncio.run_coroutine_threadsafe(session.close(), loop)
            else:
                loop.run_until_complete(session.close())

    async def aclose(self) -> None:
        """Close all sessions, this loop's at once."""
        here = asyncio.get_running_loop()
        for loop, session in self._take_all():
            if loop is here:
                await session.close()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(session.close(), loop)
                await asyncio.wrap_future(closing)
            else:
                _close_with_its_loop(session)

    def _take_all(self) -> list[tuple[asyncio.AbstractEventLoop, aiohttp.ClientSession]]:
        with self._lock:
            taken = list(self._sessions.items())
            self._sessions.clear()
        return taken


def _close_with_its_loop(session: aiohttp.ClientSession) -> None:
    """Close a session whose loop runs no more: nothing in it waits."""
    closing = session.close()
    try:
        closing.send(None)
    except (StopIteration, RuntimeError):
        return
    closing.close()


def _told(error: BaseException) -> str:
    """What went wrong; aiohttp's own texts may hold a proxy's password."""
    cause = getattr(error, "os_error", None) or error
    strerror = getattr(cause, "strerror", None)
    return f"{type(cause).__name__}: {strerror}" if strerror else type(cause).__name__
