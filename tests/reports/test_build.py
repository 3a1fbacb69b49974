import html
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from lanner.analysis.material import Material, from_file
from lanner.errors import LannerError
from lanner.model import JudgeKind
from lanner.model.messages import number
from lanner.reports.build import build
from lanner.reports.parts import WORD_JOINER, Paragraph, Report, Table, without_marks
from lanner.reports.rendering import latex_table, render
from lanner.stats.resample import Resampling
from reports.world import material


@pytest.mark.parametrize("name", ["falcon", "h_falcon"])
def test_a_report_from_judgements(name: str) -> None:
    report = build(material(name))
    ids = [section.id for section in report.sections]
    both = [
        "method",
        "agreement",
        "systems",
        "diagnosis",
        "labels",
        "effort",
        "questions-and-texts",
        "pairs",
        "disputed",
    ]
    both += ["correlations", "comments"]
    appendix = [section.id for section in report.sections if section.appendix]
    assert appendix == ids[-len(appendix) :], "what is looked up stands last"
    own = {"falcon": {"disagreements", "marks", "contexts"}, "h_falcon": {"explained", "along", "coefficients"}}[name]
    assert [section for section in ids if section not in (*own, "numbers")] == both
    folded = {table.id for section in report.sections if section.id == "numbers" for table in section.blocks}
    assert "diagnosis-cells" in folded or name == "falcon", "the numbers of a figure are looked up, not read"
    assert own <= set(ids)
    assert "simulated" in report.findings[0]
    assert any("greement of people" in sentence or "People show" in sentence for sentence in report.findings)
    text = render(report)
    assert [name for name, times in Counter(re.findall(r' id="([^"]+)"', text)).items() if times > 1] == []
    for part in (*report.tables, *report.figures):
        assert f'id="{"table" if isinstance(part, Table) else "figure"}-{part.id}"' in text


def test_one_judge_is_said_not_hidden() -> None:
    report = build(material("falcon", judges=1))
    assert any("cannot be computed yet" in sentence for sentence in report.findings)


def test_asterisks_in_a_name_make_nothing_strong() -> None:
    """A system and a judge called so; sentences name both, some within parts that are strong."""
    plain = material("da", documents=3, kind=JudgeKind.PERSON)
    names = {"oak": "**Oak** 2", "elm": "the **elm**"}
    documents = tuple(
        replace(
            document,
            segments=tuple(
                replace(segment, outputs={names[system]: text for system, text in segment.outputs.items()})
                for segment in document
            ),
        )
        for document in plain.documents
    )
    judgements = tuple(
        replace(judgement, systems=tuple(names[system] for system in judgement.systems))
        for judgement in plain.judgements
    )
    judges = (replace(plain.judges[0], name="**Judge** A"), *plain.judges[1:])
    report = build(replace(plain, documents=documents, judgements=judgements, judges=judges))
    page, expected = render(report), render(build(plain))
    text = html.unescape(re.sub("<[^>]*>", "", page))
    assert all(name in text for name in (*names.values(), "**Judge** A"))
    assert not re.search(r"<b>(Oak|elm|Judge)</b>", page)
    assert page.count("<b>") == expected.count("<b>"), "what is strong without the names is strong with them"
    assert WORD_JOINER not in page and not any(WORD_JOINER in latex_table(table) for table in report.tables)
    said = [without_marks(sentence) for sentence in report.findings]
    assert any("**Oak** 2" in sentence for sentence in said)
    assert WORD_JOINER not in "".join(said)


def test_unknown_protocol() -> None:
    with pytest.raises(LannerError, match="not known what was asked"):
        build(Material("x", None, (), (), ()))


