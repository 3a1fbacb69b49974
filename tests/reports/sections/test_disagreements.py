from lanner.reports.parts import Figure
from lanner.reports.sections.disagreements import section
from reports.test_view import view


def test_matrices_of_people_and_the_merge_that_gains_most() -> None:
    made = section(view())
    assert made is not None
    ids = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert ids[0].startswith("confusion-context-")
    assert ids[-1] == "merging-context"
    assert "would raise κ" in made.findings[0]
    rows = next(block for block in made.blocks if isinstance(block, Figure)).data
    assert sum(int(count) for row in rows for label, count in row.items() if label != "label") == 24


def test_nothing_where_nobody_chooses_one_of_several() -> None:
    assert section(view("h_falcon")) is None
    assert section(view(judges=1)) is None
