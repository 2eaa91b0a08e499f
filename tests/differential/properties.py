"""How the random tests of this folder run: how many examples, and what a failure prints.

A failing test prints the requests that led to it as JSON, smallest first found, and
hypothesis's own way to bring the example back.
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st

T = TypeVar("T")

SOAKS = os.environ.get("KEYPACT_PROPERTIES") == "soak"
# Beyond this a smaller example is not worth the wait; pytest's own limit is not far.
SHRINK_SECONDS = 40


class Search:
    """One property's search for an example that breaks it."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._failures: dict[str, BaseException] = {}
        self._deadline = 0.0

    def numbered(self, strategy: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[int, T]]:
        """Examples with a number each, which variations of one example share."""
        return st.tuples(st.integers(0, 2**64 - 1), strategy)

    def refuse_variation(self, number: int) -> None:
        """Turn away what was seen, as long as nothing failed.

        Hypothesis tries five variations of every example, with a part of it copied to
        another place. Each costs as much as a new example and shows less.
        """
        if number in self._seen and not self._failures:
            reject()
        self._seen.add(number)

    def run(self, check: Callable[[Any], None], example: Any) -> None:
        """Check one example; when time is up, only those that failed before fail."""
        text = shown(example)
        if self._failures and time.monotonic() > self._deadline:
            if text in self._failures:
                raise self._failures[text]
            return
        try:
            check(example)
        except Exception as error:
            if not self._failures:
                self._deadline = time.monotonic() + SHRINK_SECONDS
            self._failures[text] = error
            error.add_note(f"It happens after:\n{text}")
            raise


def shown(example: Any) -> str:
    """An example as somebody can run it again."""
    if isinstance(example, tuple):
        return "\n".join(map(shown, example))
    return json.dumps(example) if isinstance(example, (dict, list)) else str(example)


def holds_for(
    strategy: st.SearchStrategy[T], *, short: int, soak: int, variations: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The test holds for every example: so many in `make test`, so many in `make soak`.

    The test takes the example as `example`, beside its fixtures. Without `variations` no
    example is like another, which pays where running one costs more than drawing it.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        search = Search()

        @functools.wraps(test)
        def run(example: tuple[int, T], **fixtures: Any) -> None:
            number, drawn = example
            if not variations:
                search.refuse_variation(number)
            search.run(lambda one: test(example=one, **fixtures), drawn)

        limited = settings(
            max_examples=soak if SOAKS else short,
            # Without explaining, which would run a failing example many times more.
            phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
            suppress_health_check=[
                HealthCheck.too_slow,
                HealthCheck.data_too_large,
                HealthCheck.function_scoped_fixture,
            ],
        )
        return limited(given(example=search.numbered(strategy))(run))

    return decorate
