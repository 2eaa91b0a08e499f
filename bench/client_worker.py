"""The process of one contender: the same loop for all.

`python -m bench.client_worker NAME ENDPOINT` makes the contender, checks it, and carries out
orders from stdin: "get 0.1" is answered with a JSON line of what 0.1 seconds of CPU came to.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from bench.client_contenders import CONTENDERS
from bench.client_item import QUERY_ITEMS, VALUES

AT_ONCE = 32
# Between two looks at the clock.
STEPS = 10
SEEN = [VALUES["note"], VALUES["quantity"], VALUES["token"]]


def first_get(name: str, endpoint: str) -> None:
    """Make the contender and get one item; prints the CPU seconds since the process began."""
    if name.endswith("at once"):
        import asyncio

        asyncio.run(_first_get_awaited(name, endpoint))
    else:
        contender = CONTENDERS[name](endpoint)
        _expect(contender.seen(contender.get()))
        print(time.process_time())


async def _first_get_awaited(name: str, endpoint: str) -> None:
    contender = CONTENDERS[name](endpoint)
    _expect(contender.seen(await contender.get()))
    print(time.process_time())
    await _close(contender)


async def _close(contender: Any) -> None:
    if hasattr(contender, "close"):
        await contender.close()


def _expect(seen: list[Any]) -> None:
    if seen != SEEN:
        raise ValueError(f"decoded {seen}, not {SEEN}")


def _expect_answers(contender: Any, item: Any, page: Any) -> None:
    """The answers are decoded, every item of them."""
    _expect(contender.seen(item))
    # An engine has the one item that was put; canned answers are of 25.
    count = getattr(contender, "page_items", QUERY_ITEMS)
    if len(page) != count:
        raise ValueError(f"{len(page)} items, not {count}")
    for one in page:
        _expect(contender.seen(one))


def _timed(step: Any, cpu_seconds: float) -> dict[str, Any]:
    """By the CPU's time, not the clock's: on a busy machine passes stay as long."""
    count, spent = 0, 0.0
    started, before = time.perf_counter(), time.process_time()
    while spent < cpu_seconds:
        for _ in range(STEPS):
            step()
        count += STEPS
        spent = time.process_time() - before
    return {"count": count, "cpu": spent, "seconds": time.perf_counter() - started}


def _serve(contender: Any) -> None:
    page = contender.query()
    _expect_answers(contender, contender.get(), page)
    contender.put()
    steps = {"get": contender.get, "put": contender.put, "query": contender.query}
    if hasattr(contender, "codec"):
        steps["encode"], steps["decode"] = contender.codec()
    _say({"ready": len(page)})
    for line in sys.stdin:
        operation, seconds = line.split()
        _say(_timed(steps[operation], float(seconds)))


async def _timed_awaited(step: Any, cpu_seconds: float) -> dict[str, Any]:
    import asyncio

    count = 0
    started, before = time.perf_counter(), time.process_time()

    async def keep_on() -> None:
        nonlocal count
        while time.process_time() - before < cpu_seconds:
            await step()
            count += 1

    await asyncio.gather(*(keep_on() for _ in range(AT_ONCE)))
    spent = time.process_time() - before
    return {"count": count, "cpu": spent, "seconds": time.perf_counter() - started}


async def _serve_awaited(name: str, endpoint: str) -> None:
    contender = CONTENDERS[name](endpoint)
    page = await contender.query()
    _expect_answers(contender, await contender.get(), page)
    await contender.put()
    _say({"ready": len(page)})
    # Nothing is in flight between two orders, so the loop may stand still meanwhile.
    for line in sys.stdin:
        operation, seconds = line.split()
        _say(await _timed_awaited(getattr(contender, operation), float(seconds)))
    await _close(contender)


def _say(words: dict[str, Any]) -> None:
    import json

    print(json.dumps(words), flush=True)


def main(name: str, endpoint: str) -> None:
    """Carry out orders until stdin ends."""
    if name.endswith("at once"):
        import asyncio

        asyncio.run(_serve_awaited(name, endpoint))
    else:
        _serve(CONTENDERS[name](endpoint))


if __name__ == "__main__":
    main(*sys.argv[1:])
