from pathlib import Path

import pytest

from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir
from lanner.cli._source import materials


def test_a_path_wins_over_a_campaign_of_that_name(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lanner("import", falcon_folder(folder))
    from_file = lanner("agreement", "study", "-q", "context", "--json").envelope
    assert from_file["rows"][0]["part"] == "evalset"


def test_an_unknown_campaign_names_the_nearest(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lanner("import", falcon_folder(folder), "--name", "pilot")
    ran = lanner("agreement", "pilott")
    assert ran.code == 2
    assert "Did you mean 'pilot'" in ran.err


@pytest.mark.parametrize("line", ["agreement", "effort", "scores", "associate --of holistic", "plan"])
def test_a_campaign_that_nobody_has_answered_yet_is_told_so(lanner: Command, pilot: str, line: str) -> None:
    command, *rest = line.split()
    ran = lanner(command, pilot, *rest)
    assert ran.code == 2
    assert "pilot has no judgements yet" in ran.err
    assert "lanner campaign show pilot" in ran.err


@pytest.mark.data
def test_a_table_of_a_known_format_is_not_taken_for_ratings() -> None:
    """MQM marks have a rater and an item on each row, and are far more than ratings."""
    (part,) = materials(str(data_dir("mqm") / "mqm_ted_ende.tsv"), "none.sqlite", None)
    assert part.protocol is not None
    assert part.protocol.name == "mqm"
    assert "penalty" in set(part.table["question"])
