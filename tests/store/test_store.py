from __future__ import annotations

import os
import re
import resource
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import psycopg
import pytest
from sqlalchemy import Connection, create_engine, event

from killed_process import KilledProcess
from lanner.errors import StoreError
from lanner.store import CollisionError, DisconnectedError, RecentCache, Store, Transaction, schema
from lanner.store.store import WriteQueue, file_system_of, locate, postgresql_warnings, read_mounts, sqlite_warnings
from store_rows import NOW, answer, fill


def test_a_transaction_is_all_or_nothing(store: Store, filled: SimpleNamespace) -> None:
    def half(tx: Transaction) -> None:
        tx.judgements.add([answer(filled, 1)])
        raise RuntimeError("the process thinks better of it")

    with pytest.raises(RuntimeError):
        store.write(half)
    with store.reading() as tx:
        assert tx.judgements.count(filled.campaign) == 0


def test_a_reader_sees_one_moment(store: Store, filled: SimpleNamespace) -> None:
    with store.reading() as reader:
        assert reader.judgements.count(filled.campaign) == 0
        with store.writing() as writer:
            writer.judgements.add([answer(filled, 1)])
        assert reader.judgements.count(filled.campaign) == 0
    with store.reading() as later:
        assert later.judgements.count(filled.campaign) == 1


def test_a_collision_is_tried_again(store: Store, filled: SimpleNamespace) -> None:
    tries = []

    def work(tx: Transaction) -> int:
        tries.append(1)
        if len(tries) < 3:
            tx.judgements.add([answer(filled, 1, submission="same"), answer(filled, 2, submission="same")])
        tx.judgements.add([answer(filled, 3)])
        return len(tries)

    assert store.write(work) == 3
    with store.reading() as tx:
        assert tx.judgements.count(filled.campaign) == 1


def test_a_collision_that_stays_is_an_error(
    store: Store, filled: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lanner.store.store._ATTEMPTS", 3)
    tries = []

    def work(tx: Transaction) -> None:
        tries.append(1)
        tx.judgements.add([answer(filled, 1, submission="same"), answer(filled, 2, submission="same")])

    with pytest.raises(CollisionError):
        store.write(work)
    assert len(tries) == 3


def test_many_writers_lose_nothing(store: Store, place: str, filled: SimpleNamespace) -> None:
    """Eight threads over two stores on the same database, as two server processes would."""
    with Store.open(place) as second:

        def save(number: int) -> None:
            def work(tx: Transaction) -> None:
                (row,) = tx.judgements.reserve(1, [filled.campaign])
                tx.judgements.add([answer(filled, row, submission=f"s{number}", segment=str(number))])

            (store if number % 2 else second).write(work)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(save, range(120)))
    with store.reading() as tx:
        assert {j.segment for j in tx.judgements.current(filled.campaign)} == {str(n) for n in range(120)}


def write_for_ever(place: str, say: Callable[[int], None]) -> None:
    store = Store.open(place)
    filled = fill(store)
    say(filled.campaign)

    def work(tx: Transaction) -> None:
        rows = tx.judgements.reserve(3, [filled.campaign])
        parts = [answer(filled, row, submission=f"s{n}", part=at, segment=f"{n}-{at}") for at, row in enumerate(rows)]
        tx.judgements.add(parts)

    for n in range(1_000_000):
        store.write(work)
        say(n)


def test_what_was_acknowledged_survives_kill_9(place: str) -> None:
    """Killed in the middle of writing: every acknowledged save is there, whole, and the store opens at once."""
    writer = KilledProcess(write_for_ever, place)
    campaign, *acknowledged = writer.said(41) + writer.kill()
    with Store.open(place) as store, store.reading() as tx:
        stored = [j.segment for j in tx.judgements.current(campaign)]
    assert len(stored) == len(set(stored)) and len(stored) % 3 == 0
    assert {f"{n}-{p}" for n in acknowledged for p in range(3)} <= set(stored)
    with Store.open(place) as store, store.writing() as tx:
        tx.events.add("written to again", NOW)


