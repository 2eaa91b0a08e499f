"""Who requests are signed for. Secrets are in no repr, log or error."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, Protocol

from ..errors import BackendError

# Loaded credentials are asked for again after this time. botocore renews them at
# least ten minutes before they end, so nothing expires in between.
CHECK_SECONDS: Final = 60.0
_ADVICE: Final = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key, with a session token when it is temporary."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        # A line break would end the header that carries it.
        if not all(map(_is_header_text, (self.access_key, self.secret_key, self.token))):
            raise BackendError("AWS credentials hold a space or a line break; set them anew")


def _is_header_text(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


class CredentialSource(Protocol):
    """Gives the credentials to sign with."""

    def cached(self) -> Credentials | None:
        """What is at hand without waiting, if anything is."""
        ...

    def load(self) -> Credentials:
        """The credentials; may read files or ask the network."""
        ...

    def renew(self, refused: Credentials) -> None:
        """Forget the credentials that were refused; may wait as ``load`` does."""
        ...


# Local engines read which key signed and check nothing; every program that names
# none is to see the same data.
LOCAL: Final = Credentials("keypactlocal", "keypactlocal")


class FixedSource:
    """The same credentials always."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def cached(self) -> Credentials:
        """The credentials."""
        return self._credentials

    def load(self) -> Credentials:
        """The credentials."""
        return self._credentials

    def renew(self, refused: Credentials) -> None:
        """Nothing: there are no others."""


class EnvironmentSource(FixedSource):
    """Credentials from the environment, read again when they were refused."""

    def renew(self, refused: Credentials) -> None:  # noqa: ARG002
        """A program may have put fresh ones into its environment."""
        self._credentials = from_environment() or self._credentials


class ChainSource:
    """botocore's chain: profiles, single sign-on, roles, container and instance."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._chain: Any = None
        self._loaded: tuple[Credentials, float] | None = None

    def cached(self) -> Credentials | None:
        """What was loaded within the last minute."""
        loaded = self._loaded
        if loaded is None or time.monotonic() > loaded[1]:
            return None
        return loaded[0]

    def load(self) -> Credentials:
        """Ask botocore, which renews what is about to expire."""
        with self._lock:
            cached = self.cached()
            if cached is not None:
                return cached
            frozen = self._freeze()
            credentials = Credentials(frozen.access_key, frozen.secret_key, frozen.token or "")
            if self._loaded is not None and self._loaded[0] == credentials:
                # The same object keeps the signing key derived from it.
                credentials = self._loaded[0]
            self._loaded = credentials, time.monotonic() + CHECK_SECONDS
            return credentials

    def renew(self, refused: Credentials) -> None:
        """Walk the chain anew, unless another thread has done so."""
        with self._lock:
            if self._loaded is not None and self._loaded[0] is refused:
                self._chain = self._loaded = None

    def _freeze(self) -> Any:
        try:
            from botocore.session import Session
        except ImportError:
            raise BackendError(
                f"no credentials in the environment: {_ADVICE}, or install 'keypact[aws]' "
                "for profiles, single sign-on and roles"
            ) from None
        try:
            if self._chain is None:
                self._chain = Session().get_credentials()
            if self._chain is not None:
                return self._chain.get_frozen_credentials()
        except Exception as error:  # noqa: BLE001 - plugins raise anything; its text may tell secrets
            raise BackendError(
                f"AWS credentials could not be loaded ({type(error).__name__}); "
                "'aws sts get-caller-identity' may tell more"
            ) from None
        raise BackendError(f"no AWS credentials were found: {_ADVICE}, or name an AWS_PROFILE")


def from_environment() -> Credentials | None:
    """The credentials in the environment, if both parts of the key are there."""
    access_key = os.environ.get("AWS_ACCESS_KEY_ID", "").strip()
    secret_key = os.environ.get("AWS_SECRET_ACCESS_KEY", "").strip()
    if not access_key or not secret_key:
        return None
    return Credentials(access_key, secret_key, os.environ.get("AWS_SESSION_TOKEN", "").strip())


def find_source(*, local: bool) -> CredentialSource:
    """The environment first; then made-up ones for a local engine, botocore's chain for AWS."""
    found = from_environment()
    if found is not None:
        return EnvironmentSource(found)
    return FixedSource(LOCAL) if local else ChainSource()
