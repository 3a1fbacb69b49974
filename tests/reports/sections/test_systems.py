from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from lanner import protocols
from lanner.analysis.material import Material
from lanner.analysis.scores import planned_rankings, score_systems, scored_rows
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from lanner.reports.build import build
from lanner.reports.parts import Figure, Paragraph, Table
from lanner.reports.rendering import render
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


def test_judges_whose_scores_are_all_the_same_are_missed_aloud() -> None:
    """z per judge needs a spread: such a judge does not count, and where nobody has one nothing is ranked."""
    seen = view("da", judges=3, documents=3)
    for constant, words in ((1, "1 judge gave one score only"), (3, "Systems are not ranked by score: ")):
        judges = {f"j{at}" for at in range(constant)}
        alike = tuple(replace(j, value=50) if j.judge in judges else j for j in seen.material.judgements)
        made = section(replace(seen, material=replace(seen.material, judgements=alike)))
        assert made is not None
        assert any(words in block.text for block in made.blocks if isinstance(block, Paragraph))
    assert not made.findings
    usual = section(seen)
    assert usual is not None and not any(isinstance(block, Paragraph) for block in usual.blocks)


def test_scores_off_their_scale_are_said_beside_the_ranking() -> None:
    """They count as any imported answer with a flag does."""
    seen = view("da", judges=2, documents=3)
    first, *others = seen.material.judgements
    flagged = (replace(first, value=101, flags=("out_of_range",)), *others)
    made = section(replace(seen, material=replace(seen.material, judgements=flagged)))
    usual = section(seen)
    assert made is not None and usual is not None
    assert [block.text for block in made.blocks if isinstance(block, Paragraph) and "out_of_range" in block.text]
    assert not any(isinstance(block, Paragraph) for block in usual.blocks)


def test_systems_that_share_no_document_are_ranked_without_a_lead() -> None:
    seen = compared({"oak": 80.0, "elm": 70.0}, documents=24)
    apart = tuple(j for j in seen.material.judgements if (int(j.document[1:]) < 12) is (j.systems == ("oak",)))
    made = section(replace(seen, material=replace(seen.material, judgements=apart)))
    assert made is not None
    table = made.blocks[0]
    assert isinstance(table, Table)
    assert [row["gap"] for row in table.rows if "rank" in row] == ["", ""]


def compared(systems: dict[str, float], documents: int = 12, **settings: object) -> View:
    """Systems of known quality in documents of one sentence, each judged once by two judges."""
    dice = Random(2)
    texts = tuple(
        Document(f"d{at}", (Segment("0", f"Text {at}.", dict.fromkeys(systems, "Satz.")),), "en", "de")
        for at in range(documents)
    )
    answers = tuple(
        Judgement(judge, "rating", "score", f"d{at}", "0", (system,), round(quality + dice.gauss(0, 2)))
        for at in range(documents)
        for system, quality in systems.items()
        for judge in ("ana", "ben")
        if not (system == "fir" and at >= 10)
    )
    people = (Judge("ana"), Judge("ben"))
    return View(
        Material("m", protocols.load("esa"), texts, people, answers, settings=dict(settings)), protocols.load("esa")
    )


def test_a_file_of_settled_scores_alone_is_ranked_as_the_command_ranks_it() -> None:
    """Where models judged too, the command asks which are meant; the report is about the models and says so."""
    people = view("esa", documents=10)
    settled = [Judge(judge.id, JudgeKind.ADJUDICATED) for judge in people.material.judges]
    gold = View(replace(people.material, judges=tuple(settled[:1])).only([settled[0].id]), people.protocol)
    made = section(gold)
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table))
    [entry] = planned_rankings(gold.protocol, (rows := scored_rows(gold.material)).table)
    expected = score_systems(rows, entry.of, gold.protocol, resampling=gold.resampling, **entry.options)
    assert [(row["system"], row["score"]) for row in table.data] == [
        (row["system"], row["score"]) for row in expected.rows
    ]
    model, other = settled[0], replace(settled[1], kind=JudgeKind.MODEL)
    both = View(replace(people.material, judges=(model, other)).only([model.id, other.id]), people.protocol)
    assert set(both.scored.table["judge"]) == {other.id}
    assert "by models" in str(both.scored.selection)