def test_waiting_for_another_program_ends_in_words(sqlite_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanner.store.store.BUSY_SECONDS", 0)
    with Store.open(sqlite_path) as first, Store.open(sqlite_path) as second, first.writing() as tx:
        tx.events.add("slow", NOW)
        with pytest.raises(StoreError, match="Another program is writing") as caught, second.writing():
            pass
    assert caught.value.next_step


def test_opening_a_store_that_is_up_to_date_waits_for_no_writer(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Helper processes open it while judges save; one of low priority that took the lock would hold them up."""
    monkeypatch.setattr("lanner.store.store.BUSY_SECONDS", 0)
    with Store.open(sqlite_path) as store, store.writing(), Store.open(sqlite_path) as other, other.reading() as tx:
        assert tx.campaigns.all() == []


def test_a_full_disk_is_said_and_nothing_is_lost(sqlite_path: Path) -> None:
    with Store.open(sqlite_path) as store:
        filled = fill(store)
        with store.writing() as tx:
            tx.judgements.add([answer(filled, 1)])
            driver = tx.judgements._connection.connection.dbapi_connection
            pages = driver.execute("PRAGMA page_count").fetchone()[0]
        too_much = [answer(filled, n, value='"' + "x" * 4000 + '"', segment=str(n)) for n in range(2, 60)]
        with pytest.raises(StoreError, match="disk is full"), store.writing() as tx:
            driver = tx.judgements._connection.connection.dbapi_connection
            driver.execute(f"PRAGMA max_page_count = {pages + 5}")
            tx.judgements.add(too_much)
        with store.reading() as tx:
            assert tx.judgements.count(filled.campaign) == 1


def test_a_commit_that_fails_leaves_a_connection_that_works(sqlite_path: Path) -> None:
    """The disk refuses at the last moment; when there is room again, the next work finds everything in order."""
    with Store.open(sqlite_path) as store:
        number = fill(store).campaign
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for _ in range(2):
            with pytest.raises(StoreError, match="disk"), store.writing() as tx:
                tx.events.add("begun", NOW, campaign=number)
                resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        with store.writing() as tx:
            tx.events.add("done", NOW, campaign=number)
        with store.reading() as tx:
            assert [event.kind for event in tx.events.of(number)][-1:] == ["done"]


def test_a_store_that_is_closed_leaves_no_connection_open(store: Store) -> None:
    """Neither one that a thread was using when it was closed, nor one that a thread opens a moment later: the garbage
    collector would find them in the pool some day and complain about them."""
    opened, closed, inside, go_on = list[object](), list[object](), Event(), Event()
    event.listen(store._engine, "connect", lambda driver, _: opened.append(driver))
    event.listen(store._engine, "close", lambda driver, _: closed.append(driver))

    def read_for_long() -> None:
        with store.reading(), store.reading() as tx:
            inside.set()
            assert go_on.wait(60)
            tx.events.of(1)

    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(read_for_long)
        assert inside.wait(60)
        store.close()
        go_on.set()
        reading.result()
    with store.writing() as tx:
        tx.events.add("afterwards", NOW)
    assert (len(opened), len(closed)) == (2, 3), "the store itself had opened one before"
    assert {id(driver) for driver in opened} <= {id(driver) for driver in closed}


@pytest.mark.postgres
def test_lost_connections_to_postgres_are_made_again(postgres_server: str, postgres_url: str) -> None:
    """As after a restart of the server: every pooled connection is dead, and the next repeatable work finds out."""

    def pid(tx: Transaction) -> int:
        return int(tx.judgements._connection.connection.dbapi_connection.info.backend_pid)

    def end(*pids: int) -> None:
        with psycopg.connect(postgres_server, autocommit=True) as admin:
            for each in pids:
                assert admin.execute("SELECT pg_terminate_backend(%s)", (each,)).fetchone() == (True,)

    with Store.open(postgres_url) as store:
        filled = fill(store)
        with store.reading() as one, store.reading() as two:
            pooled = pid(one), pid(two)
        end(*pooled)
        assert store.write(lambda tx: tx.tasks.places([(2**62, 0, "")])) == [None], "sent with the transaction's begin"
        with store.reading() as tx:
            pooled = (pid(tx),)
        end(*pooled)
        store.write(lambda tx: tx.judgements.add([answer(filled, 1)]))
        with pytest.raises(DisconnectedError), store.writing() as tx:
            end(pid(tx))
            tx.judgements.add([answer(filled, 2, segment="1")])
        with pytest.raises(DisconnectedError), store.writing() as tx:
            end(pid(tx))
            tx.events.add("through SQLAlchemy", NOW)
        with store.reading() as tx:
            assert tx.judgements.count(filled.campaign) == 1


def test_who_writes_again_and_again_lets_others_write_in_between(sqlite_path: Path) -> None:
    """SQLite keeps no order: a thread that wrote one transaction after the other held up a save for seconds."""
    turns, order = WriteQueue(), list[str]()

    def work(name: str) -> None:
        with turns.take(60):
            order.append(name)

    def wait_for(number: int) -> None:
        while len(turns._queue) < number:
            os.sched_yield()

    with ThreadPoolExecutor(3) as threads:
        with turns.take(60):
            for number, name in enumerate(("save", "again", "another save"), 2):
                threads.submit(work, name)
                wait_for(number)
            with pytest.raises(StoreError, match="does not let go"), turns.take(0.001):
                pass  # whoever gives up leaves the others where they are
        threads.shutdown(wait=True)
    assert order == ["save", "again", "another save"]
    with Store.open(sqlite_path) as store, store.writing():
        assert store._turns is not None and len(store._turns._queue) == 1
    with store.reading():
        assert not store._turns._queue, "who reads waits for nobody"


def test_a_campaign_goes_with_everything_that_refers_to_it(store: Store, filled: SimpleNamespace) -> None:
    """Without SQLite's help, which would read all judgements of other campaigns for each task and document: a small one
    among 200,000 judgements took 75 seconds, in which nobody could save."""
    other = fill(store, "second")
    store.write(lambda tx: tx.judgements.add([answer(filled, 1), answer(other, 2)]))
    deleted: set[str] = set()

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        deleted.update(re.findall(r"DELETE FROM (\w+)", statement))

    event.listen(store._engine, "before_cursor_execute", note)
    with store.deleting() as tx:
        if store.kind == "sqlite":
            assert tx.campaigns._connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 0
        tx.campaigns.remove(filled.campaign)
    belonging = {"campaign"}
    for table in schema.metadata.sorted_tables:  # those that are referred to come first
        if {key.column.table.name for key in table.foreign_keys} & belonging:
            belonging.add(table.name)
    assert deleted == belonging
    with store.writing() as tx:
        assert tx.judgements.count(other.campaign) == 1 and tx.judgements.count(filled.campaign) == 0
        if store.kind == "sqlite":
            assert tx.campaigns._connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            assert tx.campaigns._connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_makes_once_and_forgets_the_least_used() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    memo = RecentCache(size=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert memo.get(name, lambda name=name: make(name)) == name.upper()
    assert made == ["a", "b", "c", "b"]


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_that_is_no_longer_there_takes_no_answers(sqlite_path: Path, how: str) -> None:
    with Store.open(sqlite_path) as store:
        filled = fill(store)
        if how == "replaced":
            other = sqlite_path.with_name("other.sqlite")
            other.write_bytes(sqlite_path.read_bytes())
            other.replace(sqlite_path)
        else:
            sqlite_path.unlink()
        with pytest.raises(StoreError, match="deleted or replaced"):
            store.write(lambda tx: tx.judgements.add([answer(filled, 1)]))
        with pytest.raises(StoreError, match="deleted or replaced"), store.reading() as tx:
            tx.accounts.count_owners()


def test_a_damaged_file_is_read_and_not_written(sqlite_path: Path) -> None:
    with Store.open(sqlite_path) as store:
        filled = fill(store)
        rows = [answer(filled, n, segment=str(n), value='"' + "x" * 500 + '"') for n in range(1, 400)]
        store.write(lambda tx: tx.judgements.add(rows))
        assert store.check_pages() == ""
    content = bytearray(sqlite_path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = b"\xff" * 8192
    sqlite_path.write_bytes(content)
    with Store.open(sqlite_path) as store:
        assert "damaged" in store.check_pages()
        with pytest.raises(StoreError, match="damaged") as caught:
            store.write(lambda tx: tx.events.add("not written", NOW))
        assert "backup" in caught.value.next_step
        with store.reading() as tx:
            assert tx.campaigns.find("first") is not None


@pytest.mark.parametrize("journal", [False, True])
def test_a_store_that_nobody_may_write_to_can_be_read(
    sqlite_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: bool
) -> None:
    """On a read-only disk, or in a colleague's folder; with the journal of a server that was killed, too."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    place = folder / "lanner.db"
    with Store.open(sqlite_path) as store:
        fill(store)
        for ending in ("", "-wal", "-shm") if journal else ():
            shutil.copyfile(f"{sqlite_path}{ending}", f"{place}{ending}")
    if not journal:
        shutil.copyfile(sqlite_path, place)
    names, content = sorted(folder.iterdir()), place.read_bytes()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))  # root may write
    folder.chmod(0o555)
    with Store.open(place, create=False) as store:
        with store.reading() as tx:
            assert tx.campaigns.find("first") is not None
        assert store.check_pages() == "" and locate(store.address) == locate(place)
        with pytest.raises(StoreError, match="cannot be written to") as refused:
            store.write(lambda tx: tx.events.add("not written", NOW))
        assert "copy" in refused.value.next_step
    assert sorted(folder.iterdir()) == names and place.read_bytes() == content
    folder.chmod(0o755)


