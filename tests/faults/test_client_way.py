"""The way to the server: TLS with certificates that are checked, and proxies."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from keypact.errors import BackendError, Unavailable

from .clients import ONCE, READ, AtOnce, Awaiting
from .fault_server import FaultServer, cut, ok, read_request

GOOD = {"Done": {"S": "yes"}}
NAMES = [x509.DNSName("localhost"), x509.DNSName("database.test")]


@pytest.fixture(scope="session")
def certificate(tmp_path_factory) -> Path:
    """A key and a certificate of its own, for this machine and for a name only a proxy knows."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [*NAMES, x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
            ),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


class TlsServer(FaultServer):
    def secure(self, certificate: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)

    def wrap(self, sock):
        return self._context.wrap_socket(sock, server_side=True)


@pytest.fixture
def secure_server(certificate):
    server = TlsServer()
    server.secure(certificate)
    with server:
        yield server


class Proxy:
    """Tunnels every CONNECT to one port, or refuses; keeps what it was asked."""

    def __init__(self, port: int, status: int = 200) -> None:
        self.port = port
        self.status = status
        self.requests: list = []

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exception):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                threading.Thread(target=self._tunnel, args=[sock], daemon=True).start()

    def _tunnel(self, sock: socket.socket) -> None:
        self.requests.append(read_request(sock.makefile("rb", buffering=0)))
        sock.sendall(b"HTTP/1.1 %d Told\r\n\r\n" % self.status)
        if self.status != 200:
            sock.close()
            return
        far = socket.create_connection(("127.0.0.1", self.port))
        threading.Thread(target=_pump, args=[sock, far], daemon=True).start()
        _pump(far, sock)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@pytest.fixture(params=[AtOnce, Awaiting])
def caller(request, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "AWS_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with request.param() as opened:
        yield opened


@pytest.mark.parametrize("variable", ["AWS_CA_BUNDLE", "SSL_CERT_FILE"])
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_certificate_is_trusted_when_it_is_named(
    secure_server, certificate, caller, monkeypatch, variable, host
):
    """AWS's own variable and OpenSSL's both work; the connection is kept."""
    monkeypatch.setenv(variable, str(certificate))
    ask = caller.open(f"https://{host}:{secure_server.port}")
    for _ in range(5):
        assert ask(READ) == GOOD
    assert secure_server.connections == 1


def test_an_unknown_certificate_is_refused_at_once(secure_server, caller):
    """Nothing is sent to it, and it is not tried again."""
    with pytest.raises(BackendError, match=r"(?i)certificate") as caught:
        caller.open(f"https://localhost:{secure_server.port}")(ONCE)
    assert not caught.value.retryable
    assert secure_server.connections == 1
    assert secure_server.requests == []


def test_a_bundle_that_cannot_be_read_is_told(caller, monkeypatch, tmp_path):
    """By the variable's name."""
    monkeypatch.setenv("AWS_CA_BUNDLE", str(tmp_path / "none.pem"))
    with pytest.raises(BackendError, match="AWS_CA_BUNDLE"):
        caller.open("https://localhost:1")(READ)


def test_an_answer_cut_off_under_tls_is_none(secure_server, certificate, caller, monkeypatch):
    """As without it."""
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    ask = caller.open(f"https://localhost:{secure_server.port}")
    whole = ok()
    for length in range(0, len(whole.data), 9):
        secure_server.plan(cut(whole, length))
        assert ask(READ) == GOOD
        assert len(secure_server.requests) == 2


def test_tls_goes_through_the_proxy_unread(secure_server, certificate, caller, monkeypatch):
    """The proxy learns host and port, its own user name and password, and nothing else."""
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    with Proxy(secure_server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:p%40ss@{proxy.address}")
        ask = caller.open("https://database.test:8443")
        for _ in range(3):
            assert ask(READ) == GOOD
    [asked] = proxy.requests
    assert asked.line == "CONNECT database.test:8443 HTTP/1.1"
    assert asked.headers["proxy-authorization"] == "Basic bWU6cEBzcw=="
    assert "authorization" not in asked.headers
    assert "proxy-authorization" not in secure_server.requests[0].headers
    assert secure_server.requests[0].headers["host"] == "database.test:8443"


def test_a_proxy_that_refuses_leaves_no_doubt(caller, monkeypatch):
    """Nothing went through it; its password is not in the error."""
    with Proxy(1, status=407) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:hunter2@{proxy.address}")
        with pytest.raises(Unavailable) as caught:
            caller.open("https://database.test:8443")(ONCE)
    assert "hunter2" not in str(caught.value)


def test_plain_http_asks_the_proxy_for_the_whole_address(caller, monkeypatch):
    """The Host header, which is signed, stays the server's."""
    with FaultServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:p%40ss@127.0.0.1:{proxy.port}")
        assert caller.open("http://database.test:8000")(READ) == GOOD
    [request] = proxy.requests
    assert request.line == "POST http://database.test:8000/ HTTP/1.1"
    assert request.headers["host"] == "database.test:8000"
    assert request.headers["proxy-authorization"] == "Basic bWU6cEBzcw=="
