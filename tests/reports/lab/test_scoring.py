import pytest

from lanner.reports.lab.scoring import scoring
from reports.lab.worlds import answered, lab, noise, parity, texts


def test_counts_agree_where_weights_do_not() -> None:
    skills = ["information_density", "idea_development", "terminology_control"]

    def value(q: str, judge: str, system: str, d: int, s: int, _: str) -> dict[str, str]:
        chosen = skills[: noise(d, s) % 4]
        level = "low" if noise(judge, d, s) % 2 else "high"
        return {skill: level if skill in chosen else "not_relevant" for skill in skills}

    made = [answered("h_falcon", ["skills"], value, systems=(("oak",),), title=name) for name in "ab"]
    found = scoring(lab(*made))
    by = {(row["side"], row["score"]): row["value"] for row in found.data}
    assert by["a", "skill count"] == pytest.approx(1.0)
    assert by["a", "skill sum"] < 0.95
    assert len(texts()) == 8


def test_nothing_to_sum() -> None:
    assert scoring(lab(parity())).missing