def test_pairs_are_decided_within_the_margin_or_open_as_an_independent_test_has_it() -> None:
    shown = compared({"oak": 80, "elm": 80, "fir": 70, "yew": 69}, margin=2.5)
    made = section(shown)
    assert made is not None
    figure = next(block for block in made.blocks if block.id == "differences-score")  # type: ignore[union-attr]
    assert isinstance(figure, Figure)
    scores = pd.DataFrame(
        [(j.document, j.systems[0], j.value) for j in shown.material.judgements],
        columns=["document", "system", "score"],
    ).pivot_table(index="document", columns="system", values="score")
    ps, tost = {}, {}
    for row in figure.data:
        pair = (row["system"], row["other"])
        gaps = (scores[pair[0]] - scores[pair[1]]).dropna().to_numpy()
        assert row["difference"] == pytest.approx(gaps.mean())
        signs = np.array(list(product([1, -1], repeat=len(gaps))))
        ps[pair] = (np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9).mean()  # every swap of documents
        tost[pair] = max(
            ttest_1samp(gaps, -2.5, alternative="greater").pvalue, ttest_1samp(gaps, 2.5, alternative="less").pvalue
        )
    states = {}
    holm, holm_tost = (dict(zip(p, multipletests(list(p.values()), method="holm")[1], strict=True)) for p in (ps, tost))
    for pair in ps:
        states[pair] = "decided" if holm[pair] < 0.05 else "within" if holm_tost[pair] < 0.05 else "open"
    assert {(row["system"], row["other"]): row["state"] for row in figure.data} == states
    assert set(states.values()) == {"decided", "within", "open"}
    for row in figure.data:
        assert row["p_holm"] == pytest.approx(holm[row["system"], row["other"]], abs=1e-9)
    table = made.blocks[0]
    assert isinstance(table, Table)
    assert {row["state"] for row in table.data if "state" in row} <= set(states.values())
    counts = {state: list(states.values()).count(state) for state in ("decided", "within", "open")}
    told = f"{counts['decided']} of 6 pairs are decided, {counts['within']} within ±2.5, {counts['open']} open."
    assert told in made.findings[0] and told in figure.caption
    halves = [(row["high"] - row["low"]) / 2 for row in figure.data]
    caveats = " ".join(made.caveats)
    assert f"**12 documents.** The interval of a difference in score reaches about {np.median(halves):.2f}" in caveats
    assert (
        "fir was judged in 10 of 12 documents" in caveats and "2 judges" in caveats and "One language pair" in caveats
    )
    assert "adaptive" not in caveats
    page = render(build(shown.material, resampling=shown.resampling))
    assert page.index("Read this first") < page.index('id="findings"') and "fir was judged in 10 of 12" in page
    assert "two one-sided tests, corrected likewise, show a difference smaller than 2.5" in page
    assert "schuirmann1987" in page and 'data-copy="#method p"' in page and 'data-copy="#references .bib"' in page


def test_too_few_documents_and_answers_that_leave_no_score_are_said_first() -> None:
    made = section(view("falcon", documents=4))
    assert made is not None
    assert made.caveats[0].startswith("**4 documents.**")
    assert made.caveats[1].startswith("**Skill mean counts ")
    whole = section(view("h_falcon", documents=4))
    assert whole is not None and not any(" counts " in caveat for caveat in whole.caveats)


def test_without_a_margin_nothing_is_within_it() -> None:
    made = section(compared({"oak": 80, "elm": 80, "fir": 70}, design="adaptive"))
    assert made is not None
    figure = next(block for block in made.blocks if block.id == "differences-score")  # type: ignore[union-attr]
    assert isinstance(figure, Figure)
    assert {row["state"] for row in figure.data} == {"decided", "open"} and "margin" not in figure.caption
    assert "do not count how often it was looked at" in " ".join(made.caveats)


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
    made = section(View(seen.material, plain))
    assert made is not None and not made.findings
    [why] = made.blocks
    assert isinstance(why, Paragraph)
    assert why.text.startswith("Systems are not ranked here: esa plans no ranking")
    assert why.text.endswith("`lanner scores --question score` ranks them.")
    of_one_system = replace(
        seen.material, judgements=tuple(j for j in seen.material.judgements if j.systems == ("oak",))
    )
    assert section(View(of_one_system, plain)) is None
    assert section(view("dela")) is None, "labels alone rank nothing"


def test_standard_scores_are_not_called_points_of_the_scale() -> None:
    """On direct assessment "elm leads (0.49)" stood for a scale from 0 to 100."""
    made = section(view("da", documents=8))
    assert made is not None
    assert all("score (z per judge)" in text for text in (*made.findings, made.caveats[0], made.blocks[0].caption))
    assert "z per judge" not in str(section(view("esa", documents=8)))


