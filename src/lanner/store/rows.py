"""What the small classes of queries share: a transaction's connection, which nobody else sees, and the way between
Python values and the plain types of the tables: JSON text and integer moments; and the clock that moments come from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any, overload

from pydantic_core import PydanticSerializationError, from_json, to_json
from sqlalchemy import BigInteger, Connection, Table, Text, bindparam, cast, func, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import JSONB

from lanner.model import Json

STREAMED = {"yield_per": 10_000}
"""For statements that may give a million rows: they are read some at a time, on PostgreSQL by a cursor of its own."""


class Rows:
    """Queries about one kind of row, inside one transaction."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _reserve(self, table: str, count: int) -> Sequence[int]:
        """Ids for rows about to be added, when other rows must name them."""
        if self._connection.dialect.name == "sqlite":  # safe: a writing transaction is alone
            last = self._connection.execute(text(_SQLITE_LAST.format(table=table))).scalar_one()
            return range(last + 1, last + 1 + count)
        numbers = self._connection.execute(text(_POSTGRES_NEXT.format(table=table)), {"count": count})
        return numbers.scalars().all()


_SQLITE_LAST = (
    "SELECT max((SELECT coalesce(max(id), 0) FROM {table}),"
    " (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '{table}'))"
)
_POSTGRES_NEXT = "SELECT nextval('{table}_id_seq') FROM generate_series(1, :count)"


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, each of which names every column, by the fastest way either database has."""
    if not rows:
        return
    names = [column.name for column in table.columns]
    if connection.dialect.name == "sqlite":  # as the driver wants them: SQLAlchemy's own way takes three times as long
        connection.exec_driver_sql(_sqlite_insert(table), [*map(itemgetter(*names), rows)])
        return
    driver: Any = connection.connection.dbapi_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([row[name] for name in names])


@cache
def _sqlite_insert(table: Table) -> str:
    return str(table.insert().compile(dialect=sqlite.dialect()))


def given_table(dialect: str, name: str, types: Sequence[type]) -> tuple[Any, list[Any]]:
    """A table that comes with a statement as one parameter, a JSON list of lists; and its columns, which are `int` or
    `str`. The statement stays the same however many rows there are, and the database finds the rest by its indices."""
    parameter = bindparam(name, type_=Text)
    if dialect == "sqlite":
        rows = func.json_each(parameter).table_valued("value", name=name)
        return rows, [func.json_extract(rows.c.value, f"$[{n}]") for n in range(len(types))]
    rows = func.jsonb_array_elements(cast(parameter, JSONB)).table_valued("value", name=name)
    texts = [rows.c.value.op("->>")(text(str(n))) for n in range(len(types))]
    return rows, [cast(each, BigInteger) if of is int else each for each, of in zip(texts, types, strict=True)]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def dumps(value: Json) -> str:
    """Compact JSON text."""
    try:
        return to_json(value).decode()
    except (PydanticSerializationError, UnicodeEncodeError):  # half of a surrogate pair: keep it, escaped
        return json.dumps(value, separators=(",", ":"))


def loads(text: str) -> Json:
    """What `dumps` was given."""
    try:
        return from_json(text)
    except ValueError:  # the escaped half of a surrogate pair
        return json.loads(text)


@overload
def micros(moment: datetime) -> int: ...
@overload
def micros(moment: datetime | None) -> int | None: ...
def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970. A moment without a zone is taken as UTC."""
    if moment is None:
        return None
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


@overload
def moment(number: int) -> datetime: ...
@overload
def moment(number: int | None) -> datetime | None: ...
def moment(number: int | None) -> datetime | None:
    """The moment in UTC."""
    return None if number is None else _EPOCH + timedelta(0, 0, number)


# The one clock. Everything that is stored with a time has it from here, or from whoever calls.


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)
