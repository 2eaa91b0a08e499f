"""HTTP on blocking sockets: connections kept for reuse, shared by threads."""

from __future__ import annotations

import os
import select
import socket
import time
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from .endpoints import Endpoint, Proxy
from .http import Answer, Limits, Lost
from .responses import Malformed, TooLarge, read_response, read_tunnel

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

_RECEIVE_BYTES: Final = 64 * 1024


class Connection:
    """One socket; used by one thread at a time."""

    def __init__(self, sock: socket.socket, timeout_seconds: float) -> None:
        self._sock = sock
        self._timeout_seconds = self._set_seconds = timeout_seconds
        sock.settimeout(timeout_seconds)
        self._has_news = _readiness(sock)
        self.idle_since = 0.0

    def is_stale(self) -> bool:
        """Whether the server has closed, or spoken out of turn: both make it readable."""
        return bool(self._has_news())

    def exchange(self, message: bytes, deadline: float, bytes_max: int) -> tuple[Answer, bool]:
        """Send a request and read its answer; tells whether the connection can be reused."""
        self._send(message, deadline)
        sock = self._sock

        def receive() -> bytes:
            self._wait_at_most(deadline)
            return sock.recv(_RECEIVE_BYTES)

        try:
            return read_response(receive, bytes_max)
        except Malformed as error:
            raise Lost(str(error), sent=True) from None
        except TooLarge:
            raise Lost(f"the answer is above {bytes_max} bytes", sent=True, final=True) from None
        except TimeoutError:
            raise Lost("no answer came in time", sent=True) from None
        except OSError as error:
            raise Lost(_told(error), sent=True) from None

    def _send(self, message: bytes, deadline: float) -> None:
        # A server acts on whole requests only. So where the system has not taken the
        # last byte, nothing was done.
        try:
            self._wait_at_most(deadline)
            sent = self._sock.send(message)
            if sent < len(message):
                rest = memoryview(message)[sent:]
                while rest:
                    self._wait_at_most(deadline)
                    rest = rest[self._sock.send(rest) :]
        except TimeoutError:
            raise Lost("the request could not be sent in time", sent=False) from None
        except OSError as error:
            raise Lost(_told(error), sent=False) from None

    def _wait_at_most(self, deadline: float) -> None:
        """Let the next step take what is left of the time, if that is less than it may."""
        seconds = min(self._timeout_seconds, deadline - time.monotonic())
        if seconds == self._set_seconds:
            return
        if seconds <= 0:
            raise TimeoutError
        self._sock.settimeout(seconds)
        self._set_seconds = seconds

    def close(self) -> None:
        """Give the socket back."""
        self._sock.close()


class Pool:
    """Connections to one endpoint: the last one used is the next one taken."""

    def __init__(self, endpoint: Endpoint, proxy: Proxy | None, limits: Limits) -> None:
        self._endpoint = endpoint
        self._proxy = proxy
        self._limits = limits
        self._idle: deque[Connection] = deque()
        self._context: ssl.SSLContext | None = None
        self._head = f"POST {self._target()} HTTP/1.1\r\n"
        if proxy is not None and not endpoint.secure and proxy.authorization:
            self._head += f"Proxy-Authorization: {proxy.authorization}\r\n"
        _POOLS.add(self)

    def _target(self) -> str:
        # A proxy is told the whole address, unless it only tunnels.
        return self._endpoint.url if self._proxy and not self._endpoint.secure else "/"

    def exchange(self, headers: dict[str, str], body: bytes, deadline: float) -> Answer:
        """Send a request and wait for its answer; raises Lost."""
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        head = f"{self._head}{lines}Content-Length: {len(body)}\r\n\r\n"
        message = head.encode("latin-1") + body
        connection = self._take() or self._open(deadline)
        reusable = False
        try:
            answer, reusable = connection.exchange(message, deadline, self._limits.answer_bytes_max)
        finally:
            # Also when interrupted: half an answer must not be another's.
            if reusable and len(self._idle) < self._limits.idle_connections_max:
                connection.idle_since = time.monotonic()
                self._idle.append(connection)
            else:
                connection.close()
        return answer

    def _take(self) -> Connection | None:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            idle_seconds = time.monotonic() - connection.idle_since
            if idle_seconds < self._limits.idle_seconds_max and not connection.is_stale():
                return connection
            connection.close()

    def _open(self, deadline: float) -> Connection:
        seconds = min(self._limits.connect_seconds, deadline - time.monotonic())
        if seconds <= 0:
            raise Lost("no time was left to connect", sent=False)
        try:
            return Connection(self._connect(seconds), self._limits.read_seconds)
        except TimeoutError:
            raise Lost("could not connect in time", sent=False) from None
        except OSError as error:
            refused = type(error).__name__ == "SSLCertVerificationError"
            raise Lost(_told(error), sent=False, final=refused) from None

    def _connect(self, seconds: float) -> socket.socket:
        if self._context is None and self._endpoint.secure:
            self._context = tls_context()
        first = self._proxy or self._endpoint
        sock = socket.create_connection((first.host, first.port), timeout=seconds)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if self._context is None:
                return sock
            if self._proxy is not None:
                self._tunnel(sock, self._proxy)
            return self._context.wrap_socket(sock, server_hostname=self._endpoint.host)
        except BaseException:
            sock.close()
            raise

    def _tunnel(self, sock: socket.socket, proxy: Proxy) -> None:
        host = f"[{self._endpoint.host}]" if ":" in self._endpoint.host else self._endpoint.host
        place = f"{host}:{self._endpoint.port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if proxy.authorization:
            lines.append(f"Proxy-Authorization: {proxy.authorization}")
        sock.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        try:
            status = read_tunnel(lambda: sock.recv(_RECEIVE_BYTES))
        except Malformed as error:
            raise Lost(f"the proxy failed: {error}", sent=False) from None
        if status != 200:
            raise Lost(f"the proxy refused with HTTP status {status}", sent=False)

    def forget(self) -> None:
        """Close what is idle."""
        while self._idle:
            try:
                self._idle.pop().close()
            except IndexError:
                return


def tls_context() -> ssl.SSLContext:
    """Certificates from AWS_CA_BUNDLE, else the system's, where OpenSSL reads SSL_CERT_FILE."""
    import ssl

    bundle = os.environ.get("AWS_CA_BUNDLE") or None
    try:
        if bundle is not None and os.path.isdir(bundle):
            return ssl.create_default_context(capath=bundle)
        return ssl.create_default_context(cafile=bundle)
    except OSError as error:
        reason = f"the certificates of AWS_CA_BUNDLE cannot be read: {error.strerror}"
        raise Lost(reason, sent=False, final=True) from None


def _readiness(sock: socket.socket) -> Callable[[], Any]:
    """A quick question whether there is something to read."""
    if hasattr(select, "poll"):
        poller = select.poll()
        poller.register(sock, select.POLLIN)
        poll = poller.poll
        return lambda: poll(0)
    return lambda: select.select([sock], [], [], 0)[0]


def _told(error: OSError) -> str:
    """What went wrong, in the system's words."""
    return f"{type(error).__name__}: {error.strerror or error}"


# A forked child must not speak on its parent's connections.
_POOLS: weakref.WeakSet[Pool] = weakref.WeakSet()


def _forget_all() -> None:
    for pool in list(_POOLS):
        pool.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
