"""Operations as plans: generators that say what they need done and go on with the result.

A plan does no I/O itself. It yields effects, a driver carries them out, at once or
awaited, so every operation is written once for ``Table`` and ``AsyncTable``.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from .backends import Backend
    from .encryption import DataKey, KeyProvider

R = TypeVar("R")


class Effect(Protocol):
    """Something to be done outside, in either way."""

    def run(self, backend: Backend) -> Any:
        """Do it now."""
        ...

    async def arun(self, backend: Backend) -> Any:
        """Do it without holding up the event loop."""
        ...


Plan = Generator[Effect, Any, R]


class Call(NamedTuple):
    """A wire request; its result is the answer's bytes."""

    operation: str
    request: dict[str, Any]

    def run(self, backend: Backend) -> bytes:
        """Send it and wait."""
        return backend.answer(self.operation, self.request)

    async def arun(self, backend: Backend) -> bytes:
        """Send it and await the answer."""
        return await backend.aanswer(self.operation, self.request)


class Sleep(NamedTuple):
    """A pause between two attempts."""

    seconds: float

    def run(self, backend: Backend) -> None:  # noqa: ARG002
        """Hold this thread."""
        time.sleep(self.seconds)

    async def arun(self, backend: Backend) -> None:  # noqa: ARG002
        """Let others run meanwhile."""
        import asyncio

        await asyncio.sleep(self.seconds)


class NewKey(NamedTuple):
    """A data key to seal with."""

    provider: KeyProvider

    def run(self, backend: Backend) -> DataKey:  # noqa: ARG002
        """Ask the provider."""
        return self.provider.generate()

    async def arun(self, backend: Backend) -> DataKey:  # noqa: ARG002
        """Ask the provider without blocking."""
        return await self.provider.agenerate()


class OpenKey(NamedTuple):
    """The data key behind an envelope's ``edk``."""

    provider: KeyProvider
    edk: bytes

    def run(self, backend: Backend) -> bytes:  # noqa: ARG002
        """Ask the provider."""
        return self.provider.decrypt(self.edk)

    async def arun(self, backend: Backend) -> bytes:  # noqa: ARG002
        """Ask the provider without blocking."""
        return await self.provider.adecrypt(self.edk)


def drive(plan: Plan[R], backend: Backend) -> R:
    """Carry a plan out on this thread."""
    try:
        effect = next(plan)
        while True:
            try:
                result = effect.run(backend)
            except Exception as error:  # noqa: BLE001 - the plan decides
                effect = plan.throw(error)
            else:
                effect = plan.send(result)
    except StopIteration as stop:
        value: R = stop.value
        return value


async def adrive(plan: Plan[R], backend: Backend) -> R:
    """Carry a plan out on the event loop."""
    try:
        effect = next(plan)
        while True:
            try:
                result = await effect.arun(backend)
            except Exception as error:  # noqa: BLE001 - the plan decides
                effect = plan.throw(error)
            else:
                effect = plan.send(result)
    except StopIteration as stop:
        value: R = stop.value
        return value
