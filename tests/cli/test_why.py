from __future__ import annotations

import pytest

from cli.command import Command
from data_sets import data_dir


@pytest.mark.data
def test_what_disagreement_on_labels_is_made_of(lanner: Command) -> None:
    asked = ("agreement", data_dir("h-falcon"), "-q", "context", "--judges", "judge1,judge2,judge3", "--why")
    rows = lanner(*asked, "--json").envelope["rows"]
    kinds = {row["kind"] for row in rows}
    assert kinds == {"merger", "confusion", "disagreement", "bias", "leave one out"}
    mergers = [row for row in rows if row["kind"] == "merger" and (row["judge"], row["other"]) == ("judge2", "judge3")]
    assert len(mergers) == 10  # every two of five labels
    assert mergers[0]["merged"] == "sentence_level + local"
    assert (round(mergers[0]["before"], 4), round(mergers[0]["value"], 2)) == (0.4995, 0.58)
    assert {row["side"] for row in rows if row["kind"] == "disagreement"} == {"both", "judge1", "judge2", "judge3"}
    text = lanner(*asked).out
    assert "judge1 – judge2: κ if two labels were one" in text
    assert "κ without each judge in turn" in text


@pytest.mark.data
def test_who_is_severe_with_scores(lanner: Command) -> None:
    ran = lanner("agreement", data_dir("h-falcon"), "-q", "holistic", "--why", "--json")
    severe = {row["judge"]: row for row in ran.envelope["rows"] if row["kind"] == "severity"}
    assert severe["judge2"]["value"] == pytest.approx(-severe["judge3"]["value"])
    assert 0 <= severe["judge2"]["p"] <= 1
