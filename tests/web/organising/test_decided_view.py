"""How the numbers of an adaptive campaign are set on its page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adaptive_campaign import made, work
from lanner.analysis.economy import economy
from lanner.store import Store
from lanner.web.organising import decided_view


def test_work_left_and_agreement_are_said_where_they_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=20)
        work(store, most=10)
        now = economy(store, "study")
        shown = decided_view.decided_page(store, "study")
        assert (shown.work_left is None) == (now.enough or now.hours_left is None or now.forecast is None)
        assert shown.agreement is None
        agreed = replace(now, agreement=(0.5, 0.25, 0.75))
        monkeypatch.setattr(decided_view, "economy", lambda *_given: agreed)
        assert decided_view.decided_page(store, "study").agreement == (".500", ".250", ".750", "0")
