from __future__ import annotations

import polars as pl
import pytest

from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.parts import Figure, Table
from lanner.reports.sections.systems import preferences, section
from lanner.reports.view import View
from reports.test_view import view


def test_scores_with_intervals_and_the_better_system_first() -> None:
    made = section(view("esa", documents=10))
    assert made is not None
    table, figure = made.blocks
    assert isinstance(figure, Figure) and isinstance(table, Table)
    assert (table.id, figure.id) == ("ranking-score", "systems-score")
    first, last = table.data
    assert first["next"] == "elm" and first["difference"] == pytest.approx(first["score"] - last["score"])
    assert first["p"] < 0.05 and first["cluster"] < last["cluster"]
    assert 0 <= first["low"] < first["high"] <= 100
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
    _, figure = made.blocks
    assert isinstance(figure, Figure)
    assert figure.data[0]["score"] <= figure.data[1]["score"]
    assert {"passed"} <= set(figure.data[0])
    assert "per words 1000" in figure.signature


@pytest.mark.parametrize(("name", "question"), [("h_falcon", "skills"), ("falcon", "ratings")])
def test_the_profile_of_skills_is_the_mean_of_each(name: str, question: str) -> None:
    seen = view(name)
    made = section(seen)
    assert made is not None
    [table] = [block for block in made.blocks if isinstance(block, Table) and block.id == f"profile-{question}"]
    first = table.data[0]
    answers = seen.material.table.filter(
        pl.col("question") == question, pl.col("row") == first["row"], pl.col("system") == first["system"]
    )
    relevant = answers.filter(pl.col("score") > 0) if name == "h_falcon" else answers
    assert first["mean_where_it_matters"] == pytest.approx(relevant["score"].mean())
    items = seen.answers(question).filter(pl.col("system") == first["system"])
    items = items.select("judge", "document", "segment").unique()
    assert first["matters"] == pytest.approx(relevant.height / items.height)


def test_a_protocol_that_ranks_nothing() -> None:
    seen = view("esa")
    plain = seen.protocol.model_copy(update={"analyses": ()})
    assert section(View(seen.material, plain)) is None


def test_the_profile_as_panels_agrees_with_its_table() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    panels = next(block for block in made.blocks if isinstance(block, Figure) and block.id == "profiles-skills")
    table = next(block for block in made.blocks if isinstance(block, Table) and block.id == "profile-skills")
    assert sorted(panels.data, key=str) == sorted(table.data, key=str)
    known = [row for row in panels.data if row["mean_low"] is not None]
    assert known and all(row["mean_low"] <= row["mean_where_it_matters"] <= row["mean_high"] for row in known)
    assert "Systems differ most in" in panels.caption


PARITY = protocols.load("parity")


def ranked_view(ranks: list[list[int]]) -> View:
    documents = tuple(Document(f"d{n}", (Segment("1", "S"),)) for n in range(len(ranks)))
    answers = tuple(
        Judgement("j", "adequacy_document", "adequacy_of_document", f"d{n}", "", ("human", "mt"), rank)
        for n, rank in enumerate(ranks)
    )
    return View(Material("p", PARITY, documents, (Judge("j"),), answers), PARITY)


def test_counts_ties_and_the_sign_test() -> None:
    made = preferences(ranked_view([[1, 2]] * 9 + [[2, 1]] + [[1, 1]] * 3))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    [row] = figure.data
    assert sorted((row["wins"], row["losses"])) == [1, 9]
    assert row["ties"] == 3
    assert "a preference on adequacy of document" in made.findings[0]


def test_no_difference_is_not_called_equal() -> None:
    made = preferences(ranked_view([[1, 2], [2, 1]]))
    assert made is not None
    assert made.findings[0].startswith("No preference between")
