"""Documents chosen for difficulty: the probabilities are true, and dividing by them undoes the choice."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lanner.corpus import recipe
from lanner.corpus.difficulty import (
    CRITERIA,
    META,
    choose_difficult,
    inclusion,
    metric_disagreement,
    metric_variance,
    normal_scores,
    output_diversity,
    overlap,
    source_difficulty,
    systematic,
)
from lanner.corpus.prepare import prepare
from lanner.errors import InputError, LannerError
from lanner.model import Document, Segment


def hard_document(number: int, sentences: int = 2, hard: bool = False, domain: str = "news") -> Document:
    def segment(at: int) -> Segment:
        words = "Zyx Quorvel Brandt met Ulrike Vonn in Kassel 1987 while" if hard else "the cat sat on"
        outputs = {
            "one": f"Satz {at} von {number}",
            "two": f"ganz anders {number}" if hard else f"Satz {at} von {number}.",
        }
        scores = {
            "comet": {"one": 0.9, "two": 0.1 if hard else 0.8},
            "gemba": {"one": 0.8, "two": 0.9 if hard else 0.8},
        }
        return Segment(str(at), f"{words} mat {number}.", outputs, {"ref": f"Satz {at} von {number}"}, meta=scores)

    return Document(f"d{number}", tuple(segment(at) for at in range(sentences)), "en", "de", domain)


POOL = [hard_document(n, 1 + n % 3, hard=n % 4 == 0, domain="news" if n % 2 else "social") for n in range(40)]


@pytest.mark.parametrize("by", list(CRITERIA))
def test_every_criterion_gives_each_document_a_number(by: str) -> None:
    values = CRITERIA[by](POOL, ("comet", "gemba"))
    assert len(values) == 40 and np.isfinite(values).all()


def test_criteria_find_what_is_hard() -> None:
    hard = np.array([n % 4 == 0 for n in range(40)])
    for values in (
        source_difficulty(POOL),
        output_diversity(POOL),
        metric_variance(POOL, ("comet",)),
        metric_variance(POOL),
        metric_disagreement(POOL, ("comet", "gemba")),
    ):
        assert np.array(values)[hard].min() > np.array(values)[~hard].max()


def test_probabilities_add_up_to_what_is_asked_and_keep_the_floor() -> None:
    rng = np.random.default_rng(5)
    scores, sizes = rng.normal(size=50).tolist(), rng.integers(1, 9, 50).tolist()
    chances = inclusion(scores, sizes, 100, floor=0.3)
    assert sum(chance * size for chance, size in zip(chances, sizes, strict=True)) == pytest.approx(100)
    assert min(chances) > 0 and max(chances) <= 1
    assert np.corrcoef(scores, chances)[0, 1] > 0.8
    even = inclusion(scores, sizes, 100, floor=1.0)
    assert max(even) == pytest.approx(min(even))
    assert inclusion(scores, sizes, sum(sizes), floor=0.3) == pytest.approx([1.0] * 50)


def test_documents_are_drawn_with_exactly_their_probabilities() -> None:
    chances = [0.1, 0.9, 0.5, 0.25, 1.0, 0.25]
    counts = np.zeros(6)
    for seed in range(6000):
        drawn = systematic(chances, random.Random(seed))
        assert len(drawn) == 3, "a fixed number where probabilities add up to one"
        counts[drawn] += 1
    assert counts / 6000 == pytest.approx(chances, abs=0.02)


def test_dividing_by_the_probabilities_undoes_the_choice() -> None:
    truth = np.mean([len(one.segments) * (n % 4 == 0) for n, one in enumerate(POOL)])
    plain, corrected = [], []
    for seed in range(300):
        choice = choose_difficult(POOL, 25, ["source", "diversity"], seed=seed)
        hard = [len(one.segments) * (int(one.id[1:]) % 4 == 0) for one in choice.documents]
        chances = [one.meta[META]["probability"] for one in choice.documents]
        plain.append(np.mean(hard))
        corrected.append(sum(h / p for h, p in zip(hard, chances, strict=True)) / len(POOL))
    assert np.mean(plain) > 1.5 * truth, "hard documents are preferred"
    assert np.mean(corrected) == pytest.approx(truth, rel=0.06)


def test_domains_keep_their_shares_and_the_rows_say_how_much_harder() -> None:
    choice = choose_difficult(POOL, 30, ["source"], seed=3)
    rows = {row["domain"]: row for row in choice.rows}
    assert rows["All"]["asked"] == 30 == rows["news"]["asked"] + rows["social"]["asked"]
    assert rows["All"]["documents"] == len(choice.documents)
    assert [one.id for one in choice.documents] == [
        one.id for one in POOL if one.id in {d.id for d in choice.documents}
    ]
    assert choose_difficult(POOL, 30, ["source"], seed=3) == choice
    assert abs(rows["All"]["got"] - 30) <= 6


def test_a_recipe_chooses_and_keeps_the_probabilities(tmp_path) -> None:
    path = tmp_path / "hard.toml"
    path.write_text(
        'name = "hard"\n[[step]]\ndo = "difficult"\nsentences = 20\nby = ["variance", "context"]\ncolumns = ["comet"]\n'
    )
    prepared = prepare(POOL, recipe.load(path), seed=4)
    assert prepared.documents
    for one in prepared.documents:
        assert 0 < one.meta[META]["probability"] <= 1
        assert set(one.meta[META]["criteria"]) == {"variance", "context"}
    assert prepared.manifest.sample[-1]["asked"] == 20
    path.write_text('name = "hard"\n[[step]]\ndo = "difficult"\nsentences = 20\nby = ["hardness"]\n')
    with pytest.raises(InputError, match="no criterion 'hardness'"):
        recipe.load(path)


def test_what_a_criterion_lacks_is_said() -> None:
    bare = [Document(f"d{n}", (Segment("1", "A cat.", {"one": "Katze."}),), "en", "de") for n in range(3)]
    with pytest.raises(LannerError, match="two systems"):
        choose_difficult(bare, 2, ["diversity"], seed=1)
    with pytest.raises(LannerError, match="compares two metrics"):
        choose_difficult(POOL, 20, ["disagreement"], seed=1, columns=["comet"])
    with pytest.raises(LannerError, match="no scores under 'bleurt'"):
        choose_difficult(POOL, 20, ["variance"], seed=1, columns=["bleurt"])
    with pytest.raises(LannerError, match="can be had"):
        choose_difficult(POOL, 2000, ["source"], seed=1)


def test_ranks_become_normal_scores_and_ties_share_one() -> None:
    scores = normal_scores([5.0, 1.0, 5.0, 9.0])
    assert scores[0] == scores[2] == pytest.approx(0.0, abs=1e-9)
    assert scores[1] == pytest.approx(-scores[3])
    assert normal_scores([2.0, 2.0]) == pytest.approx([0.0, 0.0])
    assert overlap("abcd", "abcd") == 1 and overlap("abcd", "wxyz") == 0
