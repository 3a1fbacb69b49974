from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import combinations

import pytest

from analysis.test_assistance import fill as fill_assisted
from lanner import campaign
from lanner.judges.simulated import Temper, fill
from lanner.model import Judge, JudgeKind
from lanner.model.messages import number
from lanner.monitor.live import LiveCampaigns
from lanner.monitor.snapshot import AnswerSplits, Divergence, JudgePace, JudgeProgress, Snapshot, Swap
from lanner.monitor.status import JudgeStatus, campaign_status
from lanner.store import Participant, Store
from lanner.web.organising import live
from lanner.web.organising.figures import PairAgreement
from lanner.web.organising.live import ComparisonFigures, LivePage, comparison, judge_row, live_page
from lanner.web.site import ServerSettings, Site
from web_clients import SYSTEMS, complete, open_campaign

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def drawn(store: Store, snapshot: Snapshot | None) -> LivePage:
    return live_page(campaign_status(store, campaign.get(store, "trial"), snapshot, NOW), NOW)


def test_without_a_snapshot_there_is_progress(store: Store) -> None:
    open_campaign(store)
    page = drawn(store, None)
    assert [row.status.name for row in page.people] == ["Judge 1", "Judge 2"]
    assert (page.status.done, page.agreement, page.made_at) == (0, None, None)
    assert page.status.total > 0
    assert str(page.status.verdict.summary[0]) == "One moment."
    assert page.people[0].finish == "not begun"


def test_answers_move_everything(store: Store) -> None:
    open_campaign(store, settings={"hourly_rate": 36, "deadline": "2026-11-16"})
    for judge in ("J1", "J2"):
        for task in campaign.tasks(store, "trial", judge):
            for item in range(len(task.items)):
                answers = {**complete(), "sentence": 1 + item, "holistic": 3 + task.id % 2 + item}
                at = NOW - timedelta(days=3)
                campaign.submit(
                    store, task.id, item, answers, submission=f"{task.id}.{item}", active=100.0, answered_at=at, at=at
                )
    page = drawn(store, LiveCampaigns(store).snapshot(1, "sentence"))
    assert page.status.done == page.status.total
    row = page.people[0]
    assert row.finish == "done"
    assert row.status.cost == 36 * row.status.progress.active / 3600
    assert page.agreement is not None
    assert page.status.chosen.main == "sentence"
    assert ("sentence", "Sentence score") in page.questions
    assert "h_falcon@" in page.signature
    assert "level ordinal / interval" in page.signatures, "several questions stand there"
    assert "6 sentences in 2 documents" in page.about


def test_stages_that_ask_the_same_are_told_apart(store: Store) -> None:
    open_campaign(store, protocol="scenarios", options={"all_scenarios": True})
    fill(store, "trial", {"J1": Temper(), "J2": Temper(reliability=0.6)}, dict.fromkeys(SYSTEMS, 0.6))
    page = drawn(store, LiveCampaigns(store).snapshot(1))
    assert ("adequacy_sc", "Adequacy · Sentences in their document") in page.questions
    assert len(dict(page.questions)) == len({label for _, label in page.questions})
    assert page.agreement and "Single sentences" in page.agreement and "The whole document" in page.agreement


LAST_DAY = date(2026, 11, 18)


def progress(done: int, finish: int | None = None) -> JudgeProgress:
    """Ten items of an hour each; `finish` is a day of November."""
    when = datetime(2026, 11, finish, 9, tzinfo=UTC) if finish else None
    parts = (("news", done, 10),)
    return JudgeProgress(
        "ann", done, 10, parts, JudgePace(3600.0 * done, parts=(1.0, 2.0)), 3600.0 * done, None, None, when
    )


def status(
    progress: JudgeProgress, days_late: int | None = None, participant: Participant | None = None
) -> JudgeStatus:
    participant = participant or Participant(1, 1, Judge("ann"))
    return JudgeStatus(
        participant, participant.judge.name or participant.judge.id, progress, days_late, 60.0, 90.0, 1, 4
    )


