import html
import re
from dataclasses import replace
from pathlib import Path

import pytest

from lanner.analysis.material import Material, from_file
from lanner.errors import LannerError
from lanner.model import JudgeKind
from lanner.reports.build import build
from lanner.reports.parts import Report
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
    for part in (*report.tables, *report.figures):
        assert f'id="{part.id}"' in text


def test_one_judge_is_said_not_hidden() -> None:
    report = build(material("falcon", judges=1))
    assert any("cannot be computed yet" in sentence for sentence in report.findings)


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
        "go together best",
        "Most used by people",
        "finds most",
        "of their items",
        "The largest coefficient",
    ):
        assert phrase not in captions


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
