"""Gold scores and scorers from a table of ratings, against pandas and scipy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import lanner
from lanner.analysis.scorers import MEAN_OF_PEOPLE, main_question, scored_set
from lanner.errors import InputError

KEYS = ["document", "segment", "system"]


def ratings(question: str = "score", sign: int = 1) -> pd.DataFrame:
    """Two people, a metric that follows them and an error rate that runs against them."""
    rng = np.random.default_rng(5)
    rows = []
    for document in range(5):
        for segment in range(3):
            for system, quality in (("oak", 70), ("ash", 60), ("elm", 45)):
                true = quality + rng.normal(0, 8)
                metric, errors = round(true / 100 + rng.normal(0, 0.03), 3), round(100 - true + rng.normal(0, 3), 1)
                for judge in ("ann", "ben"):
                    score = sign * round(true + rng.normal(0, 4))
                    rows.append((judge, f"d{document}", segment, system, score, metric, errors))
    return pd.DataFrame(rows, columns=["judge", *KEYS, question, "comet", "ter"])


def test_gold_is_the_mean_of_people_and_columns_of_metrics_are_scorers() -> None:
    frame = ratings()
    result = lanner.metaeval(frame, metrics=["comet", "ter"])
    rows = {row["metric"]: row for row in result.table.to_dicts()}
    assert set(rows) == {"comet", "ter"}
    item = frame.groupby(KEYS).mean(numeric_only=True)
    assert rows["comet"]["segment_pearson"] == pytest.approx(scipy.stats.pearsonr(item["score"], item["comet"])[0])
    assert rows["ter"]["segment_pearson"] == pytest.approx(-scipy.stats.pearsonr(item["score"], item["ter"])[0])
    assert rows["ter"]["sys_pairwise_accuracy"] == 1.0, "less of it is better"
    assert any("Less ter is better" in note for note in result.notes)
    assert any("mean of 2 people" in note for note in result.notes)


def test_points_of_error_as_gold_are_turned_round() -> None:
    frame = ratings("penalty", -1).assign(penalty=lambda table: table["penalty"] + 100)
    rows = {
        row["metric"]: row
        for row in lanner.metaeval(frame, question="penalty", metrics=["comet", "ter"]).table.to_dicts()
    }
    assert rows["comet"]["segment_pearson"] > 0.8 and rows["ter"]["segment_pearson"] > 0.8


def test_one_judge_can_be_gold_and_the_others_are_scorers() -> None:
    [part] = lanner.load(ratings(), columns="measure:ter=ter")
    scored = scored_set(part, gold="ann")
    assert (scored.gold.name, scored.scorers[0].name) == ("ann", "ben")
    assert scored.documents == tuple(f"d{n}" for n in range(5) for _ in range(3))
    chosen = scored_set(part, gold="ann", names=["ter"])
    assert [scorer.name for scorer in chosen.scorers] == ["ter"]
    assert main_question(part) == "score"


def test_a_column_that_is_no_answer_is_a_scorer_where_it_is_named() -> None:
    frame = ratings().rename(columns={"comet": "width of the page"})
    rows = lanner.metaeval(frame, metrics=["width of the page"]).table.to_dicts()
    assert [row["metric"] for row in rows] == ["width_of_the_page"]


def test_what_does_not_exist_is_named() -> None:
    [part] = lanner.load(ratings())
    with pytest.raises(InputError, match="no judge 'anne'"):
        scored_set(part, gold="anne")
    with pytest.raises(InputError, match="no scorer 'bleu'"):
        scored_set(part, gold=MEAN_OF_PEOPLE, names=["bleu"])
    with pytest.raises(InputError, match="no numbers for 'skore'"):
        scored_set(part, "skore")
    [people] = lanner.load(ratings().drop(columns=["comet", "ter"]))
    with pytest.raises(InputError, match="nothing to compare"):
        scored_set(people)


def test_settled_answers_are_no_scorer_of_the_people_they_are_made_of() -> None:
    frame = ratings().drop(columns=["comet", "ter"]).assign(judge_kind="person")
    settled = frame[frame["judge"] == "ann"].assign(judge="Agreed", judge_kind="adjudicated")
    model = frame[frame["judge"] == "ben"].assign(judge="gpt", judge_kind="model")
    [part] = lanner.load(pd.concat([frame, settled, model]))
    assert {str(judge.kind) for judge in part.judges} == {"person", "adjudicated", "model"}
    assert [scorer.name for scorer in scored_set(part).scorers] == ["gpt"]
    assert "Agreed" in [scorer.name for scorer in scored_set(part, gold="gpt").scorers]
