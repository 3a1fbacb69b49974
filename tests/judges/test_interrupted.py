"""A run interrupted anywhere and begun again ends like one that was never disturbed, whatever the protocol.

The model here is a function of the question, so that two runs can be compared. An interruption is a loss of power: from
one moment on no reply arrives and nothing is written any more. Every kind of moment is tried: before and after a
question, before and after a write. The short form takes one of each run, another for each protocol, and an outage or
a useless reply at a question of every second; with LANNER_SOAK every moment is taken, and both at every question.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, get_args
from zlib import crc32

import pytest

from lanner import campaign, protocols
from lanner.judges import request
from lanner.judges.plan import Calls, Limits, Member, Plan, Totals
from lanner.judges.providers import Call, Endpoint, OverloadedError, Reply
from lanner.judges.run import run
from lanner.model import Judge, Labels, Object, Spans, Unit
from lanner.protocols.conditions import holds
from lanner.store import Store
from model_campaign import corpus, opened
from stub_server import instance

PROTOCOLS = [
    name for name in protocols.names() if any(stage.unit is not Unit.JUDGE for stage in protocols.load(name).stages)
]
PATIENCE = Limits(in_flight=4, tries=1, backoff=0.0)
MOMENTS = None if os.environ.get("LANNER_SOAK") else 1
"""How many moments of a run are tried; None: all."""


def some_of(count: int, name: str) -> list[int]:
    """Moments 1 to `count`, or some of them that lie apart, beginning elsewhere for each name."""
    every = list(range(1, count + 1))
    if MOMENTS is None or count <= MOMENTS:
        return every
    first = crc32(name.encode()) % count
    return sorted({every[(first + turn * count // MOMENTS) % count] for turn in range(MOMENTS)})


class PowerLossError(Exception):
    """Nothing works any more."""


class Power:
    """Counts what happens in a run and goes off at one event; None: never."""

    def __init__(self, until: int | None = None) -> None:
        self.until = until
        self.events = 0

    def event(self) -> None:
        self.events += 1
        if self.until is not None and self.events >= self.until:
            raise PowerLossError


class Model:
    """Answers every question well, always the same way; `fault` may do something else with the nth question, each time
    it is asked."""

    at_once = 4

    def __init__(self, protocol: str, power: Power, fault: Callable[[int], str | None] = lambda _number: None) -> None:
        self.protocol = protocols.load(protocol)
        self.power = power
        self.fault = fault
        self.questions: list[str] = []

    async def ask(self, call: Call) -> Reply:
        self.power.event()
        name = call.name.partition(".")[2]  # as the ledger has it: what stands before says when the judge was added
        self.questions.append(name)
        different = dict.fromkeys(question.rpartition("-")[0] for question in self.questions)
        text = self.fault(list(different).index(name.rpartition("-")[0]) + 1)
        await asyncio.sleep(0)
        self.power.event()
        if text is None:
            question = json.dumps([call.messages[1]["content"], (call.seed or 0) % 1000, call.model])
            answers = instance(dict(call.schema), dice := Random(question), whole=True)
            numbered = all(name.isdigit() for name in answers)
            sheets = {"": answers} if not numbered else answers
            sheets = {name: self.fit(self.mark(sheet, dice)) for name, sheet in sheets.items()}
            text = json.dumps(sheets if numbered else sheets[""])
        return Reply(text, call.model)

    def mark(self, answers: dict[str, Any], dice: Random) -> dict[str, Any]:
        """Quote words of every sentence where marks are asked for, some of which stand there twice."""
        for _, question in self.protocol.questions:
            if isinstance(question, Spans) and question.id in answers:
                options = {"category": question.categories, "severity": question.severities}
                chosen = {name: dice.choice(entries).id for name, entries in options.items() if entries}
                side = question.sides[-1]
                words = dice.choice({"source": (".", "storm"), "target": (".", "Sturm")}[side])
                answers[question.id] = [
                    {"side": side, "text": words, **chosen, **({"missing": False} if question.missing else {})}
                ]
        return answers

    def fit(self, answers: dict[str, Any]) -> dict[str, Any]:
        """Leave out what is not asked, given the answers of the same reply."""
        for stage, question in self.protocol.questions:
            conditions = [c for c in (stage.when, question.when) if c and c.question in answers]
            if question.id in answers and not all(holds(condition, answers) for condition in conditions):
                answers[question.id] = None
            elif isinstance(question, Labels) and question.counts and question.exclusive and question.id in answers:
                answers[question.id][question.exclusive] = 0  # stands alone or not at all
            elif isinstance(question, Labels) and question.exclusive and answers.get(question.id):
                others = [label for label in answers[question.id] if label != question.exclusive]
                answers[question.id] = others if len(others) >= max(1, question.min) else [question.exclusive]
        return answers

    async def models(self) -> list[str]:
        return []

    async def close(self) -> None:
        pass


def prepare(path: Path, protocol: str) -> None:
    compares = any(stage.object is Object.OUTPUTS for stage in protocols.load(protocol).stages)
    with Store.open(path) as store:
        texts = corpus(1, 2, ("oak", "ash") if compares else ("oak",))
        opened(store, protocol, texts, options={"all_scenarios": True})


WAYS: dict[str, dict[str, Any]] = {
    **{calls: {"calls": calls} for calls in get_args(Calls)},
    "panel": {"models": 3},
    "samples": {"samples": 2},
    "orders": {"swap": True},
    "documents by a panel": {"calls": "documents", "models": 2},
}
"""How a judge may be asked: in which calls, how often, by how many models."""


def work(path: Path, model: Model, way: str, limits: Limits = PATIENCE) -> Totals | None:
    """One run until its end. None where the power went."""
    settings = dict(WAYS[way])
    members = tuple(Member(f"tiny{n}", Endpoint("http://nowhere")) for n in range(settings.pop("models", 1)))
    plan = Plan("m", members, **settings)
    with Store.open(path) as store:
        try:
            return asyncio.run(run(store, "c", [plan], limits=limits, connect=lambda _endpoint: model))
        except PowerLossError:
            return None


def state(path: Path) -> dict[str, Any]:
    """Everything that matters at the end, read with nothing but SQL. Of answers those that count: what was revised, or
    taken back, since a question was asked again, is history."""
    connection = sqlite3.connect(path)
    try:
        wanted = (
            "SELECT document, segment, question, systems, role, value, flags FROM judgement WHERE value <> 'null' AND "
            "id NOT IN (SELECT supersedes FROM judgement WHERE supersedes NOT NULL) ORDER BY 1, 2, 3, 4, 5"
        )
        return {
            "answers": connection.execute(wanted).fetchall(),
            "unfinished": connection.execute("SELECT page FROM task WHERE finished_at IS NULL ORDER BY id").fetchall(),
            "done": connection.execute("SELECT task, position, done FROM item ORDER BY task, position").fetchall(),
            "settled": connection.execute("SELECT key FROM ledger WHERE final = 1 ORDER BY key").fetchall(),
        }
    finally:
        connection.close()


@pytest.fixture(autouse=True)
def power(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], Power]:
    """Lets the writes of a run depend on a new supply of power."""
    monkeypatch.setattr(request, "_LINGER", 0.0)
    write = Store.write
    supply = [Power()]

    def powered(store: Store, *given: Any, **more: Any) -> Any:
        supply[0].event()
        result = write(store, *given, **more)
        supply[0].event()
        return result

    monkeypatch.setattr(Store, "write", powered)

    def renew(until: int | None = None) -> Power:
        supply[0] = Power(until)
        return supply[0]

    return renew


def undisturbed(
    path: Path, protocol: str, power: Callable[..., Power], way: str
) -> tuple[dict[str, Any], int, Sequence[str]]:
    """The state after a run without interruption, how many events it had, and what was asked."""
    supply = power()
    model = Model(protocol, supply)
    totals = work(path, model, way)
    assert totals is not None and totals.items and not totals.missing and not totals.waiting
    reached = state(path)
    assert reached["answers"] and not reached["unfinished"]
    return reached, supply.events, model.questions


CASES = [(name, "stages") for name in PROTOCOLS] + [
    (name, way)
    for name in ("falcon", "h_falcon", "esa", "mqm", "parity")
    for way in WAYS
    if way not in ("stages", "skills") and (way != "orders" or name == "parity")
]


@dataclass(frozen=True)
class Undisturbed:
    """A campaign before any run, and what a run without interruption comes to."""

    clean: Path
    expected: dict[str, Any]
    events: int
    questions: Sequence[str]


@pytest.fixture(scope="module")
def runs() -> dict[tuple[str, str], Undisturbed]:
    """What was run without interruption so far: once for each case."""
    return {}


@pytest.fixture
def whole_run(
    runs: dict[tuple[str, str], Undisturbed],
    tmp_path_factory: pytest.TempPathFactory,
    power: Callable[..., Power],
    protocol: str,
    way: str,
) -> Undisturbed:
    if (protocol, way) not in runs:
        folder = tmp_path_factory.mktemp("undisturbed")
        clean, whole = folder / "clean.db", folder / "whole.db"
        prepare(clean, protocol)
        shutil.copy(clean, whole)
        runs[protocol, way] = Undisturbed(clean, *undisturbed(whole, protocol, power, way))
    return runs[protocol, way]


@pytest.mark.parametrize(("protocol", "way"), CASES)
def test_a_power_cut_at_any_moment_changes_nothing(
    tmp_path: Path, power: Callable[..., Power], protocol: str, way: str, whole_run: Undisturbed
) -> None:
    for moment in some_of(whole_run.events, protocol + way):
        path = tmp_path / f"{moment}.db"
        shutil.copy(whole_run.clean, path)
        first = Model(protocol, power(moment))
        assert work(path, first, way) is None
        rows = Counter(key for (key,) in state(path)["settled"])
        second = Model(protocol, power())
        work(path, second, way)
        assert state(path) == whole_run.expected, moment
        asked_again = {name.rpartition("-")[0] for name in second.questions}
        assert not asked_again & set(rows), moment  # what has a row in the ledger is paid for once
        assert {*first.questions, *second.questions} == set(whole_run.questions), moment
        path.unlink()


def fails(number: int, at: int) -> str | None:
    if number == at:
        raise OverloadedError("the server is down", status=503)
    return None


def mumbles(number: int, at: int) -> str | None:
    return "I would rather not." if number == at else None


REPEATABLE = [case for case in CASES if case != ("falcon", "documents by a panel")]
"""Without those where one sentence that is asked about again is in another call than it was, and has another answer."""


@pytest.mark.parametrize(("protocol", "way"), REPEATABLE[:: MOMENTS and 2])
def test_an_outage_or_a_useless_reply_at_any_question_is_made_good_by_the_next_run(
    tmp_path: Path, power: Callable[..., Power], protocol: str, way: str, whole_run: Undisturbed
) -> None:
    different = {name.rpartition("-")[0] for name in whole_run.questions}
    faults = (fails, mumbles)
    for place, at in enumerate(some_of(len(different), protocol + way), start=crc32((protocol + way).encode())):
        for fault in faults if MOMENTS is None else (faults[place % 2],):
            path = tmp_path / f"{fault.__name__}{at}.db"
            shutil.copy(whole_run.clean, path)
            totals = work(path, Model(protocol, power(), partial(fault, at=at)), way)
            assert totals is not None and totals.missing + totals.failed + totals.fewer > 0
            assert bool(state(path)["unfinished"]) == (totals.missing + totals.failed > 0), (fault.__name__, at)
            again = Limits(in_flight=4, tries=1, backoff=0.0, retry_missing=True)
            work(path, Model(protocol, power()), way, again)
            ended = state(path)
            settled = sorted(set(ended["settled"]))
            if totals.fewer:  # what was asked about answers of fewer models is in the ledger as well
                settled = [key for key in settled if key in whole_run.expected["settled"]]
            assert {**ended, "settled": settled} == whole_run.expected, (fault.__name__, at)
            path.unlink()


def test_people_cannot_finish_a_page_before_the_one_it_depends_on(store: Store) -> None:
    number = opened(store, "falcon", corpus(1, 2), judges=[Judge("ana")])
    rating = next(task for task in campaign.tasks(store, number, "ana") if task.page == "rating")
    with pytest.raises(campaign.UnfinishedError) as refused:
        campaign.finish(store, rating.id)
    assert [entry.questions for entry in refused.value.missing] == [("ratings",)] * 2


def test_people_cannot_finish_sentences_they_never_looked_at(store: Store) -> None:
    number = opened(store, "mqm", corpus(1, 2), judges=[Judge("ana")])
    [task] = campaign.tasks(store, number, "ana")
    campaign.submit(store, task.id, 0, {"errors": []}, submission="s")
    with pytest.raises(campaign.UnfinishedError) as refused:
        campaign.finish(store, task.id)
    assert [(entry.item, entry.questions) for entry in refused.value.missing] == [(1, ("errors",))]
    campaign.submit(store, task.id, 1, {"errors": []}, submission="t")
    assert campaign.finish(store, task.id).finished_at
