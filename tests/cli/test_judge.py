"""`lanner judge` from the outside: texts or a campaign, going on, limits, dry run, replay, and beside people."""

from __future__ import annotations

import asyncio
import logging
import tomllib
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from cli.command import Command
from data_sets import data_dir
from lanner import campaign, formats
from lanner.cli.judge import line
from lanner.judges import plan
from lanner.judges.plan import Totals
from lanner.model import Judge, JudgeKind, Judgement
from lanner.store import Store
from model_campaign import corpus, opened
from stub_server import Stub, completion, good, running

# `lanner judge` from the outside: texts or a campaign, going on, limits, dry run, replay, and beside people.


@pytest.fixture
def texts(lanner: Command) -> Path:
    path = Path("small.jsonl")
    formats.write("native", path, corpus(3, 2), (), ())
    return path


def test_texts_become_a_campaign_and_the_same_command_goes_on(lanner: Command, texts: Path) -> None:
    stub = Stub()
    with running(stub) as url:
        again = ("judge", texts, "--protocol", "h_falcon", "--model", "tiny", "--base-url", url, "--json")
        first = lanner(*again, "--limit", "4").envelope["rows"][0]
        rest = lanner(*again).envelope["rows"][0]
    assert (first["items"], rest["items"]) == (4, 2)
    assert set(stub.asked.values()) == {1}
    shown = lanner("campaign", "show", "small-h-falcon", "--json").envelope["rows"]
    assert [(row["judge"], row["done"], row["items"]) for row in shown] == [("tiny", 6, 6)]


def test_models_stand_beside_people_in_agreement_and_report(lanner: Command, texts: Path) -> None:
    lanner("new", "pilot", "--texts", texts, "--protocol", "da", "--judges", "ana")
    with running(Stub()) as url:
        ran = lanner("judge", "pilot", "--model", "one", "--model", "two", "--base-url", url)
    assert ran.code == 0, ran.err
    assert "Next: lanner agreement pilot" in ran.out
    rows = lanner("agreement", "pilot", "--resamples", "50", "--json").envelope["rows"]
    assert "one – two" in {row["pair"] for row in rows}
    assert lanner("report", "pilot", "--out", "r").code == 0
    html = next(Path().rglob("*.html")).read_text(encoding="utf-8")
    assert "one" in html and "two" in html


def test_swapped_pairs_come_with_a_report_on_position(lanner: Command) -> None:
    formats.write("native", Path("pairs.jsonl"), corpus(4, 2, ("oak", "ash")), (), ())
    with running(Stub()) as url:
        ran = lanner("judge", "pairs.jsonl", "--protocol", "ranking_rs", "--model", "t", "--base-url", url, "--swap",
                     "--json")  # fmt: skip
    named = {row["statistic"]: row for row in ran.envelope["rows"][1:]}
    assert {"first of two preferred", "same verdict in both orders", "self-consistency"} <= set(named)
    assert named["first of two preferred"]["low"] <= named["first of two preferred"]["value"]


def test_a_dry_run_asks_nobody_and_makes_nothing(lanner: Command, texts: Path) -> None:
    ran = lanner("judge", texts, "--protocol", "falcon", "--model", "t", "--base-url", "http://127.0.0.1:9/v1",
                 "--dry-run", "--price-in", "1", "--price-out", "4")  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.out.count("Prompt ") == 3
    assert ">>> The sentence you judge:" in ran.out
    assert not Path("lanner.sqlite").exists()


def test_a_dry_run_of_contexts_asks_nobody_either(lanner: Command, texts: Path) -> None:
    stub = Stub()
    with running(stub) as url:
        again = ("judge", texts, "--protocol", "da", "--model", "tiny", "--base-url", url, "--dry-run", "--json")
        [row] = lanner(*again, "--compare-contexts", "people;none;whole", "--limit", "4").envelope["rows"]
    assert (row["items"], row["calls"], sum(stub.asked.values())) == (12, 12, 0)
    assert not Path("lanner.sqlite").exists()


