from __future__ import annotations

import asyncio
import importlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from campaign_parts import JUDGES, NOW, corpus, first_task, opened, save, scales, valid
from killed_process import KilledProcess
from lanner import campaign
from lanner.campaign import SaveQueue, Submission
from lanner.campaign.submit import ReusedError, SaveResult, digest
from lanner.errors import AnswerError, CampaignError, StoreError
from lanner.model import Judgement
from lanner.store import CollisionError, Store
from property_examples import examples
from web_clients import open_campaign

SCALE = {"id": "q", "kind": "scale", "min": 1, "max": 9}
NOTE = {"id": "note", "kind": "text"}


def values(store: Store) -> list[object]:
    return [j.value for j in campaign.judgements(store, "first")]


def test_an_answer_is_stored_as_ids_with_its_times(store: Store) -> None:
    opened(store)
    task = first_task(store)
    answers = valid(store, task, 1)
    saved = save(store, task, 1, answers, elapsed=40.0, active=31.5, answered_at=NOW)
    assert saved.done and not saved.conflicts and not saved.repeated
    stored = campaign.judgements(store, "first")
    assert {j.question: j.value for j in stored} == {q: v for q, v in answers.items() if v is not None}
    assert {j.id for j in stored} == set(saved.ids.values())
    for j in stored:
        assert (j.judge, j.document, j.segment) == ("ana", task.items[1].document, task.items[1].segment)
        assert (j.systems, j.task) == (task.items[1].systems, task.id)
        assert (j.elapsed_seconds, j.active_seconds) == (40.0, 31.5)
        assert (j.answered_at, j.received_at) == (NOW, NOW)


def test_sent_twice_stored_once(store: Store) -> None:
    opened(store)
    task = first_task(store)
    answers = valid(store, task)
    first = save(store, task, 0, answers, submission="s1")
    again = save(store, task, 0, answers, submission="s1")
    assert again.repeated and dict(again.ids) == dict(first.ids) and again.open == first.open
    assert len(campaign.history(store, "first")) == len(first.ids)


def test_sent_twice_is_answered_alike_after_revision_closing_and_finishing(store: Store) -> None:
    """An outbox sends what it never saw acknowledged, days later."""
    opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    first = save(store, task, 0, {"q": 3}, submission="s1")
    save(store, task, 0, {"q": 4}, submission="s2")
    campaign.finish(store, task.id)
    campaign.close(store, "first")
    again = save(store, task, 0, {"q": 3}, submission="s1")
    assert again.repeated and dict(again.ids) == dict(first.ids)
    assert values(store) == [4]


def test_one_submission_id_stands_for_one_set_of_answers(store: Store) -> None:
    opened(store, scales(SCALE, NOTE), documents=corpus((1, 1), ("alder",)))
    task, other = campaign.tasks(store, "first", "ana")
    first = save(store, task, 0, {"q": 3}, submission="s1")
    kept = {"q": (first.ids["q"], 3)}
    for number, answers, stored, same in (
        (task, {"q": 4}, kept, {}),
        (task, {"q": 3, "note": "more"}, kept, {"q": campaign.digest(3)}),
        (task, {"note": "other"}, kept, {}),
        (task, {"q": 99}, kept, {}),
        (other, {"q": 3}, {}, {}),
    ):
        with pytest.raises(campaign.ReusedError, match="used before") as caught:
            save(store, number, 0, answers, submission="s1")
        assert caught.value.code == "reused"
        assert (caught.value.stored, caught.value.digests) == (stored, same)
    with pytest.raises(campaign.ReusedError) as caught:
        save(store, campaign.tasks(store, "first", "bo")[0], 0, {"q": 3}, submission="s1")
    assert caught.value.stored == {}, "other people's answers are not shown"
    assert values(store) == [3]


