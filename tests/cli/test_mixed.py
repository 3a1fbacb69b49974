from pathlib import Path

import numpy as np
import pytest

from cli.command import Command


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    lines = ["judge,document,segment,domain,length,quality"]
    for d in range(20):
        for s in range(3):
            for j, strict in enumerate((0, 6, 12)):
                score = 70 - strict + rng.normal(0, 1) + 4 * (d % 4) + 2 * s
                lines.append(f"j{j},d{d:02},{d}.{s},{'news' if d % 2 else 'talk'},{s},{score:.3f}")
    (tmp_path / "scored.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "scored.csv"


def test_judges_and_documents_have_their_share(lanner: Command, scored: Path) -> None:
    asked = ("regress", scored, "--outcome", "quality", "--blocks", "length", "--mixed")
    text = lanner(*asked).out
    assert "to how strict the judge is" in text
    assert "Predictors, judges and documents together explain" in text
    assert "R² of the fixed effects alone" in text
    rows = lanner(*asked, "--json").envelope["rows"]
    shares = {row["term"]: row["share"] for row in rows if row["kind"] == "variance"}
    assert shares["judge"] > shares["document"] > shares["residual"]
    slope = next(row for row in rows if row["term"] == "length")
    assert slope["low"] < 2 < slope["high"]


def test_each_domain_has_its_own_model_and_too_little_is_said(lanner: Command, scored: Path) -> None:
    asked = ("regress", scored, "--outcome", "quality", "--blocks", "length", "--mixed", "--by", "domain")
    rows = lanner(*asked, "--json").envelope["rows"]
    assert {row["domain"] for row in rows} == {"news", "talk"}
    few = scored.with_name("few.csv")
    few.write_text("judge,document,length,quality\na,1,1,5\nb,1,2,5\n", encoding="utf-8")
    assert "too few" in lanner("regress", few, "--outcome", "quality", "--blocks", "length", "--mixed").out
