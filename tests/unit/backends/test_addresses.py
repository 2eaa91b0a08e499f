"""What connect() takes, where requests then go, and what it says to anything else."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

import keypact
from keypact.backends import EmbeddedBackend, HttpBackend
from keypact.backends.endpoints import Proxy, aws_endpoint, proxy_for, read_endpoint
from keypact.errors import BackendError, InvalidAddress


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("address", "url", "region"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/", "us-east-1"),
        ("http://localhost:8000/", "http://localhost:8000/", "us-east-1"),
        ("http://[::1]:8000", "http://[::1]:8000/", "us-east-1"),
        ("http://localhost", "http://localhost/", "us-east-1"),
        ("dynamodb:eu-central-1", "https://dynamodb.eu-central-1.amazonaws.com/", "eu-central-1"),
        ("dynamodb:cn-north-1", "https://dynamodb.cn-north-1.amazonaws.com.cn/", "cn-north-1"),
        (
            "https://dynamodb.us-gov-west-1.amazonaws.com",
            "https://dynamodb.us-gov-west-1.amazonaws.com/",
            "us-gov-west-1",
        ),
        (
            "https://vpce-1a2b-3c4d.dynamodb.us-east-2.vpce.amazonaws.com",
            "https://vpce-1a2b-3c4d.dynamodb.us-east-2.vpce.amazonaws.com/",
            "us-east-2",
        ),
    ],
)
def test_an_address_names_server_and_region(address, url, region):
    """A region in the host's name is the one to sign for."""
    with keypact.connect(address) as backend:
        assert isinstance(backend, HttpBackend)
        assert backend.endpoint.url == url
        assert backend.endpoint.region == region


def test_the_region_comes_from_the_environment_where_the_host_names_none(monkeypatch):
    """AWS_REGION before AWS_DEFAULT_REGION, as in AWS's own tools."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert read_endpoint("https://database.example:8443").region == "eu-west-1"
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert read_endpoint("https://database.example:8443").region == "eu-west-2"
    assert aws_endpoint("eu-west-3").region == "eu-west-3"


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("", "memory:"),
        ("memory", "memory:"),
        ("memory:x", "memory:"),
        ("sqlite:", "sqlite:FOLDER"),
        ("postgres://x", "dynamodb:eu-central-1"),
        ("http:127.0.0.1", "http://127.0.0.1:8000"),
        ("http://", "no host"),
        ("http://a..b", "no host"),
        (f"http://{'a' * 64}.example", "no host"),
        ("http://ä.example", "no host"),
        ("http://127.0.0.1:port", "scheme, host and port"),
        ("http://127.0.0.1:99999", "scheme, host and port"),
        ("http://127.0.0.1:8000/path", "scheme, host and port only"),
        ("http://127.0.0.1:8000?x=1", "scheme, host and port only"),
        ("https://database.example", "AWS_REGION"),
        ("dynamodb:", "a region"),
        ("dynamodb:Frankfurt", "a region"),
        ("dynamodb:eu-central-1.evil.example/", "a region"),
        ("http://a\r\nX-Header: b", "scheme, host and port"),
    ],
)
def test_other_addresses_are_refused_with_advice(address, advice):
    """The message says what to write instead."""
    with pytest.raises(InvalidAddress, match=advice):
        keypact.connect(address)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    """Credentials do not belong there, nor into a log."""
    with pytest.raises(InvalidAddress) as caught:
        keypact.connect("https://me:hunter2@database.example")
    assert "hunter2" not in str(caught.value)


def test_embedded_addresses_still_open_an_engine(tmp_path):
    """In memory, or in a folder."""
    for address in ("memory:", f"sqlite:{tmp_path}"):
        with keypact.connect(address) as backend:
            assert isinstance(backend, EmbeddedBackend)
            assert backend.call("ListTables", {}) == {"TableNames": []}


def test_the_proxy_of_the_scheme_is_used(monkeypatch):
    """HTTPS_PROXY for https, HTTP_PROXY for http, with its user name and password."""
    monkeypatch.setenv("HTTPS_PROXY", "http://me:p%40ss@proxy.example:3128")
    monkeypatch.setenv("http_proxy", "plain.example")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    secure = proxy_for(aws_endpoint("eu-west-1"))
    assert secure == Proxy("proxy.example", 3128, "me", "p@ss")
    assert secure.authorization == "Basic bWU6cEBzcw=="
    assert "p@ss" not in repr(secure)
    assert proxy_for(read_endpoint("http://a.example")) == Proxy("plain.example", 80)


def test_no_proxy_names_those_that_are_reached_directly(monkeypatch):
    """And this machine always is."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    assert proxy_for(read_endpoint("http://127.0.0.1:8000")) is None
    assert proxy_for(read_endpoint("http://localhost:8000")) is None
    monkeypatch.setenv("NO_PROXY", "other.example,.amazonaws.com")
    assert proxy_for(aws_endpoint("eu-west-1")) is None
    assert proxy_for(aws_endpoint("cn-north-1")) is not None


def test_a_proxy_that_cannot_be_used_is_told(monkeypatch):
    """Rather than going around it."""
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:hunter2@proxy.example:1080")
    with pytest.raises(InvalidAddress, match="http:// proxies") as caught:
        proxy_for(aws_endpoint("eu-west-1"))
    assert "hunter2" not in str(caught.value)


def test_connecting_over_http_loads_nothing_heavy():
    """A cold start waits neither for extras nor for an engine it does not use."""
    program = (
        "import keypact, sys; keypact.connect('http://127.0.0.1:1').close();"
        "heavy = {'botocore', 'aiohttp', 'typer', 'cryptography', 'yaml', 'ssl', 'sqlite3',"
        " 'http.client', 'keypact.engine'} & set(sys.modules); print(sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_async_code_without_aiohttp_is_told_what_to_install(monkeypatch):
    """Calls that are not awaited need nothing."""
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with keypact.connect("http://127.0.0.1:1") as backend:
        awaited = backend.acall("ListTables", {})
        with pytest.raises(BackendError, match=r"keypact\[aio\]"):
            asyncio.run(awaited)
