"""Where credentials come from, and that they stay secret."""

from __future__ import annotations

import builtins
import json
import sys
import time

import pytest

from keypact.backends.credentials import (
    LOCAL,
    ChainSource,
    Credentials,
    EnvironmentSource,
    find_source,
)
from keypact.errors import BackendError


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


def test_the_environment_comes_first(monkeypatch):
    """Read directly, with the token of temporary credentials."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert find_source(local=True).load() == Credentials("AKIDEXAMPLE", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    assert find_source(local=False).load() == Credentials("AKIDEXAMPLE", "secret", "token")


def test_refused_ones_are_read_from_the_environment_again(monkeypatch):
    """A program may renew its environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "NEW")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    source = EnvironmentSource(Credentials("OLD", "secret"))
    source.renew(source.load())
    assert source.load().access_key == "NEW"


def test_a_local_engine_needs_no_credentials():
    """It is asked with made-up ones; no chain is walked for it."""
    assert find_source(local=True).cached() == LOCAL
    assert isinstance(find_source(local=False), ChainSource)


def test_the_rest_is_botocores_chain(monkeypatch, tmp_path):
    """Profiles, for one."""
    file = tmp_path / "credentials"
    file.write_text(
        "[work]\naws_access_key_id=PROFILE\naws_secret_access_key=s\naws_session_token=t\n"
    )
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_PROFILE", "work")
    source = ChainSource()
    assert source.cached() is None
    assert source.load() == Credentials("PROFILE", "s", "t")
    assert source.cached() is source.load()


def test_credentials_that_end_are_renewed_in_time(monkeypatch, tmp_path):
    """botocore sees to it; we ask it again every minute."""
    script = tmp_path / "give.py"
    script.write_text(
        "import json, pathlib\n"
        f"path = pathlib.Path({str(tmp_path / 'count')!r})\n"
        "count = int(path.read_text()) + 1 if path.exists() else 1\n"
        "path.write_text(str(count))\n"
        # Ends within botocore's mandatory time: renewed whenever it is asked.
        "import datetime\n"
        "end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=5)\n"
        "print(json.dumps({'Version': 1, 'AccessKeyId': f'KEY{count}', 'SecretAccessKey': 's',"
        " 'Expiration': end.isoformat()}))\n"
    )
    config = tmp_path / "config"
    config.write_text(f"[default]\ncredential_process = {sys.executable} {script}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    source = ChainSource()
    first = source.load()
    assert source.load() is first
    now = time.monotonic()
    monkeypatch.setattr("keypact.backends.credentials.time.monotonic", lambda: now + 61)
    assert source.cached() is None
    second = source.load()
    assert second.access_key != first.access_key
    source.renew(second)
    assert source.load().access_key not in {first.access_key, second.access_key}


def test_a_missing_extra_is_told_by_name(monkeypatch):
    """Together with the way that needs none."""
    real = builtins.__import__

    def without_botocore(name, *args, **kwargs):
        if name.startswith("botocore"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_botocore)
    with pytest.raises(BackendError, match=r"AWS_ACCESS_KEY_ID.*keypact\[aws\]"):
        ChainSource().load()


def test_no_credentials_anywhere_is_told(monkeypatch, tmp_path):
    """With what to set."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(BackendError, match="no AWS credentials were found"):
        ChainSource().load()


def test_a_chain_that_fails_tells_no_secret(monkeypatch, tmp_path):
    """What a broken helper printed stays out of our error."""
    script = tmp_path / "fail.py"
    script.write_text("import sys; sys.exit('hunter2')")
    config = tmp_path / "config"
    config.write_text(f"[default]\ncredential_process = {sys.executable} {script}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    with pytest.raises(BackendError, match="CredentialRetrievalError") as caught:
        ChainSource().load()
    assert "hunter2" not in str(caught.value)


def test_secrets_are_not_shown():
    """Neither key nor token."""
    shown = repr(Credentials("AKIDEXAMPLE", "secretkey", "sessiontoken"))
    assert "AKIDEXAMPLE" in shown
    assert "secretkey" not in shown
    assert "sessiontoken" not in shown


@pytest.mark.parametrize("bad", ["a b", "a\r\nHost: evil", "é", "\x00"])
def test_credentials_that_would_break_a_header_are_refused(bad):
    """And not repeated."""
    for parts in ((bad, "s", ""), ("a", bad, ""), ("a", "s", bad)):
        with pytest.raises(BackendError) as caught:
            Credentials(*parts)
        assert json.dumps(bad) not in str(caught.value)
