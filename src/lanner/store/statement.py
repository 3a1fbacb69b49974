"""Statements for the paths that must be fast.

SQLAlchemy's own way of running a statement costs about 40 µs of processor time each, ten times what SQLite needs for
the work. The tables hold plain types only, so nothing is lost by compiling a statement once per kind of database and
handing the text to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Table, text
from sqlalchemy.sql.expression import ClauseElement

from lanner.store.links import driver_of

Row = tuple[Any, ...]
_MANY = 100
_Compiled = tuple[str, tuple[str, ...] | None]


class Statement:
    """One statement, built and compiled when first needed. Values are given by name."""

    def __init__(self, build: Callable[[], ClauseElement]) -> None:
        self._build = build
        self._compiled: dict[str, _Compiled] = {}

    def all(self, connection: Connection, **values: Any) -> list[Row]:
        """Every row."""
        sql, order = self._for(connection)
        driver = driver_of(connection)
        found: list[Row] = driver.execute(sql, _arranged(values, order)).fetchall()
        return found

    def each(self, connection: Connection, **values: Any) -> Iterator[Row]:
        """Every row, one after the other, without holding all of them."""
        sql, order = self._for(connection)
        driver = driver_of(connection)
        if connection.dialect.name == "sqlite":
            yield from driver.execute(sql, _arranged(values, order))
            return
        with driver.cursor(name="lanner_each") as cursor:  # a named cursor stays on PostgreSQL's side
            cursor.itersize = 10_000
            yield from cursor.execute(sql, values)

    def one(self, connection: Connection, **values: Any) -> Row | None:
        """The first row, if any."""
        rows = self.all(connection, **values)
        return rows[0] if rows else None

    def run(self, connection: Connection, **values: Any) -> int:
        """How many rows were changed."""
        sql, order = self._for(connection)
        driver = driver_of(connection)
        changed: int = driver.execute(sql, _arranged(values, order)).rowcount
        return changed

    def run_each(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Once for each of the rows."""
        sql, order = self._for(connection)
        driver = driver_of(connection)
        driver.cursor().executemany(sql, rows if order is None else map(itemgetter(*order), rows))

    def _for(self, connection: Connection) -> _Compiled:
        dialect = connection.dialect
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled: Any = self._build().compile(dialect=dialect)
            order = tuple(compiled.positiontup or ()) if compiled.positional else None
            if constants := [name for name, value in compiled.params.items() if value is not None]:
                raise ValueError(f"write these as bindparam, so that they are not left out: {constants}")
            found = self._compiled[dialect.name] = (str(compiled), order)
        return found


class Worded(Statement):
    """One statement in the words of each kind of database, where the two have different words for the same."""

    def __init__(self, *, sqlite: str, postgresql: str) -> None:
        super().__init__(lambda: text(""))
        self._compiled = {"sqlite": (sqlite, None), "postgresql": (postgresql, None)}


class Insert(Statement):
    """Whole rows into a table: a few in a statement each, many by the fastest way the database has."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.insert)
        self._table = table

    def rows(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add the rows; each names every column."""
        if connection.dialect.name == "sqlite" or len(rows) < _MANY:
            self.run_each(connection, rows)
            return
        names = [column.name for column in self._table.columns]
        take = itemgetter(*names)
        with (
            driver_of(connection).cursor() as cursor,
            cursor.copy(f"COPY {self._table.name} ({', '.join(names)}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(take(row))


def _arranged(values: Mapping[str, Any], order: tuple[str, ...] | None) -> Any:
    return values if order is None else tuple(values[name] for name in order)
