from pathlib import Path

from cli.command import Command
from test_material import falcon_folder


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
