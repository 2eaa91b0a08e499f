"""Opening the data folder: its file, its format's version, and SQLite's failures in words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from ..errors import InternalServerError

FILE_NAME = "keypact.sqlite"
# "KPCT": tells our files from other programs' SQLite files.
APPLICATION_ID = 0x4B504354
FORMAT_VERSION = 1
# A rival process may hold the write lock for as long as its commit takes.
BUSY_SECONDS = 60
BUSY_POLL_SECONDS = 0.01
# Pages that a connection keeps. Not mmap: its resident pages grow with the table, and
# a disk error behind a map is a signal that ends the process, not an error we can tell.
CACHE_BYTES = 64 * 1024 * 1024
STATEMENTS_CACHED = 512


class FolderError(Exception):
    """The data folder cannot be used; the text says why and what to do."""


def open_connection(folder: Path | None, *, fsync: bool) -> sqlite3.Connection:
    """A connection to the folder's file, or to a new store in memory."""
    connection = _connect(folder)
    if folder is not None:
        _configure(connection, fsync=fsync)
    return connection


def open_folder(folder: Path | None, *, fsync: bool) -> sqlite3.Connection:
    """The folder's first connection: the folder made, its format checked and brought up."""
    if folder is not None:
        _make_folder(folder)
        _refuse_inherited(folder)
    try:
        connection = _connect(folder)
        try:
            # Before anything is set: a file that is not ours stays as it is.
            _check_format(connection, folder)
            if folder is not None:
                _configure(connection, fsync=fsync)
            _bring_up(connection, folder)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise FolderError(f"cannot open the data folder {folder}: {in_words(error)}") from error
    return connection


def _connect(folder: Path | None) -> sqlite3.Connection:
    return sqlite3.connect(
        ":memory:" if folder is None else folder / FILE_NAME,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS_CACHED,
    )


def _configure(connection: sqlite3.Connection, *, fsync: bool) -> None:
    _keep_log(connection)
    # FULL: a commit is on the disk before it is acknowledged.
    connection.execute(f"PRAGMA synchronous = {'FULL' if fsync else 'OFF'}").close()
    connection.execute(f"PRAGMA cache_size = -{CACHE_BYTES // 1024}").close()
    # Some builds overwrite deleted bytes; that is for encryption, not for us.
    connection.execute("PRAGMA secure_delete = OFF").close()


def _keep_log(connection: sqlite3.Connection) -> None:
    """Write-ahead-log mode. SQLite does not wait for others who set it, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(BUSY_POLL_SECONDS)
        else:
            return


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FolderError(f"{folder} is a file; name a folder for the data") from None
    except OSError as error:
        raise FolderError(
            f"cannot make the data folder {folder}: {error.strerror}; choose another folder"
        ) from error


# Format ----------------------------------------------------------------------------


def _check_format(connection: sqlite3.Connection, folder: Path | None) -> int:
    """The format's version, 0 for a new file; a newer one or another program's is refused."""
    # In one statement, so on one state: another process may be filling the file now.
    application, version, objects = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != APPLICATION_ID and (application or version or objects):
        raise FolderError(
            f"{FILE_NAME} in {folder} is another program's database; use another folder"
        )
    if version > FORMAT_VERSION:
        raise FolderError(
            f"the data folder {folder} has format {version}, and this version of keypact reads "
            f"up to {FORMAT_VERSION}; upgrade keypact, or use another folder"
        )
    return int(version)


def _bring_up(connection: sqlite3.Connection, folder: Path | None) -> None:
    """Fill a new file, migrate an older one."""
    if _check_format(connection, folder) == FORMAT_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Again under the lock: another process may have been first.
        for version in range(_check_format(connection, folder), FORMAT_VERSION):
            _MIGRATIONS[version](connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _make_first(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL)")
    connection.execute("INSERT INTO meta VALUES ('tables_version', 0)")
    # Numbers are never used twice: a dropped table's trees cannot be taken for a new one's.
    connection.execute(
        "CREATE TABLE tables (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " name TEXT NOT NULL UNIQUE, definition BLOB NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE request_tokens (token TEXT PRIMARY KEY,"
        " digest BLOB NOT NULL, expires REAL NOT NULL) WITHOUT ROWID"
    )


# By the version they start from.
_MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {0: _make_first}


# Forks -----------------------------------------------------------------------------

# Files that were open when this process was forked, by device and inode. SQLite keeps a
# file's locks by process: here it would believe in locks that only the parent holds. So
# even a new connection is not safe, and another process could delete the log under it.
_inherited: set[tuple[int, int]] = set()


def leave_to_parent(folder: Path | None, connections: Iterable[sqlite3.Connection]) -> None:
    """In a forked process: never close these connections, and refuse to open the folder."""
    from ctypes import py_object, pythonapi

    for connection in connections:
        # Closed at the end of this process, it could take the log for its own and delete it.
        pythonapi.Py_IncRef(py_object(connection))
    if folder is not None:
        try:
            _inherited.add(_identity(folder))
        except OSError:
            return  # the file is gone, and a new one has another identity


def _refuse_inherited(folder: Path) -> None:
    try:
        inherited = _identity(folder) in _inherited
    except OSError:
        return  # there is no file yet, or opening it tells what is wrong
    if inherited:
        raise FolderError(
            f"the data folder {folder} was open when this process was forked; connect after the "
            "fork and not before, or start processes with the spawn method"
        )


def _identity(folder: Path) -> tuple[int, int]:
    found = (folder / FILE_NAME).stat()
    return found.st_dev, found.st_ino


# Failures --------------------------------------------------------------------------


# What reading or writing the file may raise. SQLite does not notice when the bytes of
# an item are damaged, but then they are hardly JSON any more.
STORE_FAILURES = (sqlite3.Error, msgspec.DecodeError)


def store_failure(error: Exception) -> InternalServerError:
    """A failure of the store as DynamoDB's error: nothing of the request was kept."""
    return InternalServerError(f"The store failed and nothing was changed: {in_words(error)}")


def is_busy(error: sqlite3.Error) -> bool:
    """Whether someone else has the lock."""
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def in_words(error: Exception) -> str:
    """What went wrong in the folder, and what to do about it."""
    if isinstance(error, msgspec.DecodeError):
        return "the file is damaged, and an item in it is not JSON; restore the folder from a copy"
    name = getattr(error, "sqlite_errorname", "")
    for prefix, words in _WORDS.items():
        if name.startswith(prefix):
            return words
    return str(error)


_WORDS = {
    "SQLITE_FULL": "the disk is full; free some space and try again",
    "SQLITE_READONLY": "the folder or its files are read-only; make them writable",
    "SQLITE_CANTOPEN": "the file or its log cannot be opened or made; "
    "make the folder and its disk readable and writable",
    "SQLITE_CORRUPT": "the file is damaged; restore the folder from a copy",
    "SQLITE_NOTADB": "keypact.sqlite is not a database, or its first page is damaged; "
    "restore the folder from a copy",
    "SQLITE_BUSY": f"another process held the folder for {BUSY_SECONDS} seconds; try again",
    # Also what a quota or a limit on the size of files looks like.
    "SQLITE_IOERR_WRITE": "the disk took no more bytes; free some space, or raise the quota",
    "SQLITE_IOERR_SHMSIZE": "the disk took no more bytes; free some space, or raise the quota",
    "SQLITE_IOERR": "the disk failed to read or write; check the disk and its free space",
}