def test_an_answer_that_took_nothing_back_is_the_same_as_long_as_nothing_is_there(store: Store) -> None:
    opened(store, scales(SCALE, NOTE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    first = save(store, task, 0, {"q": 3, "note": None}, submission="s1")
    assert first.digests.keys() == {"q", "note"} and first.ids.keys() == {"q"}
    assert save(store, task, 0, {"q": 3, "note": None}, submission="s1").repeated
    assert save(store, task, 0, {"q": 3, "note": "  "}, submission="s1").repeated
    save(store, task, 0, {"note": "later"}, submission="s2")
    with pytest.raises(campaign.ReusedError):  # it cannot be told whether the note was to be taken back
        save(store, task, 0, {"q": 3, "note": None}, submission="s1")


def test_one_id_twice_in_one_batch(store: Store) -> None:
    opened(store, scales(SCALE, NOTE), documents=corpus((1, 1), ("alder",)))
    task, other = campaign.tasks(store, "first", "ana")
    given = [
        campaign.Submission(task.id, 0, {"q": 3}, "s1"),
        campaign.Submission(other.id, 0, {"q": 3}, "s1"),
        campaign.Submission(task.id, 0, {"q": 3, "note": "more"}, "s1"),
        campaign.Submission(task.id, 0, {"q": 3}, "s1"),
    ]
    first, elsewhere, more, again = campaign.submit_many(store, given, at=NOW)
    assert isinstance(first, campaign.SaveResult) and isinstance(again, campaign.SaveResult) and again.repeated
    assert isinstance(elsewhere, campaign.ReusedError) and elsewhere.stored == {}
    assert isinstance(more, campaign.ReusedError) and more.digests == {"q": campaign.digest(3)}
    assert values(store) == [3]


def test_a_revision_supersedes_and_the_history_stays(store: Store) -> None:
    opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    for value in (3, 5, 4):
        save(store, task, 0, {"q": value})
    assert values(store) == [4]
    history = campaign.history(store, "first", judge="ana", question="q")
    assert [j.value for j in history] == [3, 5, 4]
    assert [j.supersedes for j in history] == [None, history[0].id, history[1].id]
    assert campaign.history(store, "first", judge="bo") == []


def test_two_clients_on_one_base_are_both_kept_and_told(store: Store) -> None:
    opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    base = save(store, task, 0, {"q": 1}, base={"q": None}).ids["q"]
    laptop = save(store, task, 0, {"q": 2}, base={"q": base})
    tablet = save(store, task, 0, {"q": 3}, base={"q": base}, submission="tablet")
    assert not laptop.conflicts
    assert tablet.conflicts == (campaign.Conflict("q", laptop.ids["q"], 2),)
    assert [j.value for j in campaign.history(store, "first")] == [1, 2, 3] and values(store) == [3]
    again = save(store, task, 0, {"q": 3}, base={"q": base}, submission="tablet")
    assert again.conflicts == tablet.conflicts
    settled = save(store, task, 0, {"q": 2}, base={"q": tablet.ids["q"]})
    assert not settled.conflicts and values(store) == [2]


def test_two_first_answers_are_a_conflict_too(store: Store) -> None:
    opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    one = save(store, task, 0, {"q": 1}, base={"q": None})
    two = save(store, task, 0, {"q": 2}, base={"q": None})
    assert [(c.id, c.value) for c in two.conflicts] == [(one.ids["q"], 1)]


def test_without_a_base_no_conflict_is_looked_for(store: Store) -> None:
    opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    save(store, task, 0, {"q": 1})
    assert not save(store, task, 0, {"q": 2}).conflicts


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ({"q": 10}, "out_of_range"),
        ({"q": 1.5}, "off_step"),
        ({"q": "3"}, "not_a_number"),
        ({"q": None}, "missing"),
        ({"q": 3, "nonsense": 1}, "unknown_question"),
        ({"q": 3, "note": 7}, "shape"),
    ],
)
def test_what_the_protocol_does_not_allow_is_refused_whole(store: Store, answers: dict[str, object], code: str) -> None:
    opened(store, scales(SCALE, NOTE), documents=corpus((1,), ("alder",)))
    with pytest.raises(AnswerError) as caught:
        save(store, first_task(store), 0, answers)
    assert caught.value.code == code and caught.value.question in answers
    assert campaign.history(store, "first") == []


