"""Runs in these tests write at once."""

from __future__ import annotations

import pytest

from lanner.judges import request


@pytest.fixture(autouse=True)
def _no_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    """To wait for company before each commit, as a run of thousands does, took half of the time of runs of a few."""
    monkeypatch.setattr(request, "_LINGER", 0.0)