def test_the_profile_as_panels_agrees_with_its_table() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    panels = next(block for block in made.blocks if isinstance(block, Figure) and block.id == "profiles-skills")
    table = next(block for block in made.blocks if isinstance(block, Table) and block.id == "profile-skills")
    assert sorted(panels.data, key=str) == sorted(table.data, key=str)
    known = [row for row in panels.data if row["mean_low"] is not None]
    assert known and all(row["mean_low"] <= row["mean_where_it_matters"] <= row["mean_high"] for row in known)
    assert "Systems differ most in" in panels.caption


@pytest.mark.parametrize(
    ("lowest", "sentence"),
    [
        ((), "all are handled alike: 3.00."),
        (
            ("idea_development", "style_register"),
            "handled worst are idea development by oak and style and register by oak: 2.00.",
        ),
        (("idea_development",), "handled worst is idea development by oak: 2.00"),
    ],
)
def test_rows_that_are_handled_alike_are_not_told_apart(lowest: tuple[str, ...], sentence: str) -> None:
    """Of many equal rows the first was "handled worst", and systems "differ most" by nothing."""
    seen = view("h_falcon")
    rows = [
        replace(j, value={row: "medium" if row in lowest and j.systems == ("oak",) else "high" for row in j.value})
        if j.question == "skills"
        else j
        for j in seen.material.judgements
    ]
    made = section(replace(seen, material=replace(seen.material, judgements=tuple(rows))))
    assert made is not None
    captions = {block.id: block.caption for block in made.blocks if isinstance(block, Figure | Table)}
    assert sentence in captions["profile-skills"]
    assert ("Systems differ most" in captions["profiles-skills"]) is bool(lowest)


PARITY = protocols.load("parity")


def ranked_view(ranks: list[list[int]]) -> View:
    documents = tuple(Document(f"d{n}", (Segment("1", "S"),)) for n in range(len(ranks)))
    answers = tuple(
        Judgement("j", "adequacy_document", "adequacy_of_document", f"d{n}", "", ("human", "mt"), rank)
        for n, rank in enumerate(ranks)
    )
    return View(Material("p", PARITY, documents, (Judge("j"),), answers), PARITY)


def test_counts_ties_and_who_is_preferred() -> None:
    made = preferences(ranked_view([[1, 2]] * 9 + [[2, 1]] + [[1, 1]] * 3))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    [row] = figure.data
    assert sorted((row["wins"], row["losses"])) == [1, 9]
    assert row["ties"] == 3
    assert made.findings == ["**human is preferred to mt** (9 of 10 decided answers, p = .040)."]
    assert f"{row['p_holm']:.3f}" == "0.040" and f"{row['p_drop']:.3f}" == "0.021", "not that of the sign test"
    assert "p over documents" in figure.svg and "sign test" not in figure.svg
    few = preferences(ranked_view([[1, 2]] * 5))
    assert few is not None and few.findings[0].startswith("No preference")
    assert "Even if all 5 documents said the same, p would not be below 0.0625." in few.blocks[0].caption  # type: ignore[union-attr]


def test_who_is_preferred_may_differ_between_questions() -> None:
    one = ranked_view([[1, 2]] * 9)
    turned = [
        replace(j, stage="fluency_document", question="fluency_of_document", value=[2, 1])
        for j in one.material.judgements
    ]
    open_question = replace(turned[0], question="adequacy_of_sentence", stage="adequacy_sentence", segment="1")
    both = replace(one.material, judgements=(*one.material.judgements, *turned, open_question))
    made = preferences(View(both, PARITY))
    assert made is not None
    [finding] = made.findings
    assert isinstance(made.blocks[0], Figure) and " · judges 1 · rows " in made.blocks[0].signature
    assert " · items 1–9 · " in made.blocks[0].signature, "9 of two questions, 1 of another"
    assert "**human is preferred to mt** on adequacy of document (9 of 9 decided answers, p" in finding
    assert "**mt is preferred to human** on fluency of document (9 of 9 decided answers, p" in finding
    assert (
        "no preference between mt and human is shown on adequacy of sentence (1 of 1 decided answer for mt)" in finding
    )


def test_no_difference_is_not_called_equal() -> None:
    made = preferences(ranked_view([[1, 2], [2, 1]]))
    assert made is not None
    assert made.findings[0].startswith("No preference between")
