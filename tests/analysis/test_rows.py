from __future__ import annotations

import polars as pl
import pytest

from lanner.analysis.rows import Purpose, Reason, Selection, counted, group_of, groups_in, signed
from lanner.errors import InputError
from lanner.model import Judge, JudgeKind, Role, Signature
from lanner.stats.agreement import alpha
from lanner.stats.frame import tidy

KINDS = {"ann": "person", "ben": "simulated", "gpt": "model", "comet": "metric", "adjudicated": "adjudicated"}


def rows() -> pl.DataFrame:
    """Every kind of judge answers every kind of item, and every one of them a questionnaire."""
    made = [
        {"judge": judge, "judge_kind": kind, "role": str(role), "document": "d", "segment": str(at), "system": "s",
         "question": "q", "label": "x"}
        for judge, kind in KINDS.items()
        for at, role in enumerate(Role)
    ]  # fmt: skip
    made += [
        {"judge": judge, "judge_kind": kind, "role": "main", "document": "", "segment": "", "system": "",
         "question": "consent", "label": "yes"}
        for judge, kind in KINDS.items()
    ]  # fmt: skip
    return tidy(pl.DataFrame(made))[0]


def who_and_what(table: pl.DataFrame) -> set[tuple[str, str, str]]:
    return set(table.select("judge", "role", "question").iter_rows())


@pytest.mark.parametrize("purpose", ["agreement", "scores", "effort"])
def test_main_items_of_people_count_and_nothing_else(purpose: str) -> None:
    assert who_and_what(counted(rows(), purpose).table) == {("ann", "main", "q"), ("ben", "main", "q")}


@pytest.mark.parametrize(
    ("purpose", "roles"),
    [("controls", {"control"}), ("calibration", {"calibration"}), ("repeats", {"main", "repeat"})],
)
def test_other_roles_count_in_figures_about_them(purpose: str, roles: set[str]) -> None:
    table = counted(rows(), purpose).table
    assert who_and_what(table) == {(judge, role, "q") for judge in ("ann", "ben") for role in roles}


def test_a_questionnaire_counts_in_the_account_of_it_alone() -> None:
    assert who_and_what(counted(rows(), "questionnaire").table) == {
        ("ann", "main", "consent"),
        ("ben", "main", "consent"),
    }
    for purpose in Purpose:
        if purpose is not Purpose.QUESTIONNAIRE:
            assert "consent" not in counted(rows(), purpose).table["question"]


def test_settled_answers_count_in_scores_on_request_only() -> None:
    assert "adjudicated" not in counted(rows(), "scores").table["judge"]
    assert "adjudicated" in counted(rows(), "scores", settled=True).table["judge"]
    assert (
        "adjudicated"
        not in counted(rows(), "agreement", settled=True, of=["people", "models", "metrics"]).table["judge"]
    )


def test_groups_are_counted_one_by_one_or_named_together() -> None:
    assert set(counted(rows(), of="models").table["judge"]) == {"gpt"}
    assert set(counted(rows(), of=["people", "metrics"]).table["judge"]) == {"ann", "ben", "comet"}
    machines = rows().filter(pl.col("judge_kind").is_in(["model", "metric"]))
    assert set(counted(machines).table["judge"]) == {"gpt"}, "without people, models; never with metrics"
    assert str(counted(machines, of=["people", "models", "metrics"]).selection) == "main items by models and metrics"
    with pytest.raises(InputError, match="no group of judges"):
        counted(rows(), of="robots")


def test_a_judge_left_out_is_left_out_of_everything_and_the_rest_is_explained() -> None:
    for purpose in Purpose:
        made = counted(rows(), purpose, left_out=["ben"])
        assert "ben" not in made.table["judge"]
        assert made.excluded[Reason.LEFT_OUT] == 6
        assert made.table.height + sum(made.excluded.values()) == rows().height


def test_every_row_that_does_not_count_has_one_reason() -> None:
    made = counted(rows())
    assert made.excluded == {
        Reason.QUESTIONNAIRE: 4,
        Reason.REPEAT: 4,
        Reason.CONTROL: 4,
        Reason.TUTORIAL: 4,
        Reason.CALIBRATION: 4,
        Reason.SETTLED: 6,
        Reason.OTHER_JUDGES: 2,
    }


def test_a_signature_names_the_selection() -> None:
    selection = Selection(Purpose.SCORES, ("people",), frozenset({"ben"}), settled=True)
    assert str(selection) == "main items by people, 1 judge left out, settled answers included"
    assert str(signed(Signature("alpha", parts=(("level", "nominal"),)), selection)) == (
        f"alpha · rows {selection} · level nominal"
    )
    two = pl.DataFrame({"judge": ["a", "b"] * 3, "document": list("112233"), "segment": "1", "label": list("xyxxyy")})
    made = counted(two)
    assert "rows main items by people" in str(made.sign(alpha(made.table)).signature)


def test_judges_belong_to_groups_and_settled_answers_to_none() -> None:
    assert groups_in(rows()) == ["people", "models", "metrics"]
    assert group_of(Judge("x", JudgeKind.SIMULATED)) == "people"
    assert group_of(Judge("x", JudgeKind.ADJUDICATED)) is None
