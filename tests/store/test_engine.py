from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine

from lanner.errors import StoreError
from lanner.store import Store
from lanner.store.engine import file_system_of, locate, postgresql_warnings, read_mounts, sqlite_warnings
from store_rows import fill


def test_sqlite_is_set_up_to_keep_what_it_acknowledged(sqlite_path: Path) -> None:
    with Store.open(sqlite_path) as store, store.reading() as tx:
        driver = tx.events._connection.connection.dbapi_connection
        settings = {
            name: driver.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


def test_addresses() -> None:
    assert locate("some/where.db").database == str(Path("some/where.db").absolute())
    assert locate("sqlite:////srv/x.db").database == "/srv/x.db"
    assert locate("postgresql://me@host/db").drivername == locate("postgres://me@host/db").drivername
    for address in ("mysql://host/db", "://", "sqlite://"):
        with pytest.raises(StoreError):
            locate(address)


def test_no_store_where_one_was_expected(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such store"):
        Store.open(tmp_path / "none.db", create=False)
    with pytest.raises(StoreError, match="folder does not exist"):
        Store.open(tmp_path / "nowhere" / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_store_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("This is not a database. " * 99)
    other = tmp_path / "other.db"
    driver = sqlite3.connect(other)
    driver.execute("CREATE TABLE songs (title TEXT)")
    driver.commit()
    driver.close()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="not a store"):
        Store.open(text)
    with pytest.raises(StoreError, match="some other program"):
        Store.open(other)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_store_left_open_by_a_crash_opens(tmp_path: Path) -> None:
    """A copy taken while the journal still holds everything is what a crash leaves behind."""
    with Store.open(tmp_path / "a.db") as store:
        fill(store)
        (tmp_path / "b").mkdir()
        for name in ("a.db", "a.db-wal"):
            (tmp_path / "b" / name).write_bytes((tmp_path / name).read_bytes())
    with Store.open(tmp_path / "b" / "a.db", create=False) as copy, copy.reading() as tx:
        assert [c.name for c in tx.campaigns.all()] == ["first"]


@pytest.mark.postgres
def test_postgres_errors_in_words(postgres_server: str) -> None:
    with pytest.raises(StoreError, match="no such database"):
        Store.open(postgres_server.replace("/postgres?", "/nowhere?"))
    with pytest.raises(StoreError, match="does not answer"):
        Store.open("postgresql://me:secret@127.0.0.1:1/db")
    try:
        Store.open("postgresql://me:secret@127.0.0.1:1/db")
    except StoreError as error:
        assert "secret" not in str(error)


MOUNTS = [("/", "ext4"), ("/home", "nfs4"), ("/home/local disk", "xfs"), ("/mnt/over", "ext4"), ("/mnt/over", "cifs")]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/lanner.sqlite", "ext4"),
        ("/home/ana/lanner.sqlite", "nfs4"),
        ("/homeless/lanner.sqlite", "ext4"),
        ("/home/local disk/lanner.sqlite", "xfs"),
        ("/mnt/over/lanner.sqlite", "cifs"),
    ],
)
def test_a_file_lies_on_what_is_mounted_nearest_above_it(path: str, kind: str) -> None:
    assert file_system_of(Path(path), MOUNTS) == kind


def test_this_machine_says_what_is_mounted() -> None:
    mounts = read_mounts()
    assert not mounts or any(folder == "/" for folder, _ in mounts)


def test_a_store_on_a_local_disk_keeps_its_promise(store: Store) -> None:
    unsafe = ["fsync"] if store.kind == "postgresql" else []  # how the tests' own server is started, to be quick
    assert [warning.split()[3] for warning in store.durability()] == unsafe


@pytest.fixture
def connection() -> Connection:
    return create_engine("sqlite://").connect()


def test_a_store_on_a_network_file_system_is_warned_of(connection: Connection) -> None:
    (warning,) = sqlite_warnings(connection, Path("/home/ana/lanner.sqlite"), MOUNTS)
    assert "nfs4" in warning and "PostgreSQL" in warning


def test_a_file_written_without_waiting_for_the_disk_is_warned_of(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA synchronous = NORMAL")
    (warning,) = sqlite_warnings(connection, Path("/srv/lanner.sqlite"), MOUNTS)
    assert "power cut" in warning


class Settings:
    """A PostgreSQL server that has these settings switched off."""

    def __init__(self, *off: str) -> None:
        self.off = off

    def exec_driver_sql(self, statement: str) -> Settings:
        self.asked = statement.removeprefix("SHOW ")
        return self

    def scalar_one(self) -> str:
        return "off" if self.asked in self.off else "on"


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_server_that_does_not_wait_for_its_disk_is_warned_of(name: str) -> None:
    (warning,) = postgresql_warnings(Settings(name))  # type: ignore[arg-type]
    assert f"{name} = off" in warning and "postgresql.conf" in warning
    assert postgresql_warnings(Settings()) == []  # type: ignore[arg-type]
