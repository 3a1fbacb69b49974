from __future__ import annotations

import dataclasses

import pytest

from lanner.formats import Reading


def test_a_reading_is_frozen_and_empty_by_default() -> None:
    reading = Reading("x", ())
    assert (reading.judges, reading.judgements, reading.protocol, reading.notes) == ((), (), "", ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        reading.name = "y"  # type: ignore[misc]
