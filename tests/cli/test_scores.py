from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir
from formats.test_table import two_pairs
from lanner import campaign, load, protocols, scores
from lanner.analysis.material import from_file
from lanner.errors import InputError
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.build import build
from lanner.reports.parts import Figure
from lanner.reports.sections.systems import preferences
from lanner.reports.view import View
from lanner.store import Store

EN_ZH = {
    "GPT-4": (90.399, 91.217), "Unbabel-Tower70B": (89.766, 89.958), "Gemini-1.5-Pro": (89.377, 87.855),
    "Claude-3.5": (89.156, 89.116), "ONLINE-B": (88.410, 88.849), "refA": (88.181, 88.089),
    "CommandR-plus": (88.180, 89.125), "IKUN": (87.734, 85.899), "IOL-Research": (87.456, 86.855),
    "Aya23": (86.175, 85.047), "Llama3-70B": (86.089, 86.131), "HW-TSC": (85.137, 85.071), "IKUN-C": (81.709, 82.493),
}  # fmt: skip


@pytest.mark.data
def test_wmt24_as_it_was_made(lanner: Command) -> None:
    folder = data_dir("wmt24")
    file, documents = folder / "humeval" / "esa_generalMT2024_wave3.csv", folder / "documents" / "en-es.docs"
    arguments = ("scores", file, "--lp", "en-zh", "--documents", documents, "--preset", "wmt24-esa")
    envelope = lanner(*arguments, "--json").envelope
    rows = envelope["rows"]
    assert [row["system"] for row in rows] == list(EN_ZH)
    assert {row["system"]: (round(row["score"], 3), round(row["micro"], 3)) for row in rows} == EN_ZH
    assert [(row["rank_low"], row["rank_high"]) for row in rows[:4]] == [(1, 4), (1, 6), (3, 6), (3, 4)]
    assert {(row["cluster"], row["n"]) for row in rows} == {(1, 337)}
    assert "stouffer by domain" in envelope["signature"]


@pytest.mark.data
def test_every_segment_and_every_pair(lanner: Command) -> None:
    file = data_dir("mqm") / "mqm_ted_ende.tsv"
    segments = lanner("scores", file, "--level", "segment", "--json").envelope["rows"]
    assert len(segments) == 7406
    assert {"system", "document", "segment", "score"} <= set(segments[0])
    pairs = lanner("scores", file, "--head-to-head", "--preset", "wmt21-mqm", "--json").envelope["rows"]
    assert len(pairs) == 14 * 13 / 2


@pytest.mark.data
def test_an_appraise_export_ranks_and_clusters(lanner: Command) -> None:
    ran = lanner("scores", data_dir("esa-appraise") / "240315rc5ESA.scores.csv")
    assert ran.code == 0
    assert "refA" in ran.out
    assert "document means" in ran.out


def wmt23(place: Path) -> Path:
    """The released folder with one metric instead of seventy."""
    released, folder = data_dir("mtme") / "wmt23", place / "wmt23"
    (folder / "metric-scores" / "en-de").mkdir(parents=True)
    for name in ("sources", "documents", "references", "system-outputs", "human-scores"):
        (folder / name).symlink_to(released / name)
    for file in (released / "metric-scores" / "en-de").glob("BLEU-refA.*"):
        (folder / "metric-scores" / "en-de" / file.name).symlink_to(file)
    return folder


@pytest.mark.data
def test_mqm_ratings_of_wmt23_give_the_released_scores_of_systems(lanner: Command, tmp_path: Path) -> None:
    folder = wmt23(tmp_path)
    released = dict(
        line.split("\t") for line in (folder / "human-scores" / "en-de.mqm.sys.score").read_text().splitlines()
    )
    rows = lanner("scores", folder, "--part", "en-de.mqm.merged", "--preset", "wmt23-mqm", "--json").envelope["rows"]
    assert {row["system"]: -row["score"] for row in rows} == pytest.approx({k: float(v) for k, v in released.items()})
    assert {row["n"] for row in rows} == {460}


