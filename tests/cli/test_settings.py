from pathlib import Path

import pytest

from cli.command import Command
from lanner.cli._settings import settings_from
from lanner.errors import InputError


def test_a_file_and_options(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('before = ["consent"]\ncalibration = ["d1"]\n')
    assert settings_from(path, "background, consent", "") == {
        "before": ["background", "consent"],
        "calibration": ["d1"],
    }


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("before = [")
    with pytest.raises(InputError, match=r"s\.toml"):
        settings_from(path, "", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("practise_agreement = 0.8", "Did you mean 'practice_agreement'"),
        ('consent = "We keep everything."', "There is no setting 'consent'"),
        ("practice_agreement = 80", "lies between 0 and 1"),
    ],
)
def test_a_setting_that_nothing_reads_or_that_makes_no_sense_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        settings_from(path, "", "")
    assert reason in str(caught.value)


def test_questionnaires_become_pages_of_the_campaign(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    arguments = ("--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana", "--before", "consent")
    [row] = lanner("new", "pilot", *arguments, "--json").envelope["rows"]
    assert row["tasks"] == 2
    pages = [row["page"] for row in lanner("design", *arguments, "--json").envelope["rows"] if "page" in row]
    assert "rating" in pages
    assert len(pages) == 2
