from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.parts import Figure
from lanner.reports.sections.preferences import section
from lanner.reports.view import View

PARITY = protocols.load("parity")


def view(ranks: list[list[int]]) -> View:
    documents = tuple(Document(f"d{n}", (Segment("1", "S"),)) for n in range(len(ranks)))
    answers = tuple(
        Judgement("j", "adequacy_document", "adequacy_of_document", f"d{n}", "", ("human", "mt"), rank)
        for n, rank in enumerate(ranks)
    )
    return View(Material("p", PARITY, documents, (Judge("j"),), answers), PARITY)


def test_counts_ties_and_the_sign_test() -> None:
    made = section(view([[1, 2]] * 9 + [[2, 1]] + [[1, 1]] * 3))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    [row] = figure.data
    assert sorted((row["wins"], row["losses"])) == [1, 9]
    assert row["ties"] == 3
    assert "a preference on adequacy of document" in made.findings[0]


def test_no_difference_is_not_called_equal() -> None:
    made = section(view([[1, 2], [2, 1]]))
    assert made is not None
    assert made.findings[0].startswith("No preference between")
