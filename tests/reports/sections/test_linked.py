from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.parts import Table
from lanner.reports.sections.linked import section
from lanner.reports.view import View
from reports.test_view import view as other

PROTOCOL = protocols.load("mqm_linked")
QUESTION = next(q for _, q in PROTOCOL.questions if q.kind == "spans")


def view(spans: dict[str, list[dict[str, object]]]) -> View:
    text = Document("d", tuple(Segment(str(n), "S", outputs={"oak": "T"}) for n in range(1, 6)), "en", "de")
    stage = PROTOCOL.stages[0].id
    answers = tuple(
        Judgement("j", stage, QUESTION.id, "d", segment, ("oak",), marks) for segment, marks in spans.items()
    )
    return View(Material("m", PROTOCOL, (text,), (Judge("j"),), answers), PROTOCOL)


def mark(category: str, link: str | None = None) -> dict[str, object]:
    span: dict[str, object] = {"side": "target", "start": 0, "end": 1, "text": "T", "category": category}
    return span | ({"link": {"segment": link}} if link else {})


def test_where_marks_lead_and_how_far() -> None:
    category = QUESTION.categories[0].id  # type: ignore[union-attr]
    made = section(view({"4": [mark(category, "1"), mark(category)], "2": [mark(category, "3")], "5": []}))
    assert made is not None
    [table] = made.blocks
    assert isinstance(table, Table)
    [row] = table.data
    assert (row["marks"], row["linked"], row["back"], row["on"], row["median_distance"]) == (3, 2, 1, 1, 2)
    assert "2 marks of 3 (67 %)" in table.caption


def test_nothing_where_nothing_can_be_linked_or_was_marked() -> None:
    assert section(other("falcon")) is None
    assert section(view({"1": []})) is None