@pytest.mark.parametrize(
    "wrong",
    [
        *({"elapsed": float("nan")}, {"elapsed": -1.0}, {"active": 1e7}, {"base": {"q": 2**70}}),
        {"answered_at": datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))},
    ],
)
def test_times_and_numbers_that_cannot_be_hold_nobody_up(store: Store, wrong: dict[str, Any]) -> None:
    """One judge's clock must not keep the store from being read, nor the saves of others from being written."""
    opened(store, scales(SCALE))
    ana, bo = first_task(store), first_task(store, "bo")
    bad = Submission(ana.id, 0, valid(store, ana), "bad-1", **wrong)
    good = Submission(bo.id, 0, valid(store, bo), "good-1", elapsed=0.0, answered_at=datetime.min)
    refused, saved = campaign.submit_many(store, [bad, good])
    assert isinstance(refused, AnswerError) and refused.code == "impossible" and next(iter(wrong)) in refused.what
    assert isinstance(saved, SaveResult)
    assert {row.judge for row in campaign.judgements(store, "first")} == {"bo"}


def test_an_unknown_question_gets_the_nearest_name(store: Store) -> None:
    opened(store, scales({**SCALE, "id": "adequacy"}), documents=corpus((1,), ("alder",)))
    with pytest.raises(AnswerError) as caught:
        save(store, first_task(store), 0, {"adequecy": 3})
    assert "adequacy" in caught.value.next_step


