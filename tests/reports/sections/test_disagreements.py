from collections import Counter
from dataclasses import replace
from itertools import combinations

from analysis.plain_oracle import raw
from lanner.model import JudgeKind
from lanner.reports.parts import Figure
from lanner.reports.sections.disagreements import most_confused, section
from lanner.stats import diagnosis
from reports.test_view import view


def test_matrices_of_people_and_the_merge_that_gains_most() -> None:
    made = section(view())
    assert made is not None
    ids = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert ids[0].startswith("confusion-context-")
    assert ids[-1] == "merging-context"
    assert "disagreement is between" in made.findings[0]
    rows = next(block for block in made.blocks if isinstance(block, Figure)).data
    assert sum(int(count) for row in rows for label, count in row.items() if label != "label") == 24


def test_the_closest_pair_of_a_person_and_a_model_has_a_matrix_too() -> None:
    seen = view()
    machine = tuple(
        replace(judge, kind=JudgeKind.MODEL) if judge.id == "j2" else judge for judge in seen.material.judges
    )
    made = section(replace(seen, material=replace(seen.material, judges=machine)))
    assert made is not None
    matrices = [block for block in made.blocks if isinstance(block, Figure) and block.id.startswith("confusion-")]
    assert matrices[0].id == "confusion-context-j0-j1"
    assert len(matrices) == 2 and matrices[1].id.endswith("-j2")


def test_nothing_where_nobody_chooses_one_of_several() -> None:
    assert section(view("h_falcon")) is None
    assert section(view(judges=1)) is None


def test_the_largest_part_is_the_pair_with_most_disagreements_not_the_one_whose_merger_gains_most() -> None:
    seen = view("falcon", documents=6)
    rows = raw(seen.material.judgements)
    wide = rows[rows["question"] == "context"].pivot(index=["document", "segment"], columns="judge", values="value")
    between = Counter(
        tuple(sorted((a, b)))
        for one, other in combinations(wide.columns, 2)
        for a, b in zip(wide[one], wide[other], strict=True)
        if a != b
    )
    labels = [option.id for option in seen.protocol.find("context")[1].options]  # type: ignore[union-attr, index]
    found = most_confused(diagnosis.confusion(seen.answers("context"), "context", labels=labels))
    assert found is not None
    assert found.total == sum(between.values())
    assert found.between == max(between.values()) == between[found.labels]
    made = section(seen)
    assert made is not None
    assert f"({100 * found.between / found.total:.0f} % of {found.total})" in made.findings[0]
