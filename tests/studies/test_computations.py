import numpy as np
import pytest

from lanner.errors import InputError
from lanner.stats.metaeval import Scorer
from lanner.studies import computations
from lanner.studies import computations as compute
from lanner.studies.computations import rates
from lanner.studies.study import AlignedScores, Data
from reports.world import material

PARTS = Data({"h": material("h_falcon"), "f": material("falcon")})


def test_shares_of_labels_add_up() -> None:
    labels = [option.id for option in PARTS.parts["f"].protocol.find("context")[1].options]  # type: ignore[index, union-attr]
    shares = [compute.label_share(PARTS, part="f", question="context", judge="j0", label=label) for label in labels]
    assert sum(share or 0 for share in shares) == pytest.approx(100)
    skills = [option.id for option in PARTS.parts["f"].protocol.find("skills")[1].options]  # type: ignore[index, union-attr]
    among = [
        compute.label_share(PARTS, part="f", question="skills", judge="j0", label=skill, among="labels")
        for skill in skills
    ]
    assert sum(share or 0 for share in among) == pytest.approx(100)


def test_merging_two_labels_of_a_pair() -> None:
    before = compute.agreement(PARTS, part="f", statistic="kappa", question="context", judges=["j0", "j1"])
    after = compute.merged(PARTS, part="f", question="context", judges=["j0", "j1"], labels=["local", "extended"])
    assert before is not None
    assert after is not None
    assert after != before


def test_how_many_were_chosen() -> None:
    shares = [
        compute.chosen_number(PARTS, part="h", question="skills_chosen", judge="j0", number=number)
        for number in range(10)
    ]
    assert sum(share or 0 for share in shares) == pytest.approx(100)


def test_an_unknown_part() -> None:
    with pytest.raises(InputError, match="no part 'x'"):
        compute.agreement(PARTS, part="x", statistic="kappa", question="context")


def test_a_confusion_is_the_same_from_both_sides() -> None:
    options = {"part": "f", "question": "context"}
    one = compute.confusion_count(PARTS, judges=["j0", "j1"], one="local", other="extended", **options)
    other = compute.confusion_count(PARTS, judges=["j1", "j0"], one="extended", other="local", **options)
    assert one == other


def test_the_mean_of_what_was_printed() -> None:
    assert compute.of_printed(PARTS, numbers=[1, 2, 6]) == 3


# Metrics against gold scores


SYSTEMS = ("a", "b", "c", "ref")


def data() -> Data:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=(4, 30)) + np.arange(4)[:, None]
    twin = Scorer("twin", SYSTEMS, gold.copy())
    noise = Scorer("noise", SYSTEMS, rng.normal(size=(4, 30)))
    documents = tuple(f"d{k // 5}" for k in range(30))
    return Data(scores=AlignedScores(Scorer("gold", SYSTEMS, gold), (twin, noise), ("ref",), documents))


def test_a_metric_that_is_gold_agrees_with_it() -> None:
    found = data()
    assert computations.metric(found, name="twin", give="acc_eq").value == pytest.approx(1.0)
    assert computations.metric(found, name="twin", give="segment_pearson").value == pytest.approx(1.0)
    noise = computations.metric(found, name="noise", give="acc_eq").value
    assert isinstance(noise, float)
    assert noise < 0.8
    assert computations.scored(found, give="systems") == 3
    assert computations.scored(found, give="segments") == 30


def test_unknown_metrics_and_data_without_any() -> None:
    with pytest.raises(InputError, match="no metric 'twim'"):
        computations.metric(data(), name="twim", give="acc_eq")
    with pytest.raises(InputError, match="no metric scores"):
        computations.metric(Data(), name="twin", give="acc_eq")


# Claims made in words, held against the data


DATA = Data({"h": material("h_falcon"), "f": material("falcon")})


def test_slowest_and_fastest_domain() -> None:
    found = {name: rate for name, rate in rates(DATA, "h", "j0", "holistic").items() if name != "all"}
    slow = computations.extreme_domain(DATA, part="h", judge="j0", of="holistic", which="slowest")
    fast = computations.extreme_domain(DATA, part="h", judge="j0", of="holistic", which="fastest")
    assert slow.value == min(found, key=lambda name: found[name])
    assert fast.value == max(found, key=lambda name: found[name])
    assert f"{found[str(slow.value)]:.2f}" in slow.detail