def test_a_dry_run_counts_what_is_left_of_texts_that_were_begun(lanner: Command, texts: Path) -> None:
    stub = Stub()
    with running(stub) as url:
        again = ("judge", texts, "--protocol", "h_falcon", "--model", "tiny", "--base-url", url, "--json")
        lanner(*again, "--limit", "4")
        [row] = lanner(*again, "--dry-run").envelope["rows"]
    assert (row["items"], sum(stub.asked.values())) == (2, 4)


def test_a_key_is_neither_stored_nor_logged_nor_printed(
    lanner: Command, texts: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "sk-very-secret")
    caplog.set_level(logging.DEBUG)
    refusing = Stub(lambda body, _: web.json_response({"error": {"message": "bad key sk-very-secret"}}, status=401))
    said = ""
    for stub, code in ((refusing, 2), (Stub(), 0)):
        with running(stub) as url:
            ran = lanner("judge", texts, "--protocol", "da", "--model", "t", "--base-url", url)
        assert ran.code == code
        said += ran.out + ran.err
        assert stub.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "LANNER_API_KEY" in said  # what to do about it
    assert "very-secret" not in said + caplog.text
    for file in Path().rglob("*"):
        assert file.is_dir() or b"very-secret" not in file.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing", "--model", "t"), "There is no file 'nothing', and no campaigns here"),
        (("small.jsonl", "--model", "t"), "--protocol is missing"),
        (("small.jsonl", "--protocol", "da"), "--model is missing"),
        (("small.jsonl", "--protocol", "da", "--model", "t", "--set", "workers=2"), "are for a Ray cluster"),
        (("small.jsonl", "--protocol", "da", "--model", "t", "--max-cost", "1"), "needs prices"),
        (
            ("small.jsonl", "--protocol", "da", "--model", "t"),
            "Set LANNER_API_KEY or",
        ),
        (("small.jsonl", "--protocol", "da", "--model", "t", "--few-shot", "2"), "no examples to show"),
        (("small.jsonl", "--protocol", "da", "--model", "t", "--few-shot", "2", "--dry-run"), "no examples to show"),
    ],
)
def test_mistakes_are_said_before_anything_is_made(
    lanner: Command, texts: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    for name in ("LANNER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    ran = lanner("judge", *arguments)
    assert (ran.code, words in ran.err) == (2, True), ran.err


MODELS = ("o3", "o4mini", "41mini")


def printed(where: str) -> dict[tuple[str, str, str], float]:
    """What the paper prints for pairs with a model, where the released files give the same, by statistic and judges."""
    study = tomllib.loads((resources.files("lanner.studies") / "kim2025.toml").read_text(encoding="utf-8"))
    [table] = [entry for entry in study["table"] if entry["where"] == where]
    return {
        (column["statistic"], *sorted(row["judges"])): value / column.get("scale", 1)
        for row in table["rows"].values()
        if {*MODELS} & {*row["judges"]} and row.get("expected") != "differs"
        for column, value in zip(table["columns"].values(), row["paper"], strict=True)
    }


def test_a_server_that_never_answers_is_an_error_with_its_reason(
    lanner: Command, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lanner.cli.judge.Limits", partial(plan.Limits, tries=1, backoff=0.0))
    command = ("judge", texts, "--protocol", "da", "--model", "one", "--model", "two", "--base-url")
    ran = lanner(*command, "http://127.0.0.1:9/v1")
    assert (ran.code, "No answer came from the server: " in ran.err, "127.0.0.1:9" in ran.err) == (2, True, True)
    with running(Stub(lambda body, _: completion({**body, "model": "other"}, good(body)))) as url:
        assert "though one and two were asked" in lanner(*command, url).out
        assert "Nothing was open" in lanner(*command, url).out


@pytest.mark.data
def test_replayed_models_give_their_rows_of_the_published_tables(lanner: Command) -> None:
    """Kim 2025, Tables 5 and 6: human files imported, model files replayed into the same campaign."""
    released = data_dir("h-falcon")
    Path("people").mkdir()
    for part in ("data", "human"):
        Path("people", part).symlink_to(released / part)
    assert lanner("import", "people").code == 0
    words = [word for name in MODELS for word in ("--replay", released / "model" / f"{name}.jsonl")]
    ran = lanner("judge", "people-evalset", *words, "--json")
    assert [(row["judge"], row["answers"]) for row in ran.envelope["rows"]] == [(name, 1618) for name in MODELS]
    compared = 0
    for where, question in (("Table 5", "context"), ("Table 6", "skills")):
        made = lanner("agreement", "people-evalset", "-q", question, "--resamples", "1", "--json").envelope["rows"]
        pairs = [row for row in made if row.get("other")]
        values = {(row["statistic"], *sorted((row["judge"], row["other"]))): row["value"] for row in pairs}
        for key, value in printed(where).items():
            assert values[key] == pytest.approx(value, abs=6e-5), key
            compared += 1
    assert compared == 24 + 10  # all of Table 5; of Table 6 those five whose released files give the printed value


# The line, and what a failure leaves.


def test_the_line_says_pace_tokens_and_cost_so_far_and_expected() -> None:
    totals = Totals(open=100, items=20, missing=5, reasks=3, tokens_in=9000, tokens_out=1000, cost=0.5)
    assert line(totals, 10.0) == "2.5/s · 10,000 tokens · cost 0.50 of about 2.00 · 3 asked again · 5 missing"


def test_a_run_that_no_server_answered_leaves_neither_campaign_nor_store(
    lanner: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lanner.judges.setup.Limits", partial(plan.Limits, tries=1, backoff=0.0))
    (tmp_path / "t.csv").write_text("source,target\nThe ferry is late.,Die Fähre ist spät.\n", encoding="utf-8")
    model = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--protocol", "da")
    assert "No answer came from the server" in lanner("judge", "t.csv", *model).err
    assert not (tmp_path / "lanner.sqlite").exists()
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "da", "--judges", "ana")
    assert lanner("judge", "pilot", *model).code != 0
    assert [row["judge"] for row in lanner("campaign", "show", "pilot", "--json").envelope["rows"]] == ["ana"]
    assert lanner("campaign", "remove-judge", "pilot", "ana").code == 0
    assert lanner("campaign", "show", "pilot", "--json").envelope["rows"] == []


def test_replies_that_came_before_a_run_failed_are_kept(lanner: Command, texts: Path) -> None:
    """Also in a store that the run made: it was deleted with all that was paid."""
    no_credit = web.json_response({"error": {"message": "Your credit balance is too low."}}, status=402)
    answers = iter([good, good])
    with running(Stub(lambda body, _: next(answers, lambda _body: no_credit)(body))) as url:
        ran = lanner("judge", texts, "--protocol", "da", "--model", "m", "--base-url", url, "--set", "in_flight=1")
    assert "the same command goes on from there" in ran.err
    [row] = lanner("campaign", "show", "small-da", "--json").envelope["rows"]
    assert (row["judge"], row["done"]) == ("m", 2)


@pytest.mark.parametrize("batch", [False, True])
def test_ctrl_c_before_any_reply_leaves_nothing_but_what_a_batch_is_found_by(
    lanner: Command, texts: Path, monkeypatch: pytest.MonkeyPatch, batch: bool
) -> None:
    async def stopped(*_arguments: Any, **_options: Any) -> Totals:
        raise asyncio.CancelledError

    monkeypatch.setattr("lanner.cli.judge.judge_all", stopped)
    ran = lanner(
        *("judge", texts, "--protocol", "da", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
        *("--set", f"batch={str(batch).lower()}"),
    )
    assert (ran.code, Path("lanner.sqlite").exists()) == (130, batch)


# `lanner judge --compare-contexts` and `lanner compare --judges`: the ablation of what a model sees.


def seeing(body: dict[str, Any], _turn: int) -> str:
    """A judge that is right where it sees the sentences around, and ten points off where it does not."""
    return '{"score": 50}' if "(context)" in body["messages"][-1]["content"] else '{"score": 60}'


def test_a_sample_is_judged_in_each_context_and_compared_with_people(lanner: Command, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with Store.open(place) as store:
        number = opened(store, "da", corpus(4, 3))
        entries = [
            Judgement("ana", "rating", "score", f"d{d}", str(s), ("oak",), value=50) for d in range(4) for s in range(3)
        ]
        campaign.import_judgements(store, number, entries, judges=[Judge("ana")])
    stub = Stub(seeing)
    with running(stub) as url:
        command = ("judge", "c", "--model", "t", "--base-url", url, "--store", place, "--limit", "9", "--json")
        ran = lanner(*command, "--compare-contexts", "people, none, source±1")
        assert ran.code == 0, ran.err
        asked = len(stub.bodies)
        assert asked == 27
        again = lanner(*command, "--compare-contexts", "people, none, source±1")
        assert len(stub.bodies) == asked, "nothing is asked twice"
        assert again.envelope["rows"] == ran.envelope["rows"]
    rows = {row["context"]: row for row in ran.envelope["rows"]}
    assert [round(rows[name]["agreement"], 9) for name in ("people", "none")] == [1.0, 0.9]
    assert rows["none"]["same"] == 0.0
    assert rows["source±1"]["same"] == 1.0
    assert abs(rows["none"]["gain"] + 0.1) < 1e-9
    with Store.open(place) as store:
        assert {judge.id for judge in campaign.judges(store, "c")} == {"ana"}, "the campaign itself stays as it is"
    compared = lanner("compare", "--judges", "c-contexts", "--store", place, "--json").envelope["rows"]
    assert {row["context"] for row in compared} == {"people", "none", "source±1"}
    assert {row["replies"] for row in compared} == {9}
    for more, what in ((("--compare-contexts", "--protocol", "esa"), "asks da, not esa"), (("--lp", "en-de"), "whole")):
        other = lanner(*command, *more)
        assert (other.code, what in other.err) == (2, True)


def test_a_model_that_answered_nothing_is_said_to_have_not(lanner: Command, tmp_path: Path) -> None:
    """Where people had judged, it was said that nobody had."""
    place = tmp_path / "s.db"
    with Store.open(place) as store:
        number = opened(store, "da", corpus(2, 2), judges=[Judge("ana"), Judge("m", JudgeKind.MODEL)])
        for task in campaign.tasks(store, number, "ana"):
            for item in range(len(task.items)):
                campaign.submit(store, task.id, item, {"score": 50}, submission=f"{task.id}-{item}")
        name = campaign.get(store, number).name
    envelope = lanner("compare", "--judges", name, "--store", place, "--json").envelope
    assert envelope["notes"] == ["m has answered nothing."]


def test_what_a_judge_was_asked_stands_in_each_of_its_rows(lanner: Command, tmp_path: Path) -> None:
    """The number of replies was 0 in the first row of a judge whose answers were imported, and a dash in the next."""
    place, values = tmp_path / "s.db", {"score": 4, "comment": "Fine."}
    with Store.open(place) as store:
        number = opened(store, "sqm", corpus(3, 2), judges=[Judge("ana")])
        name = campaign.get(store, number).name
        entries = [
            Judgement(judge, "rating", question, f"d{d}", str(s), ("oak",), value)
            for judge in ("ana", "m") for question, value in values.items() for d in range(3) for s in range(2)
        ]  # fmt: skip
        campaign.import_judgements(store, number, entries, judges=[Judge("ana"), Judge("m", JudgeKind.MODEL)])
    rows = lanner("compare", "--judges", name, "--store", place, "--json").envelope["rows"]
    assert [(row["question"], row["replies"], row["missing"]) for row in rows] == [
        ("score", None, None),
        ("comment", None, None),
    ]


def test_contexts_are_not_compared_by_the_answers_to_another_protocol(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(2, 2), (), ())
    with running(Stub()) as url:
        command = ("judge", "small.jsonl", "--model", "t", "--base-url", url, "--compare-contexts", "people,none")
        assert lanner(*command, "--protocol", "da").code == 0
        refused = lanner(*command, "--protocol", "esa")
        assert (refused.code, "by the protocol da" in refused.err) == (2, True)
        named = lanner(*command, "--protocol", "esa", "--set", "name=second", "--json")
    assert {row["question"] for row in named.envelope["rows"]} >= {"score"}
    assert "No." not in named.err


def test_one_context_is_no_comparison(lanner: Command) -> None:
    Path("c.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    ran = lanner(
        "judge",
        "c.csv",
        "--protocol",
        "da",
        "--model",
        "t",
        "--base-url",
        "http://127.0.0.1:1/v1",
        "--compare-contexts",
        "none",
    )
    assert "cannot be compared" in ran.err