@pytest.mark.parametrize("name", ["falcon", "h_falcon", "esa", "scenarios", "mqm", "sqm", "da"])
def test_two_items_are_no_ground_for_any_sentence(name: str) -> None:
    """Whatever a report says by itself needs as many items as the live page asks for before it speaks."""
    whole = material(name, judges=2, documents=1, kind=JudgeKind.PERSON)
    few = replace(whole, judgements=tuple(j for j in whole.judgements if j.segment in ("0", "1")))
    report = build(few)
    numbers = [sentence for sentence in report.findings if re.search(r"\d", sentence)]
    assert numbers == [], "a finding with a number rests on two items"
    captions = " ".join(part.caption for part in (*report.tables, *report.figures))
    for phrase in (
        "Highest Spearman",
        "Most used by people",
        "finds most",
        "of their items",
        "The largest coefficient",
    ):
        assert phrase not in captions


OWN_PROTOCOL = """
name = "own"
version = "1"

[[stage]]
id = "rating"
unit = "sentence_in_context"
object = "output"
question = [
    { id = "points", kind = "number", max = 100 },
    { id = "fit", kind = "scale", min = 1, max = 5 },
    { id = "levels", kind = "grid", rows = ["tone", "terms"], options = ["low", "high"] },
]

[text.en]
title = "Own"
questions = { points = { label = "Points" }, fit = { label = "Fit" }, levels = { label = "Levels" } }
"""


def test_a_protocol_of_ones_own(tmp_path: Path) -> None:
    """Numbers are correlated as scales are; a grid that preselects nothing has no chosen rows to draw."""
    (tmp_path / "own.toml").write_text(OWN_PROTOCOL, encoding="utf-8")
    report = build(
        material(str(tmp_path / "own.toml"), judges=5, documents=2, kind=JudgeKind.PERSON), resampling=Resampling(n=100)
    )
    assert not [figure.id for figure in report.figures if figure.id.startswith(("labels-", "how-many-"))]
    (table,) = (table for table in report.tables if table.id == "correlations")
    assert Counter(row["what"] for row in table.rows) == {"Points": 6, "Fit": 6}
    assert "Of 20 rows the first 6 of each measure" in table.caption
    highest = max((row for row in table.data if row["statistic"] == "Spearman ρ"), key=lambda row: row["value"])
    names = f"Judge {highest['x'][1:]} – Judge {highest['y'][1:]} on {highest['of']}, {number(highest['value'], 2)} ["
    assert f"Highest Spearman ρ: {names}" in table.caption


def _rated_by(folder: Path, judges: dict[str, float]) -> str:
    """The text of a report on scores by judges, each so far from the others and on a scale of its own."""
    rows = [
        f"{judge},d{n // 2},{n},{system},{scale * (50 + 7 * n % 31 + better):.4f}"
        for judge, scale in judges.items()
        for n in range(24)
        for system, better in (("oak", 9), ("elm", 0))
    ]
    path = folder / "ratings.csv"
    path.write_text("\n".join(["judge,document,segment,system,score", *rows]), encoding="utf-8")
    (part,) = from_file(path)
    page = render(build(part))
    return html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"<(style|script|svg)\b.*?</\1>", "", page, flags=re.DOTALL)))


def test_metrics_are_compared_with_nobody_on_a_scale_that_is_not_theirs(tmp_path: Path) -> None:
    text = _rated_by(tmp_path, {"Ana": 1, "Ben": 0.8, "Cem": 0.6, "gpt-4o": 0.98, "COMET": 0.01})
    assert "3 judges, 1 model, 1 metric" in text
    assert "– COMET" not in text
    assert "gpt-4o" in text
    assert re.search(r"a person and a model \(Ana.– gpt-4o, [^)]+\) lies above the people's range", text)
    assert "rows main items by people · pairs complete" in text


def test_metrics_alone_have_no_mean(tmp_path: Path) -> None:
    text = _rated_by(tmp_path, {"BLEU": 1, "COMET": 0.01})
    assert "BLEU and COMET have scales of their own, which have no mean" in text
    assert "was judged by 2 metrics" in text
    assert "beats" not in text
    assert "α" not in text


