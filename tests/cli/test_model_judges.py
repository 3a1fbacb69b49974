"""`lanner prompt`, `replay` and `ledger`: what models are asked, what they answered, and what became of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.command import Command
from data_sets import data_dir
from lanner import campaign, formats
from lanner.cli.commands.judges import prompt_try
from lanner.errors import LannerError
from lanner.judges import template as templates
from lanner.judges.prompt import PromptSettings, stage_prompts
from lanner.model import Judge, JudgeKind, Judgement
from lanner.protocols import load
from lanner.protocols.context import PEOPLE
from lanner.store import Store
from metrics.texts import documents
from model_campaign import corpus, opened
from stub_server import Stub, completion, good, running

# `lanner prompt`: shown, checked and tried from the command line.


def test_prompts_are_listed_and_shown(lanner: Command) -> None:
    listed = lanner("prompt", "show", "--json").envelope["rows"]
    assert {"judge", "gemba_da", "gemba_mqm", "gemba_esa"} <= {row["prompt"] for row in listed}
    shown = lanner("prompt", "show", "gemba_mqm")
    assert "gemba_mqm-1" in shown.out
    assert "Kocmi and Federmann 2023" in shown.out


def test_the_variables_are_listed(lanner: Command) -> None:
    rows = lanner("prompt", "show", "--variables", "--json").envelope["rows"]
    assert {"texts", "form", "asked"} <= {row.get("variable") for row in rows}


def test_a_mistake_is_said_with_file_and_line(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nversion = 1\nuser = """\n{{ form }}\n{{ texts }} {{ sourcelanguage }}\n"""\n', encoding="utf-8"
    )
    ran = lanner("prompt", "check", path)
    assert ran.code == 2
    assert "mine.toml:5" in (ran.out + ran.err)
    assert "source_language" in (ran.out + ran.err)


def test_a_prompt_is_tried_on_a_text_and_on_a_model(lanner: Command) -> None:
    tried = lanner("prompt", "try", "gemba_esa", "--protocol", "esa", "--json").envelope["rows"]
    assert "Die Fähre war zu spät." in tried[0]["user"]
    with running(Stub()) as url:
        ran = lanner(
            "prompt", "try", "judge", "--protocol", "da", "--rationale", "--model", "t", "--base-url", url, "--json"
        )
    [row] = ran.envelope["rows"]
    assert row["valid"]
    assert "rationale" in row["reply"]


def test_a_protocol_about_judges_is_not_for_models(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(1, 1), (), ())
    judge = ("judge", "small.jsonl", "--protocol", "consent", "--model", "t", "--base-url", "http://127.0.0.1:9/v1")
    for command in (judge, (*judge, "--dry-run"), ("prompt", "try", "judge", "--protocol", "consent")):
        ran = lanner(*command)
        assert (ran.code, "nothing about texts" in ran.err) == (2, True)
    assert [path.name for path in Path().iterdir()] == ["small.jsonl"], "nothing is left behind"


def test_every_stage_of_every_protocol_is_filled_in() -> None:
    prompts = stage_prompts(load("falcon"), PromptSettings(comments=False))
    assert [stage.id for stage, _, _ in prompts] == ["context", "skills", "rating"]


def test_the_context_is_that_of_people_unless_named() -> None:
    [context] = [parameter for parameter in prompt_try.params if parameter.name == "context"]
    assert context.default == PEOPLE


def test_a_prompt_that_is_not_there_is_refused_as_the_judges_refuse_it(lanner: Command) -> None:
    with pytest.raises(LannerError) as late:
        templates.load("juge")
    assert " ".join(lanner("prompt", "show", "juge").err.split()).endswith(" ".join(str(late.value).split()))


# `lanner replay`: outputs of a model that ran elsewhere become answers of a judge.


def test_a_file_becomes_a_judge_and_the_old_spelling_still_works(lanner: Command, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with Store.open(place) as store:
        opened(store, "da", corpus(1, 2))
    for name in ("first", "second"):
        rows = [{"segment": str(n), "score": 40 + n} for n in range(2)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ran = lanner("replay", "c", tmp_path / "first.jsonl", "--store", place, "--json")
    assert ran.envelope["rows"][0]["answers"] == 2
    old = lanner("judge", "c", "--replay", tmp_path / "second.jsonl", "--store", place)
    assert "now it is lanner replay" in (old.out + old.err)
    with Store.open(place) as store:
        assert [entry.value for entry in campaign.judgements(store, "c")] == [40, 41, 40, 41]


def test_outputs_that_are_no_answers_leave_the_replay_incomplete(lanner: Command, tmp_path: Path) -> None:
    place, path = tmp_path / "s.db", tmp_path / "first.jsonl"
    with Store.open(place) as store:
        opened(store, "esa", corpus(1, 2))
    marks = [[{"text": quote, "severity": "minor"}] for quote in ("Sturm", "Katze")]
    rows = [{"segment": str(n), "errors": marks[n], "score": 40} for n in range(2)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for command in (("replay", "c", path), ("judge", "c", "--replay", path)):
        ran = lanner(*command, "--store", place, "--json")
        assert (ran.code, ran.envelope["rows"][0]["not usable"]) == (3, 1)
        assert any(note.startswith("first.jsonl:2: ") for note in ran.envelope["notes"])


def test_one_name_is_for_one_file(lanner: Command, pilot: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("", encoding="utf-8")
    ran = lanner("replay", pilot, tmp_path / "a", tmp_path / "b", "--as", "x")
    assert "One name for several files" in (ran.out + ran.err)


# `lanner ledger`: what was sent, what came, and why items are missing.


@pytest.fixture
def stub(lanner: Command) -> Stub:
    """A run of three sentences, of which the model declines the second."""
    formats.write("native", Path("small.jsonl"), corpus(1, 3), (), ())

    def answer(body: dict[str, Any], _turn: int) -> Any:
        asked = body["messages"][1]["content"].partition(">>>")[2].partition("(context)")[0]
        if "0.1 " not in asked:
            return good(body)
        reply = completion(body, "")
        reply["choices"][0]["message"]["refusal"] = "I would rather not."
        return reply

    stub = Stub(answer)
    with running(stub) as url:
        ran = lanner("judge", "small.jsonl", "--protocol", "da", "--model", "tiny", "--base-url", url)
    assert ran.code == 3
    return stub


def test_missing_items_have_their_reason(lanner: Command, stub: Stub) -> None:
    [row] = lanner("ledger", "small-da", "tiny", "--missing", "--json").envelope["rows"]
    assert (row["segment"], row["systems"], row["outcome"], row["failed at"]) == ("1", ["oak"], "missing", "refusal")
    assert row["why"].endswith("declined to answer: I would rather not.")
    [full] = lanner("ledger", "small-da", "tiny", "--missing", "--full", "--json").envelope["rows"]
    assert full["request"]["messages"][0] == ["system", stub.bodies[0]["messages"][0]["content"]]


def test_the_request_stands_there_as_it_was_sent(lanner: Command, stub: Stub) -> None:
    rows = lanner("ledger", "small-da", "--full", "--json").envelope["rows"]
    requests = [[[message["role"], message["content"]] for message in body["messages"]] for body in stub.bodies]
    assert sorted(row["request"]["messages"] for row in rows) == sorted(requests)
    assert {row["request"]["settings"]["max_tokens"] for row in rows} == {2000}
    shown = lanner("ledger", "small-da", "--full", "--segment", "1").out
    assert "[refusal]" in shown and "I would rather not." in shown


def test_rows_that_are_left_out_are_counted_and_a_wrong_name_is_an_error(lanner: Command, stub: Stub) -> None:
    envelope = lanner("ledger", "small-da", "--limit", "1", "--json").envelope
    assert len(envelope["rows"]) == 1
    assert any(note.startswith("2 more rows") for note in envelope["notes"])
    assert "tiny" in lanner("ledger", "small-da", "tinny").err


def texts(path: Path) -> Path:
    people = [
        Judgement("ann", "segment", "score", d.id, s.id, (system,), 90.0 - 40 * (system == "bad") - place)
        for d in documents() for place, s in enumerate(d) for system in ("good", "bad")
    ]  # fmt: skip
    formats.write("native", path, documents(), people, [Judge("ann", JudgeKind.PERSON)])
    return path


def test_scores_with_intervals_and_how_they_were_made(lanner: Command, tmp_path: Path) -> None:
    envelope = lanner("metric", "bleu", "chrf", texts(tmp_path / "t.jsonl"), "--json").envelope
    rows = envelope["rows"]
    assert [(row["metric"], row["system"]) for row in rows] == [
        ("BLEU-refA", "good"), ("BLEU-refA", "bad"), ("chrF-refA", "good"), ("chrF-refA", "bad"),
    ]  # fmt: skip
    assert all(row["low"] <= row["value"] <= row["high"] and row["n"] == 3 for row in rows)
    assert "tok:13a" in rows[0]["signature"]


def test_what_is_kept_can_be_compared_with_people(lanner: Command, tmp_path: Path) -> None:
    given = texts(tmp_path / "t.jsonl")
    said = lanner("metric", "bleu", "d-bleu", given, "--out", "scored.jsonl").out
    assert "lanner scores scored.jsonl --question score --judges BLEU-refA" in said
    kept = formats.read("scored.jsonl")[0]
    assert {judge.id: str(judge.kind) for judge in kept.judges} == {
        "ann": "person", "BLEU-refA": "metric", "d-BLEU-refA": "metric",
    }  # fmt: skip
    ranked = lanner("metaeval", "scored.jsonl", "--gold", "ann", "--json").envelope["rows"]
    assert {row["metric"]: row["sys_pairwise_accuracy"] for row in ranked}["BLEU-refA"] == 1


def test_the_layout_of_mt_metrics_eval(lanner: Command, tmp_path: Path) -> None:
    lanner("metric", "bleu", texts(tmp_path / "t.jsonl"), "--out", "scored")
    files = Path("scored/metric-scores/de-en")
    assert len(files.joinpath("BLEU-refA.seg.score").read_text("utf-8").splitlines()) == 12
    assert files.joinpath("BLEU-refA.sys.score").read_text("utf-8").startswith("good\t")
    rows = lanner("metaeval", "scored", "--gold", "ann", "--json").envelope["rows"]
    assert [row["metric"] for row in rows] == ["BLEU-refA"]


def test_scores_are_stored_as_judgements_beside_those_of_people(lanner: Command, tmp_path: Path) -> None:
    said = lanner("metric", "bleu", "d-bleu", texts(tmp_path / "t.jsonl"), "--save", "automatic").out
    assert "Stored 36 scores as the campaign automatic" in said  # 12 of a person, 12 + 6 of BLEU, 6 of d-BLEU
    rows = lanner("metaeval", "automatic", "--gold", "ann", "--json").envelope["rows"]
    assert (rows[0]["metric"], rows[0]["sys_pairwise_accuracy"]) == ("BLEU-refA", 1)
    ranked = lanner("scores", "automatic", "--judges", "BLEU-refA", "--json").envelope["rows"]
    assert [row["system"] for row in ranked] == ["good", "bad"]
    again = lanner("metric", "chrf", "automatic", "--json").envelope["rows"]  # a campaign's texts can be rated too
    assert [row["system"] for row in again] == ["good", "bad"]


def test_mistakes_are_told(lanner: Command, tmp_path: Path) -> None:
    given = texts(tmp_path / "t.jsonl")
    assert "There is no metric 'blue'" in lanner("metric", "blue", given).err
    assert "Name one metric or more" in lanner("metric", given).err
    assert "is en-fr" in lanner("metric", "bleu", given, "--lp", "en-fr").err
    assert "d-bleu" in lanner("metric", "--list").out


@pytest.mark.data
def test_bleu_of_wmt23_is_what_was_published(lanner: Command) -> None:
    folder = data_dir("mtme/wmt23")
    lines = folder.joinpath("metric-scores/en-de/BLEU-refA.sys.score").read_text("utf-8").splitlines()
    published = {system: float(score) for system, score in (line.split("\t") for line in lines)}
    wanted = ",".join(list(published)[:2])
    rows = lanner("metric", "bleu", folder, "--systems", wanted, "--references", "refA", "--json").envelope["rows"]
    assert {row["system"]: row["value"] for row in rows} == pytest.approx({s: published[s] for s in wanted.split(",")})


def test_texts_that_do_not_name_their_languages_are_cut_by_those_that_are_given(lanner: Command) -> None:
    rows = "d,1,One thing.,一件事情很好。,一件事情不好。\nd,2,Two things.,两件事情很好。,两件事很好。\n"
    Path("zh.csv").write_text(f"document,segment,source,reference,system:a\n{rows}", encoding="utf-8")
    [row] = lanner("metric", "bleu", "zh.csv", "--languages", "en-zh", "--json").envelope["rows"]
    assert row["value"] > 30 and "tok:zh" in row["signature"]
    [plain] = lanner("metric", "bleu", "zh.csv", "--json").envelope["rows"]
    assert "tok:13a" in plain["signature"]
    lanner("new", "zh", "--texts", "zh.csv", "--protocol", "da", "--judges", "ana")
    for source in ("zh.csv", "zh"):
        [row] = lanner("metric", "bleu", source, "--languages", "en-zh-Hant", "--json").envelope["rows"]
        assert "tok:zh" in row["signature"]
    formats.write("native", "brazil.jsonl", [replace(d, target_language="pt-BR") for d in documents()])
    assert lanner("metric", "chrf", "brazil.jsonl", "--languages", "de-pt").code == 0
    assert "is de-pt-PT" in lanner("metric", "chrf", "brazil.jsonl", "--languages", "de-pt-PT").err
