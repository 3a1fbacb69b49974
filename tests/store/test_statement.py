from __future__ import annotations

from types import SimpleNamespace

import pytest
from sqlalchemy import bindparam, select, update

from lanner.store import CollisionError, Store, schema
from lanner.store.codec import dumps
from lanner.store.statement import Statement
from store_rows import answer, fill


def test_the_same_statement_runs_on_every_database(store: Store, filled: SimpleNamespace) -> None:
    fill(store, "second")
    built = []

    def build() -> object:
        built.append(1)
        c = schema.campaign.c
        return select(c.name, c.seed).where(c.seed == bindparam("seed"), c.id > bindparam("after")).order_by(c.name)

    statement = Statement(build)  # type: ignore[arg-type]
    with store.reading() as tx:
        connection = tx.campaigns._connection
        assert statement.all(connection, after=0, seed=3) == [("first", 3), ("second", 3)]
        assert list(statement.each(connection, after=filled.campaign, seed=3)) == [("second", 3)]
        assert statement.one(connection, after=0, seed=4) is None
        assert list(statement.each(connection, after=0, seed=3)) == statement.all(connection, after=0, seed=3)
    assert len(built) == 1


def test_changes_are_counted(store: Store, filled: SimpleNamespace) -> None:
    statement = Statement(
        lambda: update(schema.judge).where(schema.judge.c.key == bindparam("who")).values(name=bindparam("called"))
    )
    with store.writing() as tx:
        assert statement.run(tx.judges._connection, who="ana", called="x") == 1
        assert statement.run(tx.judges._connection, who="nobody", called="x") == 0


def test_few_and_many_rows_go_in_alike(store: Store, filled: SimpleNamespace) -> None:
    for rows in (range(1, 4), range(10, 310)):
        with store.writing() as tx:
            odd = 'tab\t "quote" \\N back\\slash\nnewline 🌲'
            tx.judgements.add([answer(filled, n, segment=f"{n}{odd}", value=dumps(odd), flags=None) for n in rows])
        with store.reading() as tx:
            found = [j for j in tx.judgements.current(filled.campaign) if j.id in rows]
        assert [(j.id, j.segment, j.value) for j in found] == [(n, f"{n}{odd}", odd) for n in rows]
    with pytest.raises(CollisionError), store.writing() as tx:
        tx.judgements.add([answer(filled, n, segment=str(n)) for n in range(300, 500)])


def test_a_value_written_into_a_statement_is_refused_rather_than_lost(store: Store) -> None:
    statement = Statement(lambda: select(schema.judge.c.id).where(schema.judge.c.key == "ana"))
    with store.reading() as tx, pytest.raises(ValueError, match="bindparam"):
        statement.all(tx.judges._connection)