def test_a_new_store_is_nobody_elses_to_read(sqlite_path: Path) -> None:
    with Store.open(sqlite_path) as store:
        fill(store)
        assert {path.name: path.stat().st_mode & 0o077 for path in sqlite_path.parent.glob("*.sqlite*")} == {
            path.name: 0 for path in sqlite_path.parent.glob("*.sqlite*")
        }


def test_postgresql_waits_for_the_disk_whatever_the_server_does_for_others(place: str) -> None:
    if "://" not in place:
        pytest.skip("PostgreSQL alone has a setting for it")
    with psycopg.connect(place, autocommit=True) as other:
        name = other.execute("SELECT current_database()").fetchone()
        assert name is not None
        other.execute(f'ALTER DATABASE "{name[0]}" SET synchronous_commit = off')
        try:
            with Store.open(place) as store, store.filling() as connection:
                assert connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == "on"
        finally:
            other.execute(f'ALTER DATABASE "{name[0]}" RESET synchronous_commit')


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


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("postgresql://me:secret@[::1/db", "bad_address"),
        ("postgresql://me:secret@127.0.0.1:port/db", "bad_address"),
        ("postgresql://me:secret@127.0.0.1:1/db?connect_timeout=soon", "bad_address"),
        ("postgresql://me:secret@127.0.0.1:1/db?nonsense=1", "bad_address"),
        (".", "bad_store"),
    ],
)
def test_what_is_no_place_of_a_store_is_refused_without_its_password(place: str, code: str) -> None:
    with pytest.raises(StoreError) as refused:
        Store.open(place)
    assert refused.value.code == code and "secret" not in str(refused.value)


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


@pytest.mark.postgres
def test_what_one_database_says_is_not_said_of_the_other(sqlite_path: Path, postgres_url: str) -> None:
    with Store.open(postgres_url) as source, Store.open(sqlite_path) as copy:
        with pytest.raises(StoreError) as refused, source.snapshot() as read, copy.filling():
            read.exec_driver_sql("SELECT 1 / 0")
        assert refused.value.where.file == source.place
