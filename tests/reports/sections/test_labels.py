import pytest

from lanner.reports.parts import Figure
from lanner.reports.sections.labels import section
from reports.test_view import view


def test_shares_of_a_fixed_number_of_labels_add_up_to_it() -> None:
    made = section(view())
    assert made is not None
    figures = {block.id: block for block in made.blocks if isinstance(block, Figure)}
    assert set(figures) == {"labels-context", "labels-skills"}
    news = [row["share"] for row in figures["labels-skills"].data if (row["domain"], row["judge"]) == ("news", "j0")]
    assert sum(news) == pytest.approx(3)
    drawn = figures["labels-skills"].svg
    assert "Judge 0, " in drawn and drawn.count("<circle") > 20, "judges are drawn under their names"
    assert "On context level, people chose **" in made.findings[0]


def test_a_grid_is_read_by_what_was_not_left_at_not_relevant() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    ids = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert ids == ["labels-skills_chosen", "how-many-skills_chosen"]