@pytest.mark.data
def test_published_scores_are_ranked_by_the_scorer_that_is_named(lanner: Command, tmp_path: Path) -> None:
    folder = wmt23(tmp_path)
    ran = lanner("scores", folder, "--lp", "en-de")
    assert (ran.code, "--judges" in ran.err, "da-sqm, mqm" in ran.err) == (2, True, True)
    rows = lanner("scores", folder, "--lp", "en-de", "--judges", "da-sqm", "--json").envelope["rows"]
    assert [(row["system"], round(row["score"], 3)) for row in rows[:2]] == [
        ("GPT4-5shot", 88.961),
        ("ONLINE-B", 88.833),
    ]


@pytest.mark.data
def test_several_pairs_need_a_choice(lanner: Command) -> None:
    file = data_dir("wmt24") / "humeval" / "esa_generalMT2024_wave3.csv"
    ran = lanner("scores", file)
    assert (ran.code, "several parts" in ran.err, "--languages" in ran.err) == (2, True, True)
    ran = lanner("scores", file, "--lp", "en-de")
    assert (ran.code, "no pair 'en-de'" in ran.err) == (2, True)


def test_a_campaign_by_the_plan_of_its_protocol(lanner: Command) -> None:
    texts = [
        Document(f"d{n}", (Segment("1", "The tide.", {"oak": f"Die Flut {n}.", "elm": f"Ebbe {n}."}),), "en", "de")
        for n in range(8)
    ]
    with Store.open("lanner.sqlite") as store:
        campaign.create(store, "pilot", texts, protocols.load("esa"), [Judge("a"), Judge("b")], design="full", seed=1)
        campaign.open(store, "pilot")
        fill(store, "pilot", {"a": Temper(), "b": Temper()}, {"oak": 0.9, "elm": 0.2}, seed=1)
    envelope = lanner("scores", "pilot", "--json").envelope
    assert "rows main items by people" in envelope["signature"]
    rows = envelope["rows"]
    assert [(row["question"], row["system"], row["n"], row["cluster"]) for row in rows] == [
        ("score", "oak", 8, 1),
        ("score", "elm", 8, 2),
    ]
    assert all(row["low"] < row["score"] < row["high"] for row in rows)


def _ranked_first(path: Path, means: Mapping[str, int], question: str, **options: Any) -> str:
    rows = [
        f"{judge},d{document},{system},{value + (document + len(judge)) % 2}"
        for document in range(12)
        for judge in ("ann", "ben", "carla")
        for system, value in means.items()
    ]
    path.write_text("\n".join([f"judge,document,system,{question}", *rows]))
    return str(scores(path, **options).table.sort("rank")["system"][0])


@pytest.mark.parametrize(
    ("question", "best"),
    [("score", "high"), ("rank", "low"), ("errors", "low"), ("major errors", "low"), ("TER", "low"), ("fun", "high")],
)
def test_the_best_system_stands_first_whichever_way_the_scale_runs(
    lanner: Command, tmp_path: Path, question: str, best: str
) -> None:
    path = tmp_path / "ratings.csv"
    assert _ranked_first(path, {"low": 1, "high": 4}, question) == best
    assert lanner("scores", path, "--json").envelope["rows"][0]["system"] == best
    assert lanner("scores", path, "--json", "--better", "lower").envelope["rows"][0]["system"] == "low"
    assert f"{best} beats" in " ".join(build(load(path)[0]).findings)


