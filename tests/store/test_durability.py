from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine

from lanner.store import Store
from lanner.store.durability import file_system_of, postgresql_warnings, read_mounts, sqlite_warnings

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