@pytest.mark.parametrize(
    ("ahead", "days_late", "words"),
    [
        (progress(0), None, ("not begun", "", "")),
        (progress(10), None, ("done", "", "")),
        (progress(4), None, ("…", "", "")),
        (progress(4, 18), None, ("Wed 18 Nov", "", "")),
        (progress(4, 18), 0, ("Wed 18 Nov", "", "on the day")),
        (progress(4, 19), 1, ("Thu 19 Nov", "1 day late", "")),
        (progress(4, 16), -2, ("Mon 16 Nov", "", "2 days early")),
    ],
)
def test_when_a_judge_is_done_against_the_deadline(
    ahead: JudgeProgress, days_late: int | None, words: tuple[str, str, str]
) -> None:
    row = judge_row(status(ahead, days_late))
    assert (row.finish, row.late, row.early) == words


def test_attributes_of_a_judge() -> None:
    participant = Participant(1, 1, Judge("sim", kind=JudgeKind.SIMULATED, attributes={"native": "ko", "years": 3}))
    assert judge_row(status(progress(4), participant=participant)).about == "simulated, ko, 3"


async def following(stream: AsyncIterator[str], wanted: str) -> str:
    async for line in stream:
        if wanted in line:
            return line
    return ""


async def the_end(site: Site, stream: AsyncIterator[str]) -> None:
    """The server goes home: the stream ends, and nothing more is told."""
    rest = asyncio.create_task(following(stream, "never"))
    await asyncio.to_thread(lambda: None)
    await site.live.send_home()
    assert await asyncio.wait_for(rest, 30) == ""
    await site.close()


