"""The one clock. Everything that is stored with a time has it from here, or from whoever calls."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)
