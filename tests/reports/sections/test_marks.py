from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.parts import Figure, Table
from lanner.reports.sections.marks import section
from lanner.reports.view import View
from reports.test_view import view as other

PROTOCOL = protocols.load("esa")
QUESTION = next(q for _, q in PROTOCOL.questions if q.kind == "spans")


def view(*marks: tuple[str, str, list[str]]) -> View:
    """Marks as (judge, segment, severities)."""
    text = Document("d", tuple(Segment(str(n), "Source", outputs={"oak": "Target"}) for n in range(1, 5)), "en", "de")
    answers = tuple(
        Judgement(
            judge, PROTOCOL.stages[0].id, QUESTION.id, "d", segment, ("oak",),
            [{"side": "target", "start": 0, "end": 3, "text": "Tar", "severity": one} for one in severities],
        )
        for judge, segment, severities in marks
    )  # fmt: skip
    return View(Material("m", PROTOCOL, (text,), (Judge("j"), Judge("k")), answers), PROTOCOL)


def test_how_often_and_how_severe() -> None:
    made = section(view(("j", "1", ["major", "minor"]), ("j", "2", []), ("k", "1", ["minor"])))
    assert made is not None
    table, figure = made.blocks
    assert isinstance(table, Table) and isinstance(figure, Figure)
    assert {row["judge"]: (row["items"], row["marked"], row["marks"]) for row in table.data} == {
        "j": (2, 1, 2), "k": (1, 1, 1),
    }  # fmt: skip
    assert "50 to 100 % of their items" in table.caption
    assert {row["severity"]: row["marks"] for row in figure.data} == {"major": 1, "minor": 2}


def test_a_single_kind_needs_no_bar() -> None:
    made = section(view(("j", "1", ["major"]), ("k", "1", ["major"]), ("k", "2", [])))
    assert made is not None and len(made.blocks) == 1
    assert made.findings == ["Something was marked on **67 % of 3 answers** (errors)."]


def test_nothing_marked_and_nothing_to_mark() -> None:
    made = section(view(("j", "1", [])))
    assert made is not None and len(made.blocks) == 1
    assert section(other("h_falcon")) is None