def test_speed_against_another_protocol() -> None:
    how = {"part": "h", "of": "holistic"}
    assert computations.slowdown(DATA, judge="j0", before=how, after=how).value == pytest.approx(1.0)


def test_interval_and_zero_says_which_side() -> None:
    options = {"part": "h", "judge": "j0", "outcome": "holistic", "predictors": ["sentence"]}
    found = computations.interval_and_zero(DATA, term="sentence", **options)  # type: ignore[arg-type]
    assert found.low is not None
    assert found.high is not None
    side = "above 0" if found.low > 0 else "below 0" if found.high < 0 else "includes 0"
    assert found.value == side
    assert computations.interval_and_zero(DATA, term="none such", **options).value is None  # type: ignore[arg-type]


def test_commonest_labels_come_with_their_shares() -> None:
    most = computations.commonest_number(DATA, part="h", question="skills_chosen", judge="j0")
    assert isinstance(most.value, float)
    assert most.detail.endswith("% of sentences")
    agreed = computations.commonest_agreed(DATA, part="f", question="skills", judges=["j0", "j1"])
    assert str(agreed.value).count(",") == 2
    top = computations.commonest_in_domain(DATA, part="f", question="skills", judges=["j0", "j1"], domain="news")
    assert " and " in str(top.value)


def test_none_of_equals_is_the_commonest() -> None:
    assert computations.commonest({"b": 2, "a": 2, "c": 1}, 1) == ["a", "b"]
    assert computations.commonest({"b": 0.1 + 0.2, "a": 0.3, "c": 0.2}, 2) == ["a", "b"]
    assert computations.commonest({}, 1) == []


def test_closest_pair_is_one_of_those_asked() -> None:
    found = computations.closest_pair(
        DATA, part="f", question="context", statistic="kappa", ones=["j0"], others=["j1", "j2"]
    )
    assert found.value in ("j0–j1", "j0–j2")


PUNKT = {"abbreviations": ["dr"], "written": {}, "texts": computations.digest(DATA, "h")}


def test_sentences_are_counted_only_in_texts_that_were_looked_up() -> None:
    for stated in (None, {**PUNKT, "texts": "others"}):
        with pytest.raises(InputError, match="these texts are others"):
            computations.texts(DATA, part="h", count="sentences per segment", punkt=stated)


def test_counts_of_texts() -> None:
    assert computations.texts(DATA, part="h", count="documents") == 4
    assert computations.texts(DATA, part="h", count="segments", domain="news") == 12
    per_document = computations.texts(DATA, part="h", count="sentences per document", punkt=PUNKT)
    per_segment = computations.texts(DATA, part="h", count="sentences per segment", punkt=PUNKT)
    assert per_document is not None
    assert per_segment is not None
    assert per_document == pytest.approx(per_segment * 6)
    assert computations.texts(DATA, part="h", count="sentences per segment", domain="none such", punkt=PUNKT) is None


def test_labels_as_they_were_given() -> None:
    given = computations.given(DATA, "f", "skills", "j0")
    assert {len(labels) for labels in given} == {3}
    assert all(len(labels) == 1 for labels in computations.given(DATA, "f", "context", "j0", "news"))


def test_rates_of_all_domains_and_of_the_judge() -> None:
    found = computations.rates(DATA, "h", "j0", "holistic")
    domains = [rate for name, rate in found.items() if name != "all"]
    assert found["all"] == pytest.approx(sum(domains) / len(domains))


def test_shares_of_agreed_labels_add_up() -> None:
    labels = set(computations.agreed_labels(DATA, "f", "skills", ["j0", "j1"]))
    shares = [
        computations.agreed_share(DATA, part="f", question="skills", judges=["j0", "j1"], label=label)
        for label in labels
    ]
    assert sum(shares) == pytest.approx(100)
    assert computations.agreed_share(DATA, part="f", question="skills", judges=["j0", "j1"], label="none such") == 0


def test_where_two_judges_differ() -> None:
    shares = [
        computations.differing_domain(DATA, part="f", question="context", judges=["j0", "j1"], domain=domain).value
        for domain in {document.domain for document in DATA.documents("f")}
    ]
    assert sum(share for share in shares if isinstance(share, float)) == pytest.approx(100)


def test_numbers_chosen() -> None:
    assert len(computations.numbers_chosen(DATA, "h", "skills_chosen", "j0")) == 48
