"""What the classes of queries share: the transaction's connection, fast ways to insert and fetch rows, conversion
between Python values and the plain types of the tables (JSON text, integer moments), and the clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any, overload

from pydantic_core import PydanticSerializationError, from_json, to_json
from sqlalchemy import BigInteger, Connection, Table, Text, bindparam, cast, func, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB

from lanner.errors import InputError
from lanner.model import Json

STREAMED = {"yield_per": 10_000}
"""For statements that may give a million rows: they are read some at a time, on PostgreSQL by a cursor of its own."""


class Rows:
    """Queries about one kind of row, inside one transaction."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


def reserve_numbers(connection: Connection, table: str, count: int) -> Sequence[int]:
    """Ids for rows about to be added, when other rows must name them."""
    if connection.dialect.name == "sqlite":  # safe: a writing transaction is alone
        last = connection.execute(text(_SQLITE_LAST.format(table=table))).scalar_one()
        return range(last + 1, last + 1 + count)
    return connection.execute(text(_POSTGRES_NEXT.format(table=table)), {"count": count}).scalars().all()


def keep_number(connection: Connection, table: str, last: int) -> None:
    """Make sure that no new row of this table gets this number or a lower one, even where such rows were deleted."""
    values = {"table": table, "last": last}
    raise_it = text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = :table")
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)"), values)
    elif not connection.execute(raise_it, values).rowcount:
        connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"), values)


_SQLITE_LAST = (
    "SELECT max((SELECT coalesce(max(id), 0) FROM {table}),"
    " (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '{table}'))"
)
_POSTGRES_NEXT = "SELECT nextval('{table}_id_seq') FROM generate_series(1, :count)"


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, each of which names every column, by the fastest way either database has."""
    if not rows:
        return
    if connection.dialect.name == "postgresql" and len(rows) <= _FEW_ROWS:
        # in one message, which may go with others; COPY cannot
        driver_of(connection).execute(_postgresql_insert(table), {"rows": dumps([*map(dict, rows)])})
        return
    insert_values(connection, table, map(_values_of(table), rows))


def insert_values(connection: Connection, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Add rows that are values in the order of the columns, by the fastest way; at least one."""
    if connection.dialect.name == "sqlite":  # as the driver wants them: SQLAlchemy's own way takes three times as long
        driver_of(connection).executemany(_sqlite_insert(table), rows)
        return
    names = ", ".join(column.name for column in table.columns)
    with driver_of(connection).cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


_FEW_ROWS = 500


@cache
def _values_of(table: Table) -> Callable[[Any], tuple[Any, ...]]:
    return itemgetter(*(column.name for column in table.columns))


@cache
def _sqlite_insert(table: Table) -> str:
    return str(table.insert().compile(dialect=sqlite.dialect()))


@cache
def _postgresql_insert(table: Table) -> str:
    names = ", ".join(column.name for column in table.columns)
    dialect = _postgresql_dialect()
    types = ", ".join(f"{column.name} {column.type.compile(dialect)}" for column in table.columns)
    return f"INSERT INTO {table.name} ({names}) SELECT {names} FROM json_to_recordset(%(rows)s) AS given({types})"


# The statements of a save are compiled by SQLAlchemy once and given to the driver as they are. On PostgreSQL a save
# waits for each round trip, on a busy machine longer than for the work itself, and SQLAlchemy's results need one for
# every statement; on SQLite they take longer to make than the statements take to run.


def fetch(connection: Connection, statement: Any, values: Mapping[str, Any]) -> Sequence[Any]:
    """All rows of a statement. The first one of a transaction goes to PostgreSQL together with its beginning."""
    dialect, driver = connection.dialect.name, driver_of(connection)
    words, constants = _driver_text(statement, dialect)
    begins = dialect == "postgresql" and driver.info.transaction_status == _IDLE
    with driver.pipeline() if begins else nullcontext():
        rows: Sequence[Any] = driver.execute(words, {**constants, **values}).fetchall()
        return rows


_IDLE = 0  # of libpq: no transaction has begun


def send(connection: Connection, statement: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Run a statement for each of these rows, without fetching results."""
    words, constants = _driver_text(statement, connection.dialect.name)
    with closing(driver_of(connection).cursor()) as cursor:
        cursor.executemany(words, [{**constants, **row} for row in rows])


def driver_of(connection: Connection) -> Any:
    """The driver's own connection, for what SQLAlchemy takes longer to say than the database to do."""
    return connection.connection.dbapi_connection


@cache
def _driver_text(statement: Any, dialect: str) -> tuple[str, Mapping[str, Any]]:
    """A statement as the driver wants it, and the parameters whose values it has itself."""
    compiled = statement.compile(dialect=_DIALECTS[dialect]())
    return str(compiled), {name: value for name, value in compiled.params.items() if value is not None}


@cache
def _postgresql_dialect() -> Any:
    return postgresql.psycopg.dialect()  # type: ignore[no-untyped-call]


@cache
def _sqlite_dialect() -> Any:
    return sqlite.dialect(paramstyle="named")


_DIALECTS = {"sqlite": _sqlite_dialect, "postgresql": _postgresql_dialect}


def parameter_table(dialect: str, name: str, types: Sequence[type]) -> tuple[Any, list[Any]]:
    """A table that is passed to a statement as one parameter, a JSON list of lists, and its columns, which are `int` or
    `str`. The statement stays the same however many rows there are, and joins can use the indices."""
    parameter = bindparam(name, type_=Text)
    if dialect == "sqlite":
        rows = func.json_each(parameter).table_valued("value", name=name)
        return rows, [func.json_extract(rows.c.value, f"$[{n}]") for n in range(len(types))]
    rows = func.jsonb_array_elements(cast(parameter, JSONB)).table_valued("value", name=name)
    texts = [rows.c.value.op("->>")(text(str(n))) for n in range(len(types))]
    return rows, [cast(each, BigInteger) if of is int else each for each, of in zip(texts, types, strict=True)]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST, _LAST = ((end.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND for end in (datetime.min, datetime.max))


def dumps(value: Json) -> str:
    """Compact JSON text."""
    try:
        return to_json(value).decode()
    except (PydanticSerializationError, UnicodeEncodeError):  # half of a surrogate pair: keep it, escaped
        return json.dumps(value, separators=(",", ":"))


def loads(text: str) -> Json:
    """The value that `dumps` wrote. Half of a surrogate pair, which earlier versions accepted and no file can hold, is
    read as a replacement character."""
    try:
        return from_json(text)
    except ValueError:
        half = json.dumps(json.loads(text), ensure_ascii=False)
        return json.loads(half.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


@overload
def micros(moment: datetime) -> int: ...
@overload
def micros(moment: datetime | None) -> int | None: ...
def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970. A moment without a zone is taken as UTC. One that no calendar has in UTC is refused."""
    if moment is None:
        return None
    number = ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
    if not _FIRST <= number <= _LAST:
        raise InputError(
            f"{moment.isoformat()} lies outside the years 1 to 9999 in UTC.", next_step="Correct it, or leave it out."
        )
    return number


@overload
def moment(number: int) -> datetime: ...
@overload
def moment(number: int | None) -> datetime | None: ...
def moment(number: int | None) -> datetime | None:
    """The moment in UTC. Earlier versions took times that lie a day outside the calendar in UTC: they are read as its
    first or last moment, since a judgement is never changed and the others must be read."""
    return None if number is None else _EPOCH + timedelta(0, 0, min(max(number, _FIRST), _LAST))


# The one clock. Everything that is stored with a time has it from here, or from whoever calls.


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)
