"""The portable suite passes on the library, and fails on implementations that drift."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import keypact
from keypact.portable import (
    DMS_VERSION,
    FOLDER,
    Call,
    Refused,
    Report,
    Scenario,
    load_scenarios,
    run_scenarios,
)
from keypact.portable.__main__ import main
from keypact.portable.drivers import DATA_KEY, EDK, KeypactDriver, ProcessDriver
from keypact.portable.scenarios import METHODS

SCENARIOS = load_scenarios()


@pytest.fixture
def store():
    with keypact.connect("memory:") as backend:
        yield backend


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_passes_on_the_library(scenario: Scenario, store):
    """Each by itself, on empty tables."""
    report = Report()
    run_scenarios([scenario], KeypactDriver(store), store, report)
    assert (report.passed, report.failures) == (1, [])


def test_the_command_counts_what_passed(capsys: pytest.CaptureFixture[str]):
    """Its last line says how many."""
    assert main([]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert re.fullmatch(r"\d+ passed, 0 failed", last)


def test_the_command_is_a_module():
    """python -m keypact.portable."""
    done = subprocess.run(
        [sys.executable, "-m", "keypact.portable"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith(" passed, 0 failed")


def test_every_rule_of_the_runtime_has_a_file():
    """Naming, keys, times, ttl, version, omit_empty, sets, json, binary, numbers, encryption."""
    files = {path.stem for path in (FOLDER / "scenarios").glob("*.yaml")}
    assert files == {
        "binary",
        "encryption",
        "json",
        "keys",
        "naming",
        "numbers",
        "omit_empty",
        "sets",
        "timestamps",
        "ttl",
        "version",
    }
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS)
    assert {step.method for one in SCENARIOS for step in one.steps} == set(METHODS)
    assert all(one.dms["dms_version"] == DMS_VERSION for one in SCENARIOS)


def test_envelopes_in_the_scenarios_are_what_the_rules_say():
    """Opened without the library: AES-256-GCM, the tag last, the attribute's name authenticated."""
    (given,) = [one.given[0] for one in SCENARIOS if "another implementation opens" in one.name]
    for name, plaintext in (
        ("secret", b'{"t":"S","s":"hello"}'),
        ("pins", b'{"t":"NS","ns":["1","2"]}'),
    ):
        parts = given[name]["M"]
        nonce, sealed, edk = (base64.b64decode(parts[part]["B"]) for part in ("nonce", "ct", "edk"))
        bound_to = f"theorydb:encrypted:v1|attr={name}".encode()
        assert AESGCM(DATA_KEY).decrypt(nonce, sealed, bound_to) == plaintext
        assert edk == EDK


# Implementations that drift ---------------------------------------------------------------------


class Drifting(KeypactDriver):
    """The library, with one rule broken."""

    def __init__(self, backend: keypact.Backend, drift: str) -> None:
        super().__init__(backend)
        self._drift = drift

    def create(self, call: Call, item: dict[str, Any], if_not_exists: bool) -> None:
        if self._drift == "version starts at 1":
            names = {one["attribute"] for one in call.dms["models"][0]["attributes"]}
            if "version" in names and item.get("version") is None:
                item = {**item, "version": 1}
        if self._drift == "no lock on create":
            if_not_exists = False
        super().create(call, item, if_not_exists)

    def get(self, call: Call, key: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().get(call, key)
        except Refused:
            if self._drift == "nothing is an empty item":
                return {}
            raise

    def delete(self, call: Call, key: dict[str, Any], version: int | None) -> None:
        if self._drift == "version 0 is no version":
            version = version or None
        super().delete(call, key, version)


class LocalTime(KeypactDriver):
    """The library, with a clock of its own."""

    def _do(self, call: Call, method: str, subject: dict[str, Any], **options: Any) -> Any:
        moved = Call(call.dms, call.model, call.now.replace("2026", "2027"), call.encryption)
        return super()._do(moved, method, subject, **options)


class NoKeysNeeded(KeypactDriver):
    """The library, with encryption always configured."""

    def _do(self, call: Call, method: str, subject: dict[str, Any], **options: Any) -> Any:
        return super()._do(Call(call.dms, call.model, call.now, True), method, subject, **options)


@pytest.mark.parametrize(
    ("drift", "file"),
    [
        ("version starts at 1", "version"),
        ("no lock on create", "keys"),
        ("nothing is an empty item", "keys"),
        ("version 0 is no version", "version"),
    ],
)
def test_drift_is_found(drift, file, store):
    """And the failure names the scenario."""
    report = Report()
    run_scenarios(SCENARIOS, Drifting(store, drift), store, report)
    assert report.failures
    assert {failure.name.split(":")[0] for failure in report.failures} >= {file}
    assert str(report).endswith(f"{report.passed} passed, {len(report.failures)} failed")


@pytest.mark.parametrize(
    ("kind", "file"), [(LocalTime, "timestamps"), (NoKeysNeeded, "encryption")]
)
def test_drift_of_the_surroundings_is_found(kind, file, store):
    """A clock that is not the suite's, keys where there should be none."""
    report = Report()
    run_scenarios(SCENARIOS, kind(store), store, report)
    assert {failure.name.split(":")[0] for failure in report.failures} == {file}


# A driver in another process ---------------------------------------------------------------------

PROGRAM = """
import json, sys
import keypact
from keypact.portable import Call, Refused
from keypact.portable.drivers import KeypactDriver

driver = KeypactDriver(keypact.connect(sys.argv[1]))
for line in sys.stdin:
    asked = json.loads(line)
    call = Call(*(asked.pop(name) for name in ("dms", "model", "now", "encryption")))
    try:
        answer = {"result": getattr(driver, asked.pop("method"))(call, *asked.values())}
    except Refused as refused:
        answer = {"error": refused.code}
    print(json.dumps(answer), flush=True)
"""


def test_a_program_can_be_a_driver(tmp_path):
    """A line in, a line out: any language will do."""
    address = f"sqlite:{tmp_path}"
    report = Report()
    driver = ProcessDriver([sys.executable, "-c", PROGRAM, address])
    try:
        with keypact.connect(address) as store:
            run_scenarios(SCENARIOS[::5], driver, store, report)
    finally:
        driver.close()
    assert (report.passed, report.failures) == (len(SCENARIOS[::5]), [])


def test_a_program_that_ends_fails_the_scenarios(store):
    """It does not pass by saying nothing."""
    report = Report()
    driver = ProcessDriver([sys.executable, "-c", ""])
    run_scenarios(SCENARIOS[:3], driver, store, report)
    driver.close()
    assert report.passed == 0
    assert len(report.failures) == 3


# The document -------------------------------------------------------------------------------------


def test_the_readme_tells_every_member_of_the_files():
    """Whoever writes a driver needs nothing else."""
    text = (FOLDER / "README.md").read_text()
    words = set(re.findall(r"`([a-z_]+)`", text))
    step = {"if_not_exists", "fields", "version", "now", "error", "result", "stored"}
    scenario = {"name", "models", "model", "encryption", "given", "steps", "scenarios"}
    call = {"method", "dms", "item", "key", "message"}
    cursor = {"cursors", "also_read", "refused", "last_key", "index", "sort", "json", "token"}
    missing = ({*METHODS, "dms_version"} | step | scenario | call | cursor) - words
    assert not missing
