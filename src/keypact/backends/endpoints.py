"""Where DynamoDB is reached: address, region, and the proxy on the way."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from ..errors import InvalidAddress

_ADVICE = "write scheme, host and port only, as in 'http://127.0.0.1:8000'"
# What local engines are signed for when no region is named; they do not look at it.
_LOCAL_REGION = "us-east-1"
_REGION = re.compile(r"[a-z]{2,}(-[a-z]+)+-\d+")
_AWS_HOST = re.compile(
    r"\.(?P<region>[a-z]{2,}(?:-[a-z]+)+-\d+)\.(?:vpce\.)?(?:amazonaws|api\.aws)"
)
# What may stand in a Host header, so that no address writes a header of its own.
_HOST = re.compile(r"[A-Za-z0-9._:%-]+")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy; ``authorization`` is the value of its header, or empty."""

    host: str
    port: int
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @property
    def authorization(self) -> str:
        """The value of Proxy-Authorization, or empty."""
        if not self.username:
            return ""
        return "Basic " + b64encode(f"{self.username}:{self.password}".encode()).decode()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks DynamoDB's protocol, and the region to sign for."""

    host: str
    port: int
    secure: bool
    region: str

    @property
    def authority(self) -> str:
        """As in the Host header: the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.secure) else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address as text; there is nothing secret in it."""
        return f"{'https' if self.secure else 'http'}://{self.authority}/"

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether the name or address stands for this machine."""
    return (
        host in {"localhost", "::1"}
        or host.endswith(".localhost")
        or re.fullmatch(r"127(\.\d{1,3}){3}", host) is not None
    )


def aws_endpoint(region: str) -> Endpoint:
    """DynamoDB itself, in a region."""
    if _REGION.fullmatch(region) is None:
        raise InvalidAddress(
            f"cannot connect to 'dynamodb:{region}': write a region, as in 'dynamodb:eu-central-1'"
        )
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return Endpoint(f"dynamodb.{region}.{suffix}", 443, secure=True, region=region)


def read_endpoint(address: str) -> Endpoint:
    """The endpoint that an http:// or https:// address names."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise InvalidAddress(f"cannot read the address {address!r}: {_ADVICE}") from None
    if parts.username is not None or parts.password is not None:
        # The address is not repeated: it may hold a password.
        raise InvalidAddress(
            "an address takes no user name or password; credentials come from the environment"
        )
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise InvalidAddress(f"cannot connect to {address!r}: {_ADVICE}")
    if _HOST.fullmatch(host) is None or not all(0 < len(part) < 64 for part in host.split(".")):
        raise InvalidAddress(f"cannot connect to {address!r}: that is no host; {_ADVICE}")
    secure = parts.scheme == "https"
    return Endpoint(host, port or _default_port(secure), secure, _region(address, host))


def _default_port(secure: bool) -> int:
    return 443 if secure else 80


def _region(address: str, host: str) -> str:
    found = _AWS_HOST.search(host)
    if found is not None:
        return found["region"]
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not region and is_loopback(host):
        return _LOCAL_REGION
    if not region:
        raise InvalidAddress(
            f"cannot connect to {address!r}: set AWS_REGION to the region that requests "
            "are to be signed for"
        )
    if re.fullmatch(r"[A-Za-z0-9-]+", region) is None:
        raise InvalidAddress(f"AWS_REGION is no region: {region!r}")
    return region


def proxy_for(endpoint: Endpoint) -> Proxy | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY ask for; none to this machine itself."""
    if endpoint.is_loopback or not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    from urllib.request import getproxies_environment, proxy_bypass

    proxies = getproxies_environment()
    url = proxies.get("https" if endpoint.secure else "http") or proxies.get("all")
    if not url or proxy_bypass(f"{endpoint.host}:{endpoint.port}"):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or not parts.hostname:
        raise InvalidAddress(
            f"cannot use the proxy for {endpoint.url}: only http:// proxies are spoken to"
        )
    return Proxy(
        parts.hostname,
        parts.port or 80,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )
