from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from campaign_parts import corpus as corpus_of_outputs
from campaign_parts import fill, opened
from cli.command import Command
from data_sets import data_dir
from lanner import campaign, formats
from lanner.formats import native
from lanner.judges.probes import INJECTION
from lanner.model import Judge
from lanner.store import Store
from model_campaign import corpus
from reports.comparison.worlds import scores
from stats.test_models import labelled, scored
from stub_server import Stub, running


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for name, gap, seconds in (("fast", 20, 20.0), ("slow", 20, 60.0)):
        made = scores(title=name, gap=gap, seconds=seconds)
        paths.append(tmp_path / f"{name}.jsonl")
        native.write(paths[-1], made.documents, made.judgements, made.judges, protocol="da")
    return paths


def test_two_files_and_their_page(lanner: Command, files: list[Path], tmp_path: Path) -> None:
    named = [f"{path.stem.upper()}={path}" for path in files]
    ran = lanner("compare", *named, "--hourly", 30, "--out", tmp_path / "page", "--resamples", 100, "--svg-only")
    assert ran.code == 0, ran.err
    assert "3.0 times as long under SLOW as under FAST" in ran.out
    assert "not answered" in ran.out
    assert "FAST against SLOW" in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")


def test_some_of_the_judges(lanner: Command, files: list[Path], tmp_path: Path) -> None:
    sides = [f"{files[0]}@j0,j1", f"REST={files[0]}@people"]
    ran = lanner("compare", *sides, "--out", tmp_path / "page", "--resamples", 50, "--svg-only")
    assert ran.code == 0, ran.err
    assert "J0,j1 against REST" in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    for judges, what in (("j9", "There is no judge 'j9'"), ("models", "are no models. Leave out @models.")):
        wrong = lanner("compare", *sides, f"{files[1]}@{judges}")
        assert wrong.code == 2
        assert what in " ".join(wrong.err.split())


def test_people_go_by_code_names_and_who_is_left_out_is_named(lanner: Command, tmp_path: Path) -> None:
    """The page leaves the house as a report does, and a judge who counts nowhere is no side without answers."""
    people = [Judge(name, name=f"{name.title()} Berg") for name in ("ana", "ben", "cem")]
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store, "h_falcon", judges=people, documents=corpus_of_outputs((4, 4, 4)))
        for task in [task for judge in people for task in campaign.tasks(store, "first", judge.id)]:
            fill(store, task)
        campaign.leave_out(store, "first", "cem", reason="careless")
    more = ("--store", tmp_path / "lanner.sqlite", "--out", tmp_path / "page", "--resamples", 50, "--svg-only")
    ran = lanner("compare", "ALL=first", "ONE=first@ben", *more)
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    for text in (ran.out, page):
        assert "Berg" not in text
        assert "judge-3 is left out: careless" in text
    assert "ONE: judge-3 is left out" not in ran.out
    wrong = lanner("compare", "first@cem", "first@ben", *more)
    assert wrong.code == 2
    assert "cem has no answers that count: cem is left out: careless." in " ".join(wrong.err.split())


@pytest.mark.data
def test_scenarios_of_one_file_for_programs(lanner: Command, tmp_path: Path) -> None:
    envelope = lanner(
        "compare", data_dir("parity"), "--json", "--out", tmp_path, "--resamples", 100, "--svg-only"
    ).envelope
    answered = {row["question"] for row in envelope["rows"] if row["value"] is not None}
    assert {"agreement", "preferences", "stability", "verdicts"} <= answered
    assert all(row["reason"] for row in envelope["rows"] if row["value"] is None)


@pytest.mark.data
def test_an_unknown_part_is_named(lanner: Command) -> None:
    ran = lanner("compare", f"{data_dir('h-falcon')}:evalsets", f"{data_dir('h-falcon')}:subset")
    assert ran.code == 2
    assert "Did you mean 'evalset'" in ran.err


# `lanner replace` on a table of ratings.


def written(folder: Path, data: pl.DataFrame) -> Path:
    path = folder / "ratings.csv"
    kinds = {"ann": "ann", "ben": "ben", "cem": "cem"}
    texts = data.with_columns(
        source=pl.col("document") + pl.col("segment"),
        target=pl.col("document") + pl.col("segment"),
        judge=pl.col("judge").replace(kinds),
    )
    texts.write_csv(path)
    return path


def test_a_verdict_with_what_it_rests_on(lanner: Command, tmp_path: Path) -> None:
    path = written(tmp_path, scored(3, 0.5, people_on=10, documents=30))
    ran = lanner("replace", "model", path)
    assert ran.code == 0, ran.err
    assert "model may replace a person here" in ran.out
    assert re.search(r"of the human judgements \(\d+ % at the lower end of the interval of r²\)", ran.out)
    rows = lanner("replace", "model", path, "--json").envelope["rows"]
    assert {"verdict", "person", "line", "bias"} <= {row["kind"] for row in rows}


def test_labels_are_put_right_and_mistakes_help(lanner: Command, tmp_path: Path) -> None:
    path = written(tmp_path, labelled(1))
    ran = lanner("replace", "model", path)
    assert "Nothing can be said about model" in ran.out and "put right" in ran.out
    wrong = lanner("replace", "modle", path)
    assert wrong.code != 0 and "model" in wrong.err
    assert lanner("replace", "model", path, "--epsilon", 2).code != 0


def test_answers_that_are_not_compared_are_no_empty_table(lanner: Command, tmp_path: Path) -> None:
    """A model that ranked got neither a number nor a reason, and one that gave sets of labels had not answered."""
    pairs = [(f"d{n // 3}", str(n), judge) for n in range(12) for judge in ("ann", "ben", "gpt")]
    ratings = pl.DataFrame(pairs, schema=["document", "segment", "judge"], orient="row")
    kinds = pl.when(pl.col("judge") == "gpt").then(pl.lit("model")).otherwise(pl.lit("person"))
    path = tmp_path / "ratings.csv"
    shown = ratings.with_columns(judge_kind=kinds, system=pl.lit("alder|birch"), better=pl.lit("a"))
    shown.write_csv(path)
    for more in ([], ["--question", "better"]):
        ran = lanner("replace", "gpt", path, "--json", *more)
        assert ran.code == 2 and not ran.out
    labels = pl.Series([f'["{"ab"[n % 2]}", "c"]' for n in range(len(ratings))])
    ratings.with_columns(judge_kind=kinds, system=pl.lit("alder"), skills=labels).write_csv(path)
    ran = lanner("replace", "gpt", path, "--question", "skills", "--json")
    assert {row["question"] for row in ran.envelope["rows"]} == {"skills"}


RELEASED = {
    "XCOMET-Ensemble-refA": (0.60399, 0.9394, 0.69532), "MetricX-23-refA": (0.60260, 0.9242, 0.58548),
    "COMET-refA": (0.57401, 0.9697, 0.43240), "GEMBA-MQM-src": (0.57207, 1.0, 0.50214),
    "docWMT22CometDA-refA": (0.55876, 0.9697, 0.39359), "BLEU-refA": (0.51960, 0.8636, 0.19205),
}  # fmt: skip

MTME = {  # acc_eq with every threshold, and soft accuracy, from mt-metrics-eval itself
    "XCOMET-Ensemble-refA": (0.603986, 0.939409), "MetricX-23-refA": (0.602602, 0.928136),
    "COMET-refA": (0.574012, 0.960348), "GEMBA-MQM-src": (0.572069, 0.981939),
    "docWMT22CometDA-refA": (0.558762, 0.964485), "BLEU-refA": (0.519598, 0.857197),
}  # fmt: skip


@pytest.mark.data
def test_metrics_of_wmt23_against_mqm(lanner: Command) -> None:
    names = ",".join(RELEASED)
    arguments = ("metaeval", data_dir("mtme") / "wmt23", "--lp", "en-de", "--gold", "mqm", "--metrics", names)
    envelope = lanner(*arguments, "--json").envelope
    found = {
        row["metric"]: (
            round(row["acc_eq"], 5), round(row["sys_pairwise_accuracy"], 4), round(row["segment_pearson"], 5),
        )
        for row in envelope["rows"]
    }  # fmt: skip
    assert found == RELEASED
    assert "systems 12 · segments 460" in envelope["signature"]
    assert {row["metric"]: (round(row["acc_eq"], 6), round(row["spa_original"], 6)) for row in envelope["rows"]} == MTME
    for row in envelope["rows"]:
        assert abs(row["spa"] - row["spa_original"]) < 0.005  # other draws: sd up to .0016 with a thousand of them
        assert row["missing"] == 0


PEER = {  # mt-metrics-eval's own numbers, system scores as released
    "XCOMET-Ensemble-refA": {
        "acc_eq": 0.603986, "spa": 0.939409, "sys_pairwise_accuracy": 0.939394, "sys_pearson": 0.980235,
        "segment_pearson": 0.695323, "segment_spearman": 0.720401, "segment_kendall": 0.545881,
        "item_pearson": 0.537548, "item_spearman": 0.473515, "item_kendall": 0.379507,
        "system_pearson": 0.675942, "system_kendall": 0.529559,
    },
    "BLEU-refA": {
        "acc_eq": 0.519598, "spa": 0.857197, "sys_pairwise_accuracy": 0.893939, "sys_pearson": 0.916541,
        "segment_pearson": 0.192050, "segment_spearman": 0.192919, "segment_kendall": 0.136640,
        "item_pearson": 0.310111, "item_spearman": 0.290417, "item_kendall": 0.230622,
        "system_pearson": 0.140251, "system_kendall": 0.102749,
    },
}  # fmt: skip


@pytest.mark.data
def test_the_peers_numbers_to_six_digits(lanner: Command) -> None:
    arguments = ("metaeval", data_dir("mtme") / "wmt23", "--metrics", ",".join(PEER), "--compat", "--json")
    envelope = lanner(*arguments).envelope
    found = {row["metric"]: {name: round(row[name], 6) for name in PEER[row["metric"]]} for row in envelope["rows"]}
    assert found == PEER
    assert "As mt-metrics-eval" in " ".join(envelope["notes"])


@pytest.mark.data
def test_names_that_do_not_exist(lanner: Command) -> None:
    folder = data_dir("mtme") / "wmt23"
    for given, said in (
        (("--lp", "en-fr"), "no metric scores for 'en-fr'"),
        (("--lp", "en-de", "--gold", "mqn"), "no human scores called 'mqn'"),
        (("--lp", "en-de", "--metrics", "COMT-refA"), "no metric 'COMT-refA'"),
    ):
        ran = lanner("metaeval", folder, *given)
        assert (ran.code, said in ran.err) == (2, True)


@pytest.mark.data
def test_tests_between_scorers_for_people(lanner: Command) -> None:
    folder = data_dir("mtme") / "wmt23"
    ran = lanner("metaeval", folder, "--metrics", "COMET-refA,BLEU-refA", "--compare", "--swaps", "100")
    assert ran.code == 0
    assert "COMET-refA" in ran.out
    assert "williams" in ran.out
    wrong = lanner("metaeval", folder, "--metrics", "COMET-refA,BLEU-refA", "--compare", "--tests", "wiliams")
    assert (wrong.code, "There is no test 'wiliams'" in wrong.err, "williams" in wrong.err) == (2, True, True)


def test_slow_tests_of_many_scorers_only_when_asked(lanner: Command, tmp_path: Path) -> None:
    scorers = ["gold", *(f"m{number:02}" for number in range(25))]
    rows = [
        f"{judge},d{at // 2},{at},{system},{(7 * at + 3 * place + 5 * len(system) + place % 3) % 11}"
        for place, judge in enumerate(scorers)
        for at in range(6)
        for system in ("oak", "birch", "rowan")
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["judge,document,segment,system,score", *rows]), encoding="utf-8")
    asked = ("metaeval", path, "--gold", "gold", "--metrics", ",".join(scorers[1:]), "--compare", "--swaps", "20")
    envelope = lanner(*asked, "--json").envelope
    assert "p_spa" not in envelope["rows"][0]
    assert any("--tests all" in note for note in envelope["notes"])


@pytest.mark.data
def test_the_table_alone_for_a_paper_or_a_sheet(lanner: Command) -> None:
    arguments = ("metaeval", data_dir("mtme") / "wmt23", "--metrics", "COMET-refA,BLEU-refA", "--swaps", "100")
    header, comet, bleu = lanner(*arguments, "--table", "tsv").out.splitlines()
    first = dict(zip(header.split("\t"), comet.split("\t"), strict=True))
    assert (first["metric"], first["group"], round(float(first["acc_eq"]), 5)) == ("COMET-refA", "1", 0.57401)
    assert "BLEU-refA" in bleu
    typeset = lanner(*arguments, "--table", "latex").out
    assert typeset.startswith(r"\begin{table}")
    assert "1 & COMET-refA & .574" in typeset


STUDY = """
name = "mine"
title = "Mine"
citation = "Mine 2026"
data = "a folder"
[[table]]
where = "Table 1"
compute = "not_computable"
expected = "unknown"
note = "nothing was released"
[table.columns]
number = {}
[table.rows]
all = { paper = [4] }
"""


@pytest.mark.data
def test_paper_and_recomputed_side_by_side(lanner: Command) -> None:
    envelope = lanner("reproduce", "laubli2018", "--data", data_dir("parity"), "--json").envelope
    assert {row["verdict"] for row in envelope["rows"]} == {"agrees"}
    ran = lanner("reproduce", "laubli2018", "--data", data_dir("parity"), "--only", "sign")
    assert "86" in ran.out
    assert "12 of 12 agree" in ran.out


def test_unknown_study(lanner: Command) -> None:
    ran = lanner("reproduce", "kim2026", "--data", ".")
    assert ran.code == 2
    assert "kim2025" in ran.err


def test_rows_are_the_agreed_ones_and_reasons_are_notes(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(STUDY)
    (tmp_path / "segments.csv").write_text("")
    envelope = lanner("reproduce", file, "--json").envelope
    [row] = envelope["rows"]
    assert list(row) == ["where", "row", "column", "paper", "value", "difference", "verdict", "proviso"]
    assert row["verdict"] == "not computable"
    assert "Table 1, all, number: nothing was released" in envelope["notes"]


def test_the_list_names_every_study_and_its_data(lanner: Command) -> None:
    rows = lanner("reproduce", "--list", "--json").envelope["rows"]
    assert {row["study"] for row in rows} >= {"kim2025", "laubli2018", "wmt23", "ted2021", "esa2024"}
    assert all(row["data"] for row in rows)


def test_no_study_wrong_folder_and_unknown_table(lanner: Command, tmp_path: Path) -> None:
    assert "kim2025" in lanner("reproduce").err
    wrong = lanner("reproduce", "kim2025", "--data", tmp_path)
    assert wrong.code == 2
    assert "data/evalset.csv is missing" in wrong.err
    assert "H-FALCON release" in wrong.err
    assert "It has: " in lanner("reproduce", "kim2025", "--only", "Table 99").err


def test_a_page_is_written_where_asked(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(STUDY)
    ran = lanner("reproduce", file, "--report", "--out", tmp_path / "page")
    assert "1 of 1 cannot be computed." in ran.out
    assert "Nothing was released." in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")


# `lanner audit`: a table with a plain verdict for each thing that was tried.


def gullible(body: dict[str, Any], _turn: int) -> str:
    return '{"score": 100}' if INJECTION in body["messages"][-1]["content"] else '{"score": 50}'


def test_a_gullible_model_is_found_out(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(6, 2), (), ())
    with running(Stub(gullible)) as url:
        command = ("audit", "tiny", "--texts", "small.jsonl", "--protocol", "da", "--base-url", url)
        rows = lanner(*command, "--samples", "2", "--json").envelope["rows"]
        printed = lanner(*command, "--samples", "2").out
    by_probe = {row["probe"]: row for row in rows}
    assert by_probe["injection"]["verdict"] == "clear"
    assert by_probe["length"]["verdict"] == "none"
    assert "steer it" in " ".join(printed.split())


def test_an_audit_without_all_answers_says_so_and_ends_with_three(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(2, 2), (), ())
    stub = Stub(lambda body, _: "No." if INJECTION in body["messages"][1]["content"] else '{"score": 50}')
    with running(stub) as url:
        command = ("audit", "tiny", "--texts", "small.jsonl", "--protocol", "da", "--base-url", url, "--json")
        ran = lanner(*command)
        assert (ran.code, any("4 items are missing" in note for note in ran.envelope["notes"])) == (3, True)
        stub.answer = gullible
        assert lanner(*command).code == 3
        assert lanner(*command, "--set", "retry_missing=true").code == 0


def test_texts_without_translations_cannot_be_audited(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(1, 1, ()), (), ())
    ran = lanner("audit", "tiny", "--texts", "small.jsonl", "--protocol", "da", "--base-url", "http://127.0.0.1:1/v1")
    assert "no translations" in ran.err


def test_every_metric_beside_peoples_scores_can_be_named(lanner: Command, tmp_path: Path) -> None:
    """All at once, too: then no column of a metric is left that tells the one of people's scores apart."""
    rows = [
        f"{system},d{at // 3},{at},{quality + at % 4},{quality / 2 + at % 3},{100 - quality - at % 2}\n"
        for system, quality in (("ash", 60), ("elm", 70), ("oak", 80))
        for at in range(12)
    ]
    (tmp_path / "scores.csv").write_text(
        "system,doc_id,seg_id,human_score,BLEU,TER\n" + "".join(rows), encoding="utf-8"
    )
    both = lanner("metaeval", "scores.csv", "--metrics", "BLEU,TER", "--json").envelope["rows"]
    each = [lanner("metaeval", "scores.csv", "--metrics", name, "--json").envelope["rows"] for name in ("BLEU", "TER")]
    numbers = {row["metric"]: (row["acc_eq"], row["sys_pairwise_accuracy"]) for (row,) in each}
    assert {row["metric"]: (row["acc_eq"], row["sys_pairwise_accuracy"]) for row in both} == numbers
    assert numbers["ter"][1] == 1, "less is better"


def test_a_meta_evaluation_is_of_the_language_pair_that_is_named(lanner: Command, tmp_path: Path) -> None:
    """A metric that is right in one pair and wrong in the other; both together were evaluated whatever was named."""
    rows = [
        f"{pair},{system},{pair}{at // 3},{at},{quality + at % 4},{sign * quality + at % 3}\n"
        for pair, sign in (("en-de", 1), ("en-ko", -1))
        for system, quality in (("ash", 60), ("elm", 70), ("oak", 80))
        for at in range(9)
    ]
    (tmp_path / "scores.csv").write_text("lp,system,document,segment,score,BLEU\n" + "".join(rows), encoding="utf-8")
    command = ("metaeval", "scores.csv", "--metrics", "BLEU", "--json")
    for pair, accuracy in (("en-de", 1), ("en-ko", 0)):
        [row] = lanner(*command, "--languages", pair).envelope["rows"]
        assert row["sys_pairwise_accuracy"] == accuracy
    assert any("2 language pairs (en-de, en-ko)" in note for note in lanner(*command).envelope["notes"])
