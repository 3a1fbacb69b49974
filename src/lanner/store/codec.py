"""Between Python values and the plain types of the tables: JSON text and integer moments."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import overload

from pydantic_core import PydanticSerializationError, from_json, to_json

from lanner.model import Json

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
def moment(stored: int) -> datetime: ...
@overload
def moment(stored: int | None) -> datetime | None: ...
def moment(stored: int | None) -> datetime | None:
    """The moment in UTC."""
    return None if stored is None else _EPOCH + timedelta(0, 0, stored)
