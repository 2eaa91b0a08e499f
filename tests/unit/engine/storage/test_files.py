"""A data folder is made, opened, brought up or refused, and the reason is in words."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

import keypact
from keypact.engine.storage import files
from keypact.engine.storage.files import APPLICATION_ID, FILE_NAME, FORMAT_VERSION
from keypact.errors import FolderUnusable

TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def connect(folder: Path) -> keypact.Backend:
    return keypact.connect(f"sqlite:{folder}")


def refusal(folder: Path) -> str:
    """Why the folder is refused."""
    with pytest.raises(FolderUnusable) as refused:
        connect(folder).close()
    assert refused.value.code == "ErrFolderUnusable"
    return str(refused.value)


def edit(folder: Path, *statements: str) -> None:
    """Change the file behind the engine's back."""
    connection = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def contents(folder: Path) -> dict[str, str]:
    """Every file with a digest of what is in it."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


# What is usable --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["empty", "missing", "missing/parents/too"])
def test_a_folder_is_made_where_there_is_none(tmp_path, path):
    """An empty folder is filled; a missing one is made, with its parents."""
    (tmp_path / "empty").mkdir()
    with connect(tmp_path / path) as backend:
        backend.call("CreateTable", TABLE)
    with connect(tmp_path / path) as backend:
        assert backend.call("ListTables", {}) == {"TableNames": ["things"]}


def test_an_empty_file_is_a_new_store(tmp_path):
    """A crash between making the file and filling it does no harm."""
    (tmp_path / FILE_NAME).touch()
    with connect(tmp_path) as backend:
        assert backend.call("ListTables", {}) == {"TableNames": []}


def test_other_files_in_the_folder_are_left_alone(tmp_path):
    """A folder may hold more than our file."""
    (tmp_path / "notes.txt").write_text("mine")
    with connect(tmp_path) as backend:
        backend.call("CreateTable", TABLE)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_closing_leaves_one_file(tmp_path):
    """A folder that nobody has open can be copied by copying one file."""
    with connect(tmp_path) as backend:
        backend.call("CreateTable", TABLE)
        backend.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": "a"}}})
        backend.call("GetItem", {"TableName": "things", "Key": {"pk": {"S": "a"}}})
    assert list(contents(tmp_path)) == [FILE_NAME]


def test_the_file_says_whose_it_is(tmp_path):
    """The file carries our mark and the format's version."""
    connect(tmp_path).close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT_VERSION,)
    connection.close()


def test_every_commit_is_synced_unless_that_is_given_up(tmp_path):
    """The writer's connection syncs its log on each commit; without fsync it never does."""
    full, off = 2, 0
    for fsync, expected in ((True, full), (False, off)):
        connection = files.open_folder(tmp_path, fsync=fsync)
        assert connection.execute("PRAGMA synchronous").fetchone() == (expected,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        connection.close()


# What is refused -------------------------------------------------------------------------


def test_a_newer_format_is_refused_and_left_as_it_is(tmp_path):
    """Whoever went back to an older keypact reads what to do, and loses nothing."""
    connect(tmp_path).close()
    edit(tmp_path, f"PRAGMA user_version = {FORMAT_VERSION + 1}")
    before = contents(tmp_path)
    text = refusal(tmp_path)
    assert f"format {FORMAT_VERSION + 1}" in text
    assert "upgrade keypact" in text
    assert str(tmp_path) in text
    assert contents(tmp_path) == before


@pytest.mark.parametrize("user_version", [0, 1, 7])
def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path, user_version):
    """Whatever version it gives itself, a file without our mark is not written to."""
    edit(tmp_path, "CREATE TABLE recipes (name)", f"PRAGMA user_version = {user_version}")
    before = contents(tmp_path)
    assert "another program's database" in refusal(tmp_path)
    assert contents(tmp_path) == before


def test_a_marked_database_without_tables_is_refused(tmp_path):
    """Another program may have made its file and not filled it yet."""
    edit(tmp_path, "PRAGMA application_id = 42")
    assert "another program's database" in refusal(tmp_path)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path):
    """The message names the file."""
    (tmp_path / FILE_NAME).write_text("dear diary, " * 1000)
    before = contents(tmp_path)
    assert "keypact.sqlite is not a database" in refusal(tmp_path)
    assert contents(tmp_path) == before


def test_a_path_that_is_a_file_is_refused(tmp_path):
    """The data needs a folder."""
    (tmp_path / "file").write_text("not a folder")
    assert f"{tmp_path / 'file'} is a file" in refusal(tmp_path / "file")
    assert "cannot make the data folder" in refusal(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_folder_in_the_files_place_is_refused(tmp_path):
    """SQLite's refusal comes in our words."""
    (tmp_path / FILE_NAME).mkdir()
    assert "cannot be opened" in refusal(tmp_path)


def test_a_refused_folder_is_not_kept_open(tmp_path):
    """Once the reason is gone, the same process can open it."""
    connect(tmp_path).close()
    edit(tmp_path, f"PRAGMA user_version = {FORMAT_VERSION + 1}")
    refusal(tmp_path)
    # This needs the file to itself, as the log is given up with it.
    edit(tmp_path, f"PRAGMA user_version = {FORMAT_VERSION}", "PRAGMA journal_mode = DELETE")
    with connect(tmp_path) as backend:
        assert backend.call("ListTables", {}) == {"TableNames": []}


# Words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SQLITE_FULL", "disk is full"),
        ("SQLITE_READONLY_DIRECTORY", "read-only"),
        ("SQLITE_CANTOPEN_ISDIR", "cannot be opened or made"),
        ("SQLITE_CORRUPT_INDEX", "damaged"),
        ("SQLITE_NOTADB", "not a database"),
        ("SQLITE_BUSY_RECOVERY", "another process"),
        ("SQLITE_IOERR_WRITE", "took no more bytes"),
        ("SQLITE_IOERR_SHMSIZE", "took no more bytes"),
        ("SQLITE_IOERR_READ", "disk failed"),
    ],
)
def test_failures_of_sqlite_come_in_words(name, words):
    """Each kind of failure says what happened and what to do."""
    error = sqlite3.OperationalError("database or disk is odd")
    error.sqlite_errorname = name
    assert words in files.in_words(error)
    assert ";" in files.in_words(error), "what to do comes after the semicolon"


def test_an_unforeseen_failure_keeps_its_own_text():
    """What we have no words for is not hidden."""
    assert files.in_words(sqlite3.OperationalError("near SELEKT")) == "near SELEKT"
