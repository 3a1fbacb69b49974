"""Saves, revisions, resends, pauses and finishes in any order, against a plain model of what must hold."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from campaign_parts import NOW, corpus, opened, scales
from lanner import campaign
from lanner.errors import CampaignError
from lanner.store import Store
from property_examples import examples

PROTOCOL = scales(
    {"id": "ok", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]},
    {"id": "why", "kind": "text", "required": True, "when": {"question": "ok", "is": ["no"]}},
    {"id": "score", "kind": "scale", "min": 1, "max": 4},
    unit="sentence_in_context",
)
ITEMS = st.integers(0, 1)


class Saving(RuleBasedStateMachine):
    """Two clients of one judge, two sentences."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = Store.open(Path(self.folder.name) / "x.db")
        opened(self.store, PROTOCOL, documents=corpus((2,), ("alder",)))
        (task,) = campaign.tasks(self.store, "first", "ana")
        self.task = task.id
        self.held: list[dict[str, Any]] = [{}, {}]
        self.heads: list[dict[str, int]] = [{}, {}]
        self.sent: list[tuple[int, dict[str, Any], dict[str, int]]] = []
        self.rows = 0
        self.paused = self.finished = False

    @initialize()
    def nothing_is_there(self) -> None:
        assert campaign.history(self.store, "first") == []

    def _submit(self, item: int, answers: dict[str, Any], number: int, **more: Any) -> campaign.SaveResult:
        return campaign.submit(self.store, self.task, item, answers, submission=f"s{number}", at=NOW, **more)

    @rule(item=ITEMS, ok=st.sampled_from(["yes", "no"]), score=st.none() | st.integers(1, 4), stale=st.booleans())
    def save(self, item: int, ok: str, score: int | None, stale: bool) -> None:
        answers: dict[str, Any] = {"ok": ok}
        if ok == "no":
            answers["why"] = f"reason {len(self.sent)}"
        if score:
            answers["score"] = score
        base = None if stale else {q: self.heads[item].get(q) for q in ("ok", "why", "score")}
        try:
            saved = self._submit(item, answers, len(self.sent), base={"ok": None} if stale else base)
        except CampaignError as refused:
            assert refused.code == ("paused" if self.paused else "finished")
            assert self.paused or self.finished
            return
        assert not self.paused and not self.finished
        assert bool(saved.conflicts) == (stale and "ok" in self.heads[item])
        if ok == "yes" and self.held[item].get("why") is not None:
            answers["why"] = None
        assert set(saved.ids) == set(answers)
        self.rows += len(answers)
        self.held[item] |= answers
        self.heads[item] |= saved.ids
        asked = ["ok", "score"] + (["why"] if ok == "no" else [])
        assert set(saved.open) == {q for q in asked if self.held[item].get(q) is None}
        self.sent.append((item, {q: v for q, v in answers.items() if v is not None}, dict(saved.ids)))

    @rule(data=st.data())
    def resend(self, data: st.DataObject) -> None:
        if self.sent:
            number = data.draw(st.integers(0, len(self.sent) - 1))
            item, answers, ids = self.sent[number]
            again = self._submit(item, answers, number)
            assert again.repeated and dict(again.ids) == ids

    @rule()
    def pause_or_go_on(self) -> None:
        (campaign.reopen if self.paused else campaign.pause)(self.store, "first")
        self.paused = not self.paused

    @rule()
    def finish_or_reopen(self) -> None:
        if self.finished:
            campaign.reopen_task(self.store, self.task)
            self.finished = False
            return
        complete = all(h.get("ok") and h.get("score") and (h["ok"] == "yes" or h.get("why")) for h in self.held)
        try:
            campaign.finish(self.store, self.task)
        except campaign.UnfinishedError:
            assert not complete
        except CampaignError as refused:
            assert self.paused and refused.code == "paused"
        else:
            assert complete and not self.paused
            self.finished = True

    @invariant()
    def what_holds_is_what_was_said_last(self) -> None:
        stored: list[dict[str, Any]] = [{}, {}]
        for j in campaign.judgements(self.store, "first"):
            assert j.question not in stored[int(j.segment)]
            stored[int(j.segment)][j.question] = j.value
        assert stored == self.held
        assert len(campaign.history(self.store, "first")) == self.rows

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


TestSaving = Saving.TestCase
TestSaving.settings = settings(max_examples=examples(12), stateful_step_count=20, deadline=None)
