from __future__ import annotations

import csv
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from lanner.corpus import recipe
from lanner.corpus.prepare import digest, prepare
from lanner.corpus.sample import (
    CRITERIA,
    FEATURES,
    META,
    choose_difficult,
    count,
    features,
    inclusion,
    largest_remainder,
    metric_disagreement,
    metric_variance,
    need,
    normal_scores,
    output_diversity,
    overlap,
    probability,
    sample,
    source_difficulty,
    systematic,
    window,
)
from lanner.errors import InputError, LannerError
from lanner.model import Document, Segment
from property_examples import examples


def document(name: str, domain: str, size: int, paragraph: int = 3) -> Document:
    segments = tuple(Segment(str(n), f"s{n}", paragraph=n // paragraph) for n in range(size))
    return Document(name, segments, domain=domain)


CORPORA = st.lists(
    st.tuples(st.sampled_from(["news", "social", "literary"]), st.integers(1, 30)), min_size=1, max_size=25
).map(lambda sizes: [document(f"d{n}", domain, size) for n, (domain, size) in enumerate(sizes)])


def test_quotas_by_largest_remainder():
    assert largest_remainder({"a": 5, "b": 3, "c": 2}, 7) == {"a": 4, "b": 2, "c": 1}
    assert largest_remainder({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    with pytest.raises(LannerError, match="Ask for 1 to 10"):
        largest_remainder({"a": 10}, 11)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.integers(1, 500), min_size=1), st.data())
def test_quotas_add_up_and_stay_within_one_of_the_exact_share(sizes, data):
    total = data.draw(st.integers(1, sum(sizes.values())))
    quotas = largest_remainder(sizes, total)
    assert sum(quotas.values()) == total
    for name, size in sizes.items():
        assert abs(quotas[name] - size * total / sum(sizes.values())) < 1
        assert quotas[name] <= size


@settings(max_examples=examples(80), deadline=None)
@given(CORPORA, st.data())
def test_whole_documents_come_within_one_document_of_each_quota(documents, data):
    total = data.draw(st.integers(1, sum(map(count, documents))))
    drawn = sample(documents, total, seed=data.draw(st.integers(0, 99)))
    assert all(part in documents for part in drawn.documents)
    for row in drawn.rows[:-1]:
        longest = max(count(d) for d in documents if d.domain == row["domain"])
        assert abs(row["asked"] - row["got"]) <= longest
    assert [d.id for d in drawn.documents] == [d.id for d in documents if d in drawn.documents]


@settings(max_examples=examples(80), deadline=None)
@given(CORPORA, st.integers(1, 12), st.data())
def test_clipped_documents_are_consecutive_and_never_longer(documents, clip, data):
    total = data.draw(st.integers(1, sum(map(count, documents))))
    drawn = sample(documents, total, seed=3, clip=clip)
    whole = {d.id: d for d in documents}
    for part in drawn.documents:
        ids = [int(segment.id) for segment in part.segments]
        assert ids == list(range(ids[0], ids[0] + len(ids)))
        assert len(ids) <= clip
        if len(ids) < len(whole[part.id].segments):
            assert part.meta["window"] == {
                "first": str(ids[0]),
                "last": str(ids[-1]),
                "of": len(whole[part.id].segments),
            }
    for row in drawn.rows:
        assert row["got"] <= row["asked"]


def test_same_seed_same_bytes_and_another_seed_another_sample():
    documents = [document(f"d{n}", "news", 5 + n % 7) for n in range(40)]
    one, two, other = (sample(documents, 60, seed=seed) for seed in (1, 1, 2))
    assert digest(one.documents) == digest(two.documents) != digest(other.documents)


def test_a_second_sample_can_be_disjoint():
    documents = [document(f"d{n}", "news", 6) for n in range(20)]
    first = sample(documents, 48, seed=1)
    second = sample(documents, 48, seed=1, avoid={d.id for d in first.documents})
    assert not {d.id for d in first.documents} & {d.id for d in second.documents}
    assert second.rows[-1]["available_documents"] == 12


def test_windows_keep_paragraphs_whole_where_they_can():
    long = document("d", "news", 60, paragraph=5)
    for seed in range(30):
        part = window(long, 12, random.Random(seed))
        first, last = int(part.segments[0].id), int(part.segments[-1].id)
        assert first % 5 == 0
        assert last % 5 == 4 or len(part.segments) == 12
    assert window(long, 60, random.Random(0)) is long


def test_only_judged_sentences_count():
    segments = tuple(Segment(str(n), "x", judged=n % 2 == 0, paragraph=0) for n in range(20))
    part = window(Document("d", segments), 4, random.Random(5))
    assert count(part) == 4
    assert count(Document("d", segments)) == 10


def test_asked_and_got_are_reported():
    documents = [document("n1", "news", 10), document("n2", "news", 20), document("s1", "social", 10)]
    *domains, everything = sample(documents, 20, seed=0, clip=10).rows
    assert [(row["domain"], row["asked"], row["available_sentences"]) for row in domains] == [
        ("news", 15, 30),
        ("social", 5, 10),
    ]
    assert everything["asked"] == 20
    assert everything["got"] == sum(row["got"] for row in domains)
    assert sum(row["share"] for row in domains) == pytest.approx(1)


def test_stated_shares_decide_and_a_domain_that_is_not_named_is_left_out():
    corpus = [document(f"{domain}{n}", domain, 20) for domain in ("literary", "news", "speech") for n in range(10)]
    drawn = sample(corpus, 100, seed=1, clip=10, shares={"literary": 1, "news": 3})
    sizes = {row["domain"]: row for row in drawn.rows}
    counts = {name: sum(count(d) for d in drawn.documents if d.domain == name) for name in ("literary", "news")}
    assert set(sizes) == {"literary", "news", "All"}
    assert counts["literary"] == pytest.approx(25, abs=3)
    assert counts["news"] == pytest.approx(75, abs=8)
    with pytest.raises(LannerError, match="of 'poems' are asked for and 0"):
        sample(corpus, 100, seed=1, shares={"poems": 1, "news": 1})


# Documents chosen for difficulty: the probabilities are true, and dividing by them undoes the choice.


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


# How likely an English sentence needs the text around it, from what stands in the sentence itself


def value(text: str, name: str, **more: bool) -> float:
    return features(text, **more)[list(FEATURES).index(name)]


def test_features_are_what_they_are_called() -> None:
    assert value("She told him so.", "third_person") == pytest.approx(2 / 4)
    assert value("She told him so.", "pronoun_first") == 1
    assert value("Anna said that Ben left.", "pronoun_first") == 0
    assert value("However, it rained.", "connective") == 1
    assert value("It rained, however.", "connective") == 0
    assert value("Too many of them.", "elliptic") == pytest.approx(1 / 4)
    assert value("No way!", "fragment") == 1 and value("We were late.", "fragment") == 0
    assert value("No way!", "exclamation") == 1 and value("No way!", "short") == 1
    assert value("I don’t know, gonna ask.", "informal") == pytest.approx(2 / 5)
    assert value("The EPA met Tim Whitehouse.", "acronym") == pytest.approx(1 / 5)
    assert value("The EPA met Tim Whitehouse.", "name") == pytest.approx(2 / 5)
    assert value("Great #news today", "emoji") == 1
    assert value("Hello.", "opening", opens_document=True) == 1
    assert all(np.isfinite(features("")))


def test_a_sentence_full_of_pronouns_needs_more_than_one_that_names_everything() -> None:
    vague = probability(features("They gave it to them, and so did the others."))
    named = probability(features("Tim Whitehouse praised the Biden administration for improvements on enforcement."))
    assert 0 < named < vague < 1


def test_other_languages_have_no_weights() -> None:
    german = Document("d", (Segment("1", "Sie kam.", {}), Segment("2", "Er ging.", {})), "de", "en")
    with pytest.raises(InputError, match="not for de"):
        need(german)
    english = Document("d", (Segment("1", "She came.", {}), Segment("2", "He left.", {})), "en-GB", "de")
    assert len(need(english)) == 2


def test_the_weights_tell_released_labels_apart_better_than_chance() -> None:
    folder = data_dir("h-falcon")
    with (folder / "data" / "evalset.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["source"] for row in csv.DictReader(file)]
    votes = np.zeros(len(texts))
    for judge in (1, 2, 3):
        with (folder / "human" / "evalset" / f"judge{judge}.csv").open(encoding="utf-8", newline="") as file:
            votes += [row["context"] in ("Local", "Extended", "Global") for row in csv.DictReader(file)]
    chances = np.array([probability(features(text)) for text in texts])
    needing, others = chances[votes >= 2], chances[votes < 2]
    auc = (needing[:, None] > others[None, :]).mean()
    assert auc > 0.6
    assert chances.mean() == pytest.approx((votes >= 2).mean(), abs=0.02)
