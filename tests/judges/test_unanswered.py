"""Questions that were settled without an answer, and what asking again does about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lanner import campaign
from lanner.judges.unanswered import items_with_gaps, unanswered
from lanner.store import Store
from model_campaign import QUICK, corpus, judge, opened, stored
from stub_server import Stub, good


@pytest.mark.parametrize("calls", ["stages", "documents"])
def test_the_model_of_a_panel_that_gave_no_answer_is_asked_again_and_the_answer_revised(
    tmp_path: Path, calls: Any
) -> None:
    def steady(body: dict[str, Any], _turn: int) -> str:
        return good({**body, "seed": body["seed"] % 1000})

    def mumbles(body: dict[str, Any], turn: int) -> str:
        """The second model has nothing to say about the second sentence, nor where it is asked about all."""
        about = body["messages"][1]["content"].partition("you judge:")[2].partition("(context)")[0]
        return "Well." if body["model"] == "tiny1" and ("0.1" in about or not about) else steady(body, turn)

    texts = corpus(1, 3)
    how = {"calls": calls, "models": 3, "rule": "mean", "reasks": 0}
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", texts)
        first = judge(store, number, Stub(mumbles), **how)
        with store.reading() as tx:
            rows = list(tx.ledger.of_judge(1))
        gaps = {segment for _, _, segment, _, _ in items_with_gaps(rows)}
        assert gaps == ({"1"} if calls == "stages" else {"0", "1", "2"})
        assert sum(sentences for _, _, sentences in unanswered(rows)) == len(gaps) == first.fewer
        assert first.items == 3 and not first.missing
        before = {entry.segment: entry.value for entry in stored(store, number)}

        resumed, retried = Stub(), Stub(steady)
        assert judge(store, number, resumed, **how).open == 0
        again = judge(store, number, retried, limits=replace(QUICK, retry_missing=True), **how)
        assert not resumed.asked and {body["model"] for body in retried.bodies} == {"tiny1"}
        assert (again.open, again.items, again.fewer) == (len(gaps), len(gaps), 0)
        assert again.calls == (1 if calls == "documents" else len(gaps))
        with store.reading() as tx:
            assert items_with_gaps(tx.ledger.of_judge(1)) == set()
            assert unanswered(tx.ledger.of_judge(1)) == []
        after = {entry.segment: entry.value for entry in stored(store, number)}
        other = campaign.create(store, "other", texts, "da", opened=True).id
        judge(store, other, Stub(steady), **how)
        assert after == {entry.segment: entry.value for entry in stored(store, other)}
        assert {segment for segment in after if after[segment] != before[segment]} <= gaps
        assert all(task.finished_at for task in campaign.tasks(store, number, "m"))