def test_a_save_is_told_and_the_end_ends_the_stream(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id

    async def work() -> None:
        site = Site(store, ServerSettings(processes=False))
        stream = live._news(site, 1)
        assert "retry" in await anext(stream)
        waiting = asyncio.create_task(following(stream, "changed"))
        while not (site.live._watched and next(iter(site.live._watched.values())).stamp):
            await asyncio.to_thread(lambda: None)
        await site.write(lambda: campaign.submit(store, task, 0, complete(), submission="12345678"))
        assert "event: changed" in await asyncio.wait_for(waiting, 30)
        await the_end(site, stream)

    asyncio.run(work())


def test_trouble_with_saving_is_told_to_a_page_that_is_open(store: Store) -> None:
    open_campaign(store)

    async def work() -> None:
        site = Site(store, ServerSettings(processes=False))
        site.intake._failure = (time.monotonic(), "The disk is full.\nMake room.")
        stream = live._news(site, 1)
        assert json.loads((await following(stream, "trouble")).split("data: ")[1]) == "The disk is full.\nMake room."
        site.intake._failure = None
        await the_end(site, stream)

    asyncio.run(work())


def test_that_offered_marks_raise_agreement_is_said_with_what_it_is_without_them(store: Store) -> None:
    fill_assisted(store)
    entry = campaign.get(store, "people")
    snapshot = LiveCampaigns(store).snapshot(entry.id)
    page = live_page(campaign_status(store, entry, snapshot, NOW), NOW)
    whole = next(one for one in snapshot.measures if one.question == "score" and one.main)
    assert page.is_aided and whole.unaided is not None and whole.value is not None
    assert whole.unaided[3] < whole.items
    assert f"α {number(whole.unaided[0])}" in page.unaided and f"(n {whole.unaided[3]})" in page.unaided
    alone = LiveCampaigns(store).snapshot(campaign.get(store, "models").id)
    assert not any(one.is_aided for one in alone.measures)


SEATS = [
    Participant(at, 1, Judge(name, kind))
    for at, (name, kind) in enumerate(
        [("o3", JudgeKind.MODEL), ("a", JudgeKind.PERSON), ("b", JudgeKind.PERSON), ("<c>", JudgeKind.PERSON)]
    )
]
NAMES = {name: name.upper() for name in ("o3", "a", "b", "<c>")}
LABEL = {"low": "Low <l>", "mid": "Mid", "high": "High"}


def apart(units: int = 40, swaps: tuple[Swap, ...] = ()) -> Divergence:
    pairs = {
        ("a", "b"): PairAgreement(0.52, 40),
        ("a", "<c>"): PairAgreement(0.38, 40),
        ("b", "<c>"): PairAgreement(0.42, 40),
        ("o3", "a"): PairAgreement(0.2, 40),
    }
    odd = AnswerSplits(units, units - 9, (("<c>", 7), ("a", 2)), 0, 0, (("low", "high", 5), ("mid", "high", 1)))
    shares = dict.fromkeys(NAMES, (0.5, 0.25, 0.25))
    merges = (("low", "mid", 0.06), ("low", "high", -0.1))
    return Divergence(
        "q", ("a", "b", "<c>"), "κ", pairs, units, ("low", "mid", "high"), shares, odd, 0.45, merges, swaps
    )


def test_nothing_to_compare_draws_nothing() -> None:
    assert comparison(None, {}, [], {}) == ComparisonFigures()


def test_too_few_draw_no_shares_and_no_bar() -> None:
    few = comparison(apart(units=9), NAMES, SEATS, LABEL)
    assert (few.shares, few.odd, few.merging) == (None, None, None)
    assert few.heat is not None


def test_words_for_the_pairs() -> None:
    shown = comparison(apart(), NAMES, SEATS, LABEL)
    assert shown.heat_note.startswith("A and B agree best (.52), A and <C> least (.38).")
    assert "No model agrees with people as well" in shown.heat_note
    assert shown.heat and "people with people: .38 to .52" in shown.heat
    alike = replace(apart(), pairs={("a", "b"): PairAgreement(0.781, 10), ("b", "<c>"): PairAgreement(0.784, 10)})
    assert comparison(alike, NAMES, SEATS, LABEL).heat_note == "", "nobody agrees least with the same number"


def test_whom_the_map_of_pairs_leaves_out_is_said() -> None:
    crowd = [f"m{n}" for n in range(14)]
    seats = [Participant(n, 1, Judge(name, JudgeKind.MODEL)) for n, name in enumerate(crowd)]
    pairs = {(one, other): PairAgreement(0.5, 40) for one, other in combinations(crowd, 2)}
    shown = comparison(replace(apart(), pairs=pairs, people=()), NAMES | {name: name for name in crowd}, seats, LABEL)
    assert shown.heat_note == "2 more judges are in the table." and ">m11<" in str(shown.heat)
    assert ">m12<" not in str(shown.heat)
    assert shown.heat_sheet and len(shown.heat_sheet.rows) == len(pairs)


def test_people_stand_before_models_and_names_are_escaped() -> None:
    shown = comparison(apart(), NAMES, SEATS, LABEL)
    assert shown.heat
    assert shown.heat.index(">A<") < shown.heat.index(">O3<")
    assert "<C>" not in shown.heat
    assert shown.shares and "Low &lt;l&gt;" in shown.shares


def test_on_what_the_odd_one_differs() -> None:
    shown = comparison(apart(), NAMES, SEATS, LABEL)
    assert shown.odd_note == (
        "Where the others agree and &lt;C&gt; does not: <b>Low &lt;l&gt;</b> where they say High (5 times), "
        "<b>Mid</b> where they say High (once)."
    )


def test_swaps_and_mergers_in_words() -> None:
    shown = comparison(apart(swaps=(Swap("b", ("low", "high"), 12, 1),)), NAMES, SEATS, LABEL)
    assert shown.swaps == ("B seems to swap “Low <l>” and “High”.",)
    assert shown.merging_note.startswith("“Low <l>” and “Mid” are told apart least.")