def test_a_scale_of_ones_own_protocol_says_which_end_is_better(tmp_path: Path) -> None:
    protocol = tmp_path / "strain.toml"
    text = """
        name = "strain"
        version = "1.0"
        [[stage]]
        id = "rating"
        unit = "sentence_in_context"
        object = "output"
        [[stage.question]]
        id = "strain"
        kind = "scale"
        min = 0
        max = 10
        direction = "lower_is_better"
        [[analysis]]
        statistic = "ranking.systems"
        of = "strain"
        [text.en]
        title = "Strain"
        summary = "How hard a text is to read."
        instructions = "Read the text."
        when_to_use = "In this test."
        stages.rating.title = "Rating"
        questions.strain = { label = "Strain", ask = "How hard?", low = "easy", high = "hard" }
    """
    protocol.write_text(text)
    assert _ranked_first(tmp_path / "r.csv", {"low": 1, "high": 4}, "strain", protocol=str(protocol)) == "low"
    protocol.write_text(text.replace("lower_is_better", "neutral"))
    with pytest.raises(InputError, match="Neither end of strain is better"):
        _ranked_first(tmp_path / "r.csv", {"low": 1, "high": 4}, "strain", protocol=str(protocol))


def test_scores_are_by_people_and_not_by_models(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = [
        f"{judge},{kind},d{document},{system},{value}"
        for document in range(12)
        for judge, kind, values in (("ann", "person", (60, 70)), ("ben", "person", (62, 72)), ("gpt", "model", (95, 5)))
        for system, value in zip("AB", values, strict=True)
    ]
    path.write_text("\n".join(["judge,judge_kind,document,system,points", *rows]))
    table = scores(path).table.sort("system")
    assert table["value"].to_list() == [61.0, 71.0]
    shown = lanner("scores", path, "--json").envelope["rows"]
    assert {row["system"]: row["value"] for row in shown} == {"A": 61.0, "B": 71.0}


@pytest.mark.data
def test_the_published_sign_test(lanner: Command) -> None:
    rows = lanner("prefer", data_dir("parity"), "--favour", "human", "-q", "adequacy_of_document", "--json").envelope[
        "rows"
    ]
    pooled = next(row for row in rows if row["judge"] == "all")
    assert (pooled["wins"], pooled["ties"], pooled["losses"]) == (104, 22, 74)
    assert round(pooled["p_drop"], 3) == 0.029


def test_nothing_was_compared(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    ran = lanner("prefer", falcon_folder(tmp_path / "s"))
    assert ran.code == 2
    assert "asks for no preference" in ran.err


@pytest.mark.data
def test_a_preference_in_words_by_judge_and_as_strengths(lanner: Command) -> None:
    asked = ("prefer", data_dir("parity"), "-q", "adequacy_of_document")
    text = lanner(*asked, "--favour", "human").out
    assert "human was preferred over mt in 104 of 178 decided comparisons (58 %; 22 of 200 were ties)" in text
    assert "Chance alone would hardly give that" in text
    rows = lanner(*asked, "--ranking", "--json").envelope["rows"]
    assert [row["system"] for row in rows if row["kind"] == "system"] == ["human", "mt"]
    one = lanner(*asked, "--judges", "E").out
    assert "no preference is shown" in one
    assert "parity says nothing about domains" in lanner(*asked, "--by", "domain").err


def votes(path: Path, answers: dict[str, str], systems: bool = True) -> Path:
    """Three judges on two sentences of each of six documents; what `answers` calls a, b and tie."""
    rows = ["judge,document,segment" + (",system" if systems else "") + ",better"]
    for at in range(36):
        document, judge = at // 6, at % 3
        given = answers["tie" if at % 9 == 0 else "b" if at % 4 == 0 else "a"]
        rows.append(f"j{judge},d{document},{at // 3}" + (",human|mt" if systems else "") + f",{given}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_of_one_document_no_preference_is_more_than_chance(lanner: Command, tmp_path: Path) -> None:
    """The published sign tests call 40 of 40 significant, whatever these sentences have in common."""
    rows = ["document,segment,judge,system,preference", *(f"d,{n},j,oak|elm,a" for n in range(40))]
    path = tmp_path / "one.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    text = lanner("prefer", path).out
    assert "oak was preferred over elm in 40 of 40" in text
    assert "Whether that is more than chance is not known: no test by document" in text
    assert "Chance alone" not in text and "report all three" not in text


def test_a_plain_table_of_preferences_by_side_and_by_name(lanner: Command, tmp_path: Path) -> None:
    named = {"a": "human", "b": "mt", "tie": "tie"}
    files = [
        votes(tmp_path / "sides.csv", {"a": "a", "b": "b", "tie": "tie"}),
        votes(tmp_path / "named.csv", named),
        votes(tmp_path / "alone.csv", named, systems=False),
    ]
    said = [lanner("prefer", file, "--favour", "human").out for file in files]
    assert "human was preferred over mt in 24 of 32 decided comparisons" in said[0]
    asked_of_mt = lanner("prefer", files[0], "--favour", "mt").out
    assert "human was preferred over mt in 24 of 32 decided comparisons (75 %" in asked_of_mt, "not mt in 8 of 32"
    results = [
        [line for line in text.splitlines() if not line.strip().startswith(path.stem)]  # notes on the file
        for text, path in zip(said, files, strict=True)
    ]
    assert results[0] == results[1] == results[2]
    for path in files:  # the report shows the same, also where no column names the systems
        (part,) = from_file(path)
        assert part.protocol is not None
        section = preferences(View(part, part.protocol))
        assert section is not None
        [[row]] = [block.data for block in section.blocks if isinstance(block, Figure)]
        assert (row["for"], row["wins"], row["ties"], row["losses"]) == ("human", 24, 4, 8)


def test_of_several_pairs_only_what_survives_their_number_is_a_preference(lanner: Command, tmp_path: Path) -> None:
    """A wins 10 of 11 against B (p = .02 by document), nobody otherwise; corrected for six pairs nothing is shown."""
    rows = ["judge,document,segment,system,preference"]
    for one, two in combinations("ABCD", 2):
        for document in range(11):
            wins = document < 10 if (one, two) == ("A", "B") else document % 2
            rows.append(f"j,d{document},{one}{two},{one}|{two},{'a' if wins else 'b'}")
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    pooled = [row for row in lanner("prefer", path, "--json").envelope["rows"] if row["judge"] == "all"]
    assert pooled[0]["p_documents"] < 0.05 < pooled[0]["p_holm"] == pytest.approx(6 * pooled[0]["p_documents"])
    text = lanner("prefer", path).out
    assert "by document (holm)" in text and "Chance alone would hardly" not in text
    (part,) = from_file(path)
    assert part.protocol is not None
    section = preferences(View(part, part.protocol))
    assert section is not None
    assert not any("**a preference" in finding for finding in section.findings)
    assert "after Holm over 6 pairs" in section.findings[0]


def test_who_never_lost_has_a_bound_instead_of_a_strength(lanner: Command, tmp_path: Path) -> None:
    """Clopper and Pearson's of 30 in 30, .025 to the power of 1/30, as a logit."""
    path = tmp_path / "won.csv"
    rows = [f"j,d{document},1,human|mt,a" for document in range(30)]
    path.write_text("\n".join(["judge,document,segment,system,preference", *rows]), encoding="utf-8")
    assert "above 2.034" in lanner("prefer", path, "--ranking").out


def test_systems_without_a_main_answer_have_no_differences_and_a_reason(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "calibration.csv"
    path.write_text("document,segment,system,judge,score,role\nd,1,mt,ann,70,calibration\n", encoding="utf-8")
    for options in ((), ("--head-to-head",)):
        ran = lanner("scores", path, "-q", "score", *options)
        assert (ran.code, "no system has a score" in ran.out + ran.err) == (0, True), options


def test_preferences_are_those_of_people_unless_judges_are_named(lanner: Command, tmp_path: Path) -> None:
    """A model that always prefers the other side was pooled with people, whom alone the report counts."""
    path = votes(tmp_path / "v.csv", {"a": "a", "b": "b", "tie": "tie"})
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    model = [f"m,d{at // 2},{at},human|mt,b,model" for at in range(12)]
    path.write_text("\n".join([f"{header},judge_kind", *(f"{line},human" for line in lines), *model]), encoding="utf-8")
    envelope = lanner("prefer", path, "--favour", "human", "--json").envelope
    pooled = next(row for row in envelope["rows"] if row["judge"] == "all")
    assert (pooled["wins"], pooled["ties"], pooled["losses"]) == (24, 4, 8)
    assert "m" not in {row["judge"] for row in envelope["rows"]}
    assert any("; answers of other judges do not" in note for note in envelope["notes"])
    assert "main items by people" in pooled["signature"]
    named = lanner("prefer", path, "--favour", "human", "--judges", "m", "--json").envelope["rows"]
    assert {(row["judge"], row["wins"], row["losses"]) for row in named} == {("all", 0, 12), ("m", 0, 12)}


def test_majorities_are_said_in_words(lanner: Command, tmp_path: Path) -> None:
    text = lanner("prefer", votes(tmp_path / "v.csv", {"a": "a", "b": "b", "tie": "tie"}), "--votes").out
    assert "items, most judges preferred human on" in text


GRADED = """
name = "graded"
version = "1"
[[stage]]
id = "compare"
unit = "sentence_in_context"
object = "outputs"
[[stage.question]]
id = "better"
{question}
[text.en.questions.better]
{words}
"""
OPTIONS = ("left_much", "left_slightly", "tie", "right_slightly", "right_much")
SCALES = {
    "choice": ("kind = 'choice'\noptions = [" + ", ".join(f"{{id = '{name}'}}" for name in OPTIONS) + "]", "", 1),
    "scale": ("kind = 'scale'\nmin = -3\nmax = 3", "low = 'A is much better'\nhigh = 'B is much better'", -1),
    "other way": ("kind = 'scale'\nmin = -3\nmax = 3", "low = 'The right one'\nhigh = 'The left one'", 1),
}


def graded(folder: Path, question: str, words: str, answer: Any) -> Path:
    """Answers of two judges to the pairs of a file, in either order, as `answer` says them: how much better the first
    output is, from −2 to 2."""
    protocol = protocols.load(written(folder / "graded.toml", GRADED.format(question=question, words=words)))
    texts = [Document(f"d{d}", (Segment("0", "x", {"elm": "y", "oak": "z"}),), "en", "de") for d in range(12)]
    rows = [
        Judgement(judge, "compare", "better", f"d{d}", "0", pair, answer(better if pair[0] == "elm" else -better))
        for judge, pair in (("ana", ("elm", "oak")), ("bob", ("oak", "elm")))
        for d, better in enumerate(ELM)
    ]
    with Store.open(folder / "graded.sqlite") as store:
        campaign.import_campaign(store, "graded", rows, protocol, documents=texts)
    return folder / "graded.sqlite"


ELM = (2, 2, 1, 1, 1, 2, 1, 2, 1, -1, -2, 0)
"""How much better elm is than oak in each document."""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", SCALES)
def test_of_a_graded_preference_the_direction_counts(lanner: Command, tmp_path: Path, form: str) -> None:
    question, words, sign = SCALES[form]

    def answer(better: int) -> Any:
        return OPTIONS[2 - better] if form == "choice" else sign * better

    store = graded(tmp_path, question, words, answer)
    rows = lanner("prefer", "graded", "--store", store, "--favour", "elm", "--json").envelope["rows"]
    expected = (sum(x > 0 for x in ELM), sum(x == 0 for x in ELM), sum(x < 0 for x in ELM))
    by_judge = {row["judge"]: (row["wins"], row["ties"], row["losses"]) for row in rows}
    assert by_judge == {"ana": expected, "bob": expected, "all": tuple(2 * n for n in expected)}
    strengths = lanner("prefer", "graded", "--store", store, "--ranking", "--json").envelope["rows"]
    assert [row["system"] for row in strengths if row["kind"] == "system"] == ["elm", "oak"]
    assert "preferred over oak in 18 of 22" in lanner("prefer", "graded", "--store", store, "--favour", "elm").out


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("kind = 'scale'\nmin = -3\nmax = 3", ""),
        ("kind = 'scale'\nmin = -3\nmax = 3", "low = 'much worse'\nhigh = 'much better'"),
        ("kind = 'scale'\nmin = -3\nmax = 3", "low = 'A is much worse'\nhigh = 'B is much worse'"),
        ("kind = 'scale'\nmin = 0\nmax = 6", "low = 'A is much better'\nhigh = 'B is much better'"),
    ],
)
def test_a_scale_that_does_not_say_which_end_is_which_output_is_refused(
    lanner: Command, tmp_path: Path, question: str, words: str
) -> None:
    store = graded(tmp_path, question, words, abs)
    ran = lanner("prefer", "graded", "--store", store)
    assert ran.code == 2
    assert "does not say which answers to 'better' prefer which output" in ran.err
    assert 'low = "A is much better"' in ran.err and "--protocol" in ran.err


def test_scores_are_no_preference_and_the_way_out_is_said(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    ran = lanner("prefer", file)
    assert ran.code == 2 and "a column system (human|mt)" in ran.err


def test_language_pairs_are_ranked_together_with_a_note_and_each_by_itself(lanner: Command, tmp_path: Path) -> None:
    """A is best in one pair and worst in the other; `--languages` ranked both pairs together."""
    ratings = two_pairs(tmp_path / "ratings.csv", rated=True)
    answers = pl.read_csv(ratings)
    pooled = lanner("scores", ratings, "--json").envelope
    assert any("2 language pairs (en-de, en-ko)" in note for note in pooled["notes"])
    texts = two_pairs(tmp_path / "texts.csv", rated=False)
    lanner("new", "two", "--texts", texts, "--protocol", "sqm", "--judges", "2")
    for pair in ("en-de", "en-ko"):
        of_pair = answers.filter(pl.col("lp") == pair)
        expected = dict(of_pair.group_by("system").agg(pl.col("score").mean()).iter_rows())
        rows = lanner("scores", ratings, "--languages", pair, "--json").envelope["rows"]
        assert {row["system"]: row["score"] for row in rows} == pytest.approx(expected)
        assert rows[0]["system"] == max(expected, key=lambda system: expected[system])
        of_pair.write_csv(tmp_path / "part.csv")
        imported = lanner("campaign", "import", "two", tmp_path / "part.csv")
        assert imported.code == 0, "documents of a campaign in several pairs are known in a file of one"
        rows = lanner("scores", "two", "--languages", pair, "--json").envelope["rows"]
        assert {row["system"]: row["micro"] for row in rows} == pytest.approx(expected)
    (part,) = load("two", languages="en-ko", store=tmp_path / "lanner.sqlite")
    assert {document.language_pair for document in part.documents} == {"en-ko"}
    assert {judgement.judge for judgement in part.judgements} == {"en-ko one", "en-ko two"}
    assert "No document of two is en-fr" in lanner("scores", "two", "--languages", "en-fr").err
    assert "No document of two is en-fr" in lanner("agreement", "two", "--languages", "en-fr").err
    lanner("report", "two", "--out", tmp_path / "report")
    table = pl.read_csv(tmp_path / "report" / "tables" / "ranking-score-by-languages.csv")
    assert table.filter(pl.col("rank") == 1).select("languages", "system").rows() == [("en-de", "A"), ("en-ko", "B")]


@pytest.mark.parametrize("columns", ["acceptable", "best,worst"])
def test_two_labels_are_a_preference_only_where_one_is_asked_for(lanner: Command, tmp_path: Path, columns: str) -> None:
    """`yes` and `no` are none, and the two that were best of three are not the two that were compared."""
    answers = {"acceptable": ["yes", "no", "yes"], "best,worst": ["DeepL,Google", "GPT,Google", "DeepL,GPT"]}[columns]
    path = tmp_path / "labels.csv"
    lines = [f"d{n},{judge},{answer}" for n, answer in enumerate(answers) for judge in ("ann", "bob")]
    path.write_text("\n".join([f"document,judge,{columns}", *lines]))
    ran = lanner("prefer", path)
    assert ran.code
    assert "holds no preference between two outputs" in ran.err
