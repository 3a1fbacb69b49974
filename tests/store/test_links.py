from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from lanner.errors import StoreError
from lanner.store import Store
from lanner.store.engine import connect, locate
from lanner.store.links import Links, driver_of


@pytest.fixture
def links(sqlite_path: Path) -> Links:
    Store.open(sqlite_path).close()
    return Links(connect(locate(sqlite_path)), begin="BEGIN", limit=2, patience=0)


def test_a_connection_is_used_again_and_carries_nothing_over(links: Links) -> None:
    first = links.begin()
    driver_of(first).execute("INSERT INTO event (at, kind, detail) VALUES (1, 'driver', '{}')")
    links.commit(first)
    second = links.begin()
    assert second is first
    second.execute(text("INSERT INTO event (at, kind, detail) VALUES (1, 'given up', '{}')"))
    links.roll_back(second)
    third = links.begin()
    assert third.execute(text("SELECT kind FROM event")).scalars().all() == ["driver"]
    links.commit(third)
    links.close()


def test_no_more_than_the_limit_at_a_time(links: Links) -> None:
    one, two = links.begin(), links.begin()
    with pytest.raises(StoreError, match="in use"):
        links.begin()
    links.roll_back(one)
    links.commit(two)
    links.commit(links.begin())
    links.close()


def test_a_connection_that_cannot_begin_does_not_stay_taken(links: Links) -> None:
    kept = links.begin()
    driver_of(kept).execute("COMMIT")
    driver_of(kept).execute("BEGIN")
    links.commit(kept)
    broken = links.begin()
    links._idle.append(broken)  # as if a transaction had been left open on an idle connection
    for _ in range(5):
        with pytest.raises(Exception, match="within a transaction"):
            links.begin()
        links._idle.append(links._engine.connect())
        driver_of(links._idle[-1]).execute("BEGIN")
    links.close()
