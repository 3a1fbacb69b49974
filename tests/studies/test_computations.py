import pytest

from lanner.errors import InputError
from lanner.studies import computations as compute
from lanner.studies.data import Data
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