def _ends(report: Report) -> list[tuple[float, float]]:
    """Both ends of every interval in the tables and figures, but for ranges of ranks and of judges' controls."""
    return [
        (row[name], row[name.replace("low", "high")])
        for part in (*report.tables, *report.figures)
        for row in part.data
        for name in row
        if name.endswith("low") and not name.startswith("rank") and isinstance(row[name], float)
    ]


def test_intervals_of_another_level_say_which() -> None:
    usual, narrow = (build(material("falcon"), resampling=Resampling(n=200, level=level)) for level in (0.95, 0.9))
    text = re.sub(r"<style>.*?</style>|data:[^\"]*", "", render(narrow), flags=re.S)
    assert "95 %" not in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "90 %" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "95\\%" not in "".join(latex_table(table).replace(" ", "") for table in narrow.tables)
    pairs = list(zip(_ends(usual), _ends(narrow), strict=True))
    assert len(pairs) > 50
    assert all(high - low > there - here for (low, high), (here, there) in pairs if high > low)


def _of_scores(folder: Path, rows: Iterable[tuple[str, int, int, str, int]]) -> Report:
    """A report on scores: judge, document, segment, system, score."""
    lines = ["judge,document,segment,system,score", *(",".join(map(str, row)) for row in rows)]
    (folder / "scores.csv").write_text("\n".join(lines), encoding="utf-8")
    [made] = from_file(folder / "scores.csv")
    return build(made)


def _captions(report: Report) -> str:
    return " ".join(part.caption for part in (*report.tables, *report.figures))


def test_systems_that_are_level_are_both_named_and_equal_answers_are_shared(tmp_path: Path) -> None:
    places = [(d, 4 * d + s) for d in range(6) for s in range(4)]
    report = _of_scores(tmp_path, [(j, d, s, y, 50) for d, s in places for y in ("oak", "elm") for j in ("ana", "ben")])
    assert "elm and oak have the best mean (50.00)" in " ".join(report.findings)
    assert "share items" not in _captions(report)
    assert "undefined for any two people: every answer is '50'" in _captions(report)
    [agreement] = [section for section in report.sections if section.id == "agreement"]
    assert any(isinstance(block, Paragraph) and "is undefined" in block.text for block in agreement.blocks)


def test_one_document_has_no_intervals_and_none_are_spoken_of(tmp_path: Path) -> None:
    rows = [
        (judge, 0, s, system, 50 + (s * 7 + at * s * s + 5 * (system == "elm")) % 40)
        for s in range(12)
        for system in ("oak", "elm")
        for at, judge in enumerate(("ana", "ben", "cem"))
    ]
    captions = _captions(_of_scores(tmp_path, rows))
    assert "agree most" in captions and "without intervals" in captions
    for words in ("intervals that overlap", "95 % interval"):
        assert words not in captions


def test_pairs_that_share_few_items_are_not_named(tmp_path: Path) -> None:
    """Twenty items of ana and ben, the last nine also of cem."""
    rows = [
        (judge, s // 4, s, "oak", 40 + (s * 7 + 13 * at * (s % 3)) % 50)
        for s in range(20)
        for at, judge in enumerate(("ana", "ben", "cem"))
        if judge != "cem" or s > 10
    ]
    report = _of_scores(tmp_path, rows)
    captions = _captions(report)
    assert "cem agree" not in captions and "– cem" not in captions
    assert "Two people who share 10 items or more agree with" in captions


def test_one_system_is_compared_with_none() -> None:
    whole = material("esa")
    alone = replace(whole, judgements=tuple(j for j in whole.judgements if j.systems == ("oak",)))
    [ranking] = [table for table in build(alone).tables if table.id.startswith("ranking")]
    assert "Lead" not in ranking.caption and "pairs" not in ranking.caption
    assert [column.key for column in ranking.columns] == ["rank", "score", "ci", "n"]
