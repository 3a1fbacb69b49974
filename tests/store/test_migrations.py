from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from lanner.errors import StoreError
from lanner.store import Store, migrations, schema
from lanner.store.store import last_step, locate
from store_rows import NOW, answer, fill


def columns(connection: Connection) -> dict[str, dict[str, tuple[str, bool]]]:
    """Table to column to (kind of type, may be null), as the database has it."""
    found = inspect(connection)
    tables = {}
    for table in schema.metadata.sorted_tables:
        kinds = {c["name"]: (c["type"]._type_affinity.__name__, c["nullable"]) for c in found.get_columns(table.name)}
        tables[table.name] = kinds
    return tables


def test_the_steps_lead_to_the_tables_of_the_schema(store: Store, place: str) -> None:
    expected = {
        table.name: {c.name: (c.type._type_affinity.__name__, bool(c.nullable)) for c in table.columns}
        for table in schema.metadata.sorted_tables
    }
    engine = create_engine(locate(place))
    with engine.connect() as connection:
        assert columns(connection) == expected
        for table in schema.metadata.sorted_tables:
            indexed = {
                i["name"]: (i["column_names"], bool(i["unique"])) for i in inspect(connection).get_indexes(table.name)
            }
            here = [i for i in table.indexes if i._ddl_if is None or i._ddl_if.dialect == store.kind]
            assert indexed == {str(i.name): ([c.name for c in i.columns], bool(i.unique)) for i in here}
            keys = {
                (k["constrained_columns"][0], k["referred_table"])
                for k in inspect(connection).get_foreign_keys(table.name)
            }
            assert keys == {(k.parent.name, k.column.table.name) for k in table.foreign_keys}
    engine.dispose()


def test_postgresql_finds_by_an_index_what_refers_to_a_row_that_is_deleted(postgres_url: str) -> None:
    """It looks for every task, document and judge that goes: redefining a draft of 200 tasks took 14 seconds beside
    300,000 judgements of others."""
    Store.open(postgres_url).close()
    engine = create_engine(locate(postgres_url))
    with engine.connect() as connection:
        found = inspect(connection)
        for table in ("judgement", "ledger", "item", "task"):
            key = found.get_pk_constraint(table)["constrained_columns"]
            begins = {key[0], *(index["column_names"][0] for index in found.get_indexes(table))}
            refers = {k["constrained_columns"][0]: k["referred_table"] for k in found.get_foreign_keys(table)}
            slow = {column for column, referred in refers.items() if referred != "campaign" and column not in begins}
            assert not slow, table
    engine.dispose()


def test_steps_are_applied_once(store: Store, place: str) -> None:
    with store.writing() as tx:
        tx.events.add("kept", now=NOW)
    with Store.open(place) as again, again.reading() as tx:
        assert tx.accounts.count_owners() == 0
    engine = create_engine(locate(place))
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT number, name FROM lanner_migration ORDER BY number")).all()
        assert [tuple(row) for row in rows] == [(n, s.__name__) for n, s in enumerate(migrations.STEPS, 1)]
        assert connection.execute(text("SELECT kind FROM event")).scalar() == "kept"
    engine.dispose()


def test_a_later_step_keeps_what_is_there(store: Store, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.writing() as tx:
        tx.events.add("kept", now=NOW)

    def m999_more(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE event ADD COLUMN mood TEXT")

    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, m999_more))
    Store.open(place).close()
    engine = create_engine(locate(place))
    with engine.connect() as connection:
        assert connection.execute(text("SELECT kind, mood FROM event")).one() == ("kept", None)
    engine.dispose()


def test_a_step_that_fails_leaves_nothing_behind(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(place).close()

    def m998_half(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE event ADD COLUMN half TEXT")

    def m999_wrong(connection: Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE nowhere ADD COLUMN mood TEXT")

    known = len(migrations.STEPS)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", (*migrations.STEPS, m998_half, m999_wrong))
        with pytest.raises((StoreError, DBAPIError)):
            Store.open(place)
    engine = create_engine(locate(place))
    with engine.connect() as connection:
        assert last_step(connection, place) == known
        assert "half" not in columns(connection)["event"]
    engine.dispose()
    Store.open(place).close()


def test_a_database_from_the_future_is_refused(place: str) -> None:
    Store.open(place).close()
    engine = create_engine(locate(place))
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO lanner_migration VALUES (999, 'm999_from_the_future', 0)"))
    engine.dispose()
    with pytest.raises(StoreError, match="newer version of Lanner") as caught:
        Store.open(place)
    assert "upgrade" in caught.value.next_step


def test_a_file_from_the_future_stays_as_it_is(sqlite_path: Path) -> None:
    Store.open(sqlite_path).close()
    driver = sqlite3.connect(sqlite_path)
    driver.execute("INSERT INTO lanner_migration VALUES (999, 'm999_from_the_future', 0)")
    driver.commit()
    driver.close()
    before = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sqlite_path.parent.iterdir()}
    with pytest.raises(StoreError, match="Nothing was changed"):
        Store.open(sqlite_path)
    after = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sqlite_path.parent.iterdir()}
    assert after == before


def test_judgements_cannot_be_changed_by_anyone(store: Store, place: str, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1)])
    engine = create_engine(locate(place))
    with pytest.raises(Exception, match="append-only"), engine.begin() as connection:
        connection.execute(text("UPDATE judgement SET value = '4'"))
    engine.dispose()
    with store.reading() as tx:
        assert [j.value for j in tx.judgements.current(filled.campaign)] == [3]


def test_a_store_of_an_earlier_step_comes_to_the_same_indexes(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def indexes() -> dict[str, set[str | None]]:
        engine = create_engine(locate(place))
        with engine.connect() as connection:
            tables = inspect(connection)
            names = {t.name: {i["name"] for i in tables.get_indexes(t.name)} for t in schema.metadata.sorted_tables}
        engine.dispose()
        return names

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", migrations.STEPS[:5])
        with Store.open(place) as store:
            filled = fill(store)
            store.write(lambda tx: tx.judgements.add([answer(filled, 1)]))
    before = indexes()
    with Store.open(place) as store, store.reading() as tx:
        assert [row.value for row in tx.judgements.current(filled.campaign)] == [3]
    added = {(table, name) for table, names in indexes().items() for name in names - before[table]}
    assert len(added) == (4 if "postgresql" in place else 0)


def test_a_step_forgets_who_was_reminded_and_what_is_not_sent_any_more(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", migrations.STEPS[:4])
        with Store.open(place) as store:
            filled = fill(store)
            with store.writing() as tx:
                tx.events.add("reminded", NOW, campaign=filled.campaign, judges=["ana", "bo"])
                tx.events.add("judges_added", NOW, campaign=filled.campaign, judges=2, tasks=4)
                tx.webhooks.add("https://example.org", "", ["task.finished"], NOW)
                for judge in ("ana", "bo"):
                    tx.webhooks.announce(filled.campaign, "task.finished", {"judge": judge}, NOW)
            with store.filling() as connection:
                connection.exec_driver_sql("UPDATE delivery SET due_at = NULL WHERE id = 1")
    with Store.open(place) as store:
        with store.reading() as tx:
            details = [event.detail for event in tx.events.of(filled.campaign)]
        assert details == [{"judges": 2}, {"judges": 2, "tasks": 4}]
        with store.snapshot() as connection:
            bodies = connection.exec_driver_sql("SELECT body FROM delivery ORDER BY id").scalars().all()
        assert bodies == ["", '{"event":"task.finished","judge":"bo"}']
