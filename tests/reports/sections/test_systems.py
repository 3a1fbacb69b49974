import polars as pl
import pytest

from lanner.reports.parts import Figure, Table
from lanner.reports.sections.systems import section
from lanner.reports.view import View
from reports.test_view import view


def test_scores_with_intervals_and_the_better_system_first() -> None:
    made = section(view("esa", documents=10))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert figure.id == "systems-score"
    assert [row["system"] for row in figure.data] == ["oak", "elm"]
    assert all(row["low"] < row["score"] < row["high"] for row in figure.data)
    assert "oak beats every other system" in made.findings[0]
    assert 'x1="0.0"' in figure.svg  # the line between the clusters


def test_too_few_documents_show_no_winner() -> None:
    made = section(view("esa", documents=3))
    assert made is not None
    assert made.findings[0].startswith("**No group of systems is shown to be best**")


def test_low_penalties_are_good_and_a_scorecard_counts_words() -> None:
    made = section(view("mqm_localisation"))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert figure.data[0]["score"] <= figure.data[1]["score"]
    assert {"passed"} <= set(figure.data[0])
    assert "per words 1000" in figure.signature


@pytest.mark.parametrize(("name", "question"), [("h_falcon", "skills"), ("falcon", "ratings")])
def test_the_profile_of_skills_is_the_mean_of_each(name: str, question: str) -> None:
    seen = view(name)
    made = section(seen)
    assert made is not None
    [table] = [block for block in made.blocks if isinstance(block, Table)]
    assert table.id == f"profile-{question}"
    first = table.data[0]
    answers = seen.material.table.filter(
        pl.col("question") == question, pl.col("row") == first["row"], pl.col("system") == first["system"]
    )
    assert first["mean"] == pytest.approx(answers["score"].mean())


def test_a_protocol_that_ranks_nothing() -> None:
    seen = view("esa")
    plain = seen.protocol.model_copy(update={"analyses": ()})
    assert section(View(seen.material, plain)) is None


def test_the_profile_as_panels_agrees_with_its_table() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    panels = next(block for block in made.blocks if isinstance(block, Figure) and block.id == "profiles-skills")
    table = next(block for block in made.blocks if isinstance(block, Table))
    means = {(row["row"], row["system"]): row["mean"] for row in table.data}
    assert {(row["row"], row["system"]): row["mean"] for row in panels.data} == pytest.approx(means)
    assert all(row["low"] <= row["mean"] <= row["high"] for row in panels.data)
    assert "Systems differ most in" in panels.caption