def test_a_required_answer_can_be_taken_back_and_is_missing_then(store: Store) -> None:
    opened(store, scales(SCALE, NOTE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    assert save(store, task, 0, {"q": 1}).open == ()
    assert save(store, task, 0, {"q": None}).open == ("q",)
    assert [row.value for row in campaign.history(store, "first")] == [1, None], "nothing is overwritten"
    with pytest.raises(campaign.UnfinishedError):
        campaign.finish(store, task.id)


def test_a_comment_can_be_taken_back(store: Store) -> None:
    opened(store, scales(SCALE, NOTE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    save(store, task, 0, {"q": 3, "note": "  Odd.  "})
    save(store, task, 0, {"note": ""})
    assert [(j.question, j.value, j.flags) for j in campaign.judgements(store, "first")] == [
        ("q", 3, ()), ("note", None, ("cleared",)),
    ]  # fmt: skip
    assert set(campaign.current(store, task.id)[0]) == {"q"}
    assert save(store, task, 0, {"note": None}).ids == {}  # nothing there: nothing to store


def test_spans_are_checked_against_the_text_shown(store: Store) -> None:
    spans = {"id": "spans", "kind": "spans", "sides": ["source", "target"]}
    opened(store, scales(spans, unit="sentence_in_context"), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    source = corpus((1,))[0].segments[0].source
    tree = source.index("🌲")
    good = {"side": "source", "start": tree, "end": tree + 1, "text": "🌲"}
    save(store, task, 0, {"spans": [good]})
    assert values(store) == [[good]]
    with pytest.raises(AnswerError):
        save(store, task, 0, {"spans": [{**good, "start": tree + 1, "end": tree + 2}]})


def test_words_without_a_place_are_stored_with_a_flag_where_they_stand_more_than_once(store: Store) -> None:
    """As programs send them by the API: the words, and not where they stand."""
    spans = {"id": "spans", "kind": "spans", "sides": ["source"]}
    opened(store, scales(spans, unit="sentence_in_context"), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    source = corpus((1,))[0].segments[0].source
    assert (source.count("0"), source.count("text")) == (2, 1)
    for words, flags in (("0", ("several_places",)), ("text", ())):
        save(store, task, 0, {"spans": [{"side": "source", "text": words}]})
        [answer] = campaign.judgements(store, "first")
        assert [mark["start"] for mark in answer.value] == [source.index(words)]
        assert answer.flags == flags
    placed = {"side": "source", "start": source.rindex("0"), "end": source.rindex("0") + 1, "text": "0"}
    save(store, task, 0, {"spans": [placed]})
    assert campaign.judgements(store, "first")[0].flags == ()


def test_refused_with_a_reason(store: Store) -> None:
    given = {"documents": corpus((1,), ("alder",))}
    campaign.create(store, "first", given["documents"], scales(SCALE), JUDGES, at=NOW)
    task = first_task(store)

    def reason(**more: object) -> str:
        with pytest.raises(CampaignError) as caught:
            save(store, task, 0, {"q": 3}, **more)
        assert caught.value.what
        return caught.value.code

    assert reason() == "draft"
    campaign.open(store, "first")
    assert reason(judge="bo") == reason(judge=999) == reason(judge="nobody") == "not_assigned"
    campaign.pause(store, "first")
    assert reason() == "paused"
    campaign.reopen(store, "first")
    save(store, task, 0, {"q": 3}, judge="ana")
    campaign.finish(store, task.id)
    assert reason() == "finished"
    campaign.reopen_task(store, task.id)
    save(store, task, 0, {"q": 4})
    campaign.close(store, "first")
    assert reason() == "closed"
    for number, item, code in ((task.id, 7, "unknown_item"), (task.id, -1, "unknown_item"), (9999, 0, "unknown_task")):
        with pytest.raises(CampaignError) as caught:
            campaign.submit(store, number, item, {"q": 3}, submission="x")
        assert caught.value.code == code
    assert values(store) == [4]


def test_many_at_once_with_a_result_for_each(store: Store) -> None:
    opened(store, scales(SCALE), documents=corpus((1, 1, 1), ("alder",)))
    tasks = campaign.tasks(store, "first", "ana")
    given = [
        campaign.Submission(task.id, 0, {"q": value}, uuid4().hex)
        for task, value in zip(tasks, (3, 99, 5), strict=True)
    ]
    one, refused, three = campaign.submit_many(store, given, at=NOW)
    assert isinstance(one, campaign.SaveResult) and isinstance(three, campaign.SaveResult)
    assert isinstance(refused, AnswerError) and refused.code == "out_of_range"
    assert values(store) == [3, 5]
    again = campaign.submit_many(store, [given[0], given[2]], at=NOW)
    assert all(isinstance(entry, campaign.SaveResult) and entry.repeated for entry in again)


def test_saves_written_together_see_each_other(store: Store) -> None:
    """One sentence saved three times, sent again and refused once, in one transaction with others."""
    opened(store, scales(SCALE, NOTE), documents=corpus((1, 1), ("alder",)))
    task, other = campaign.tasks(store, "first", "ana")
    given = [
        campaign.Submission(task.id, 0, {"q": 1, "note": "a"}, "first", base={"q": None}),
        campaign.Submission(other.id, 0, {"q": 5}, "elsewhere"),
        campaign.Submission(task.id, 0, {"q": 2}, "second", base={"q": None}),
        campaign.Submission(task.id, 0, {"q": 1, "note": "a"}, "first", base={"q": None}),
        campaign.Submission(task.id, 0, {"q": 99}, "wrong"),
        campaign.Submission(task.id, 7, {"q": 1}, "nowhere"),
        campaign.Submission(task.id, 0, {"q": 3}, "of another", judge="bo"),
        campaign.Submission(task.id, 0, {"note": None}, "third"),
    ]
    first, elsewhere, second, again, *refused, third = campaign.submit_many(store, given, at=NOW)
    assert isinstance(first, campaign.SaveResult) and isinstance(elsewhere, campaign.SaveResult)
    assert isinstance(second, campaign.SaveResult) and second.conflicts == (campaign.Conflict("q", first.ids["q"], 1),)
    assert isinstance(again, campaign.SaveResult) and again.repeated and again.ids == first.ids
    assert [getattr(entry, "code", None) for entry in refused] == ["out_of_range", "unknown_item", "not_assigned"]
    assert isinstance(third, campaign.SaveResult) and third.done
    history = campaign.history(store, "first")
    assert [(j.question, j.value) for j in history] == [("q", 1), ("note", "a"), ("q", 5), ("q", 2), ("note", None)]
    assert [j.supersedes for j in history] == [None, None, None, first.ids["q"], first.ids["note"]]
    assert len({j.id for j in history}) == 5


def test_a_race_of_clients_leaves_one_straight_history(store: Store, place: str) -> None:
    """Twelve revisions of one answer and twelve copies of one submission, at once, through two stores."""
    opened(store, scales(SCALE), documents=corpus((1,), ("alder",)))
    task = first_task(store)
    with Store.open(place) as second:
        stores = (store, second)

        def revise(number: int) -> campaign.SaveResult:
            return save(stores[number % 2], task, 0, {"q": 1 + number % 9}, base={"q": None})

        def resend(number: int) -> campaign.SaveResult:
            return save(stores[number % 2], task, 0, {"q": 7}, submission="the same")

        with ThreadPoolExecutor(6) as pool:
            revised = list(pool.map(revise, range(12)))
            resent = list(pool.map(resend, range(12)))
    history = campaign.history(store, "first")
    assert len(history) == 13
    assert len({j.supersedes for j in history}) == 13 and len(values(store)) == 1
    assert sum(bool(saved.conflicts) for saved in revised) == 11
    assert len({saved.ids["q"] for saved in resent}) == 1 and sum(not saved.repeated for saved in resent) == 1


def revise_for_ever(place: str, say: Callable[[int], None]) -> None:
    store = Store.open(place)
    task = first_task(store)
    for n in range(1_000_000):
        save(store, task, n % 3, {"q": 1 + n % 9, "note": f"n{n}"}, submission=f"s{n}")
        say(n)


def test_killed_in_the_middle_of_a_revision_nothing_is_half_written(store: Store, place: str) -> None:
    opened(store, scales(SCALE, NOTE, unit="sentence_in_context"), documents=corpus((3,), ("alder",)))
    store.close()
    acknowledged: list[int] = []
    for _ in range(2):  # the second writer resends what the first one sent, then goes on
        writer = KilledProcess(revise_for_ever, place)
        acknowledged += writer.said(25) + writer.kill()
    with Store.open(place) as reopened:
        history = campaign.history(reopened, "first")
        by_submission: dict[str, set[str]] = {}
        for j in history:
            by_submission.setdefault(j.submission, set()).add(j.question)
        assert {f"s{n}" for n in acknowledged} <= set(by_submission)
        assert all(questions == {"q", "note"} for questions in by_submission.values())
        assert len(campaign.judgements(reopened, "first")) == 6


SCRIPT = Path(__file__).parents[2] / "src/lanner/web/static/digest.js"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)  # fmt: skip


def test_saved_is_done_when_nothing_is_open() -> None:
    assert SaveResult({"q": 1}).done and not SaveResult({"q": 1}, open=("r",)).done


def test_saved_names_each_answer_by_the_digest_of_what_was_sent() -> None:
    saved = SaveResult({"q": 1}, answers={"q": 3, "note": None})
    assert saved.digests == {"q": digest(3), "note": digest(None)}
    # echo -n 3 | sha256sum
    assert saved.digests["q"] == "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce"


def test_the_error_for_a_reused_id_says_what_to_do_and_what_is_stored() -> None:
    error = ReusedError("s1", stored={"q": (7, 3)}, answers={"q": 3})
    assert "s1" in error.what and error.code == "reused" and "UUID" in error.next_step
    assert error.stored == {"q": (7, 3)} and error.digests == {"q": digest(3)}


@pytest.fixture(scope="module")
def page_digests() -> Iterator[Callable[[str], list[str]]]:
    """The digests of values (as JSON) as the page computes them."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("NO NODE: install node to compare the digests of page and server")
    code = (
        "import { createInterface } from 'node:readline';"
        f"const {{ digest }} = await import({json.dumps(SCRIPT.as_uri())});"
        "for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity }))"
        " console.log(JSON.stringify(JSON.parse(line).map(digest)))"
    )
    command = [node, "--input-type=module", "-e", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdin is not None and page.stdout is not None
        asks, answers = page.stdin, page.stdout

        def ask(values: str) -> list[str]:
            asks.write(values + "\n")
            asks.flush()
            return list(json.loads(answers.readline()))

        yield ask
        asks.close()


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(VALUES, min_size=30, max_size=30))
@example([1e-7, 1.5e-5, 1e21, 1e20, 0.1, -0.0, 5e-324, 2**60, "\u2028\x1f\x7f", {"\U0001f600": 1, "\uff61": 2}])
def test_the_page_computes_the_same_digest(page_digests: Callable[[str], list[str]], values: list[object]) -> None:
    assert page_digests(json.dumps(values)) == [digest(json.loads(json.dumps(value))) for value in values]


@pytest.mark.postgres
def test_a_save_beside_one_large_import_is_found_by_its_keys(postgres_url: str) -> None:
    """All rows of an import have one submission, from which PostgreSQL gathers that any submission has thousands of
    rows; it must not read them all for each save, as it did."""
    with Store.open(postgres_url) as store:
        documents = corpus((80,) * 20)
        opened(store, scales(SCALE, unit="sentence_in_context"), documents=documents)
        rows = [
            Judgement("eve", "s", "q", document.id, segment.id, (system,), 5)
            for document in documents
            for segment in document.segments
            for system in segment.outputs
        ]
        campaign.import_judgements(store, "first", rows)
        task = first_task(store)
    before = _read_from_end_to_end(postgres_url)
    with Store.open(postgres_url) as store:  # what a connection read is counted when it ends
        save(store, task, 0, {"q": 3})
        save(store, task, 0, {"q": 4})
        save(store, task, 1, {"q": 4}, submission="once")
        assert save(store, task, 1, {"q": 4}, submission="once").repeated
    after = _read_from_end_to_end(postgres_url)
    assert after["judgement"] - before["judgement"] < len(rows), {name: after[name] - before[name] for name in after}


def _read_from_end_to_end(url: str) -> dict[str, int]:
    """How many rows of each table were read by no index. What is believed about the tables is made anew first."""
    with importlib.import_module("psycopg").connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        counted = "SELECT relname, seq_tup_read FROM pg_stat_user_tables WHERE schemaname = current_schema()"
        return dict(connection.execute(counted).fetchall())


# The queue of saves, which shares transactions

SUBMIT = sys.modules[SaveQueue.__module__]


def submission(store: Store, number: int, value: int = 5, name: str = "") -> Submission:
    task = campaign.tasks(store, "trial", "J1")[0].id
    return Submission(task, number % 3, {"holistic": value}, name or f"submission-{number}")


def save_at_once(
    store: Store, submissions: list[Submission], writers: ThreadPoolExecutor | None = None
) -> list[object]:
    async def work() -> list[object]:
        intake = SaveQueue(store, ThreadPoolExecutor(1))
        return await asyncio.gather(*(intake.submit(each) for each in submissions), return_exceptions=True)

    return asyncio.run(work())


def test_many_at_once_share_transactions_and_all_are_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_campaign(store)
    sizes: list[int] = []
    really = campaign.submit_many

    def counted(store: Store, submissions: list[Submission], **more: object) -> object:
        sizes.append(len(submissions))
        return really(store, submissions, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(SUBMIT, "submit_many", counted)
    found = save_at_once(store, [submission(store, number, 1 + number % 10) for number in range(40)])
    assert all(isinstance(each, tuple) and each[0].ids for each in found)
    assert len(sizes) < 40
    assert len(campaign.history(store, "trial")) == 40


def test_what_is_refused_does_not_hold_up_the_rest(store: Store) -> None:
    open_campaign(store)
    good, bad = submission(store, 0), submission(store, 1, 99)
    stranger = Submission(good.task, 2, {"holistic": 3}, "stranger-submission", judge="J2")
    found = save_at_once(store, [good, bad, stranger, submission(store, 4)])
    assert [type(each) for each in found] == [tuple, AnswerError, CampaignError, tuple]
    assert len(campaign.history(store, "trial")) == 2


def test_one_that_collides_does_not_take_the_others_along(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_campaign(store)

    def collide(store: Store, submissions: list[Submission], **options: Any) -> Any:
        if len(submissions) > 1:
            raise CollisionError("two wanted the same row")
        return submit_many(store, submissions, **options)

    submit_many = campaign.submit_many
    monkeypatch.setattr(SUBMIT, "submit_many", collide)
    used = submission(store, 0, name="the-same-name")
    again = Submission(used.task, 1, {"holistic": 2}, "the-same-name")
    found = save_at_once(store, [used, again, submission(store, 5)])
    assert isinstance(found[0], tuple)
    assert isinstance(found[1], CampaignError) and found[1].code == "reused"
    assert isinstance(found[2], tuple)


def test_a_database_that_is_away_is_told_to_everyone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_campaign(store)
    first, second = submission(store, 0), submission(store, 1)

    def away(*_: object, **__: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr(SUBMIT, "submit_many", away)
    assert [type(each) for each in save_at_once(store, [first, second])] == [StoreError, StoreError]


def test_one_who_has_gone_is_stored_all_the_same(store: Store) -> None:
    open_campaign(store)
    writers = ThreadPoolExecutor(1)
    release = threading.Event()
    last = submission(store, 0)

    async def work() -> None:
        writers.submit(release.wait)
        intake = SaveQueue(store, writers)
        leaving = asyncio.create_task(intake.submit(last))
        await asyncio.to_thread(lambda: None)
        leaving.cancel()
        release.set()
        assert intake._writing is not None
        await intake._writing

    asyncio.run(work())
    assert len(campaign.history(store, "trial")) == 1
