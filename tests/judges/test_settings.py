"""Settings of a run: which value counts, and mistakes that name their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanner.errors import LannerError
from lanner.judges.settings import SETTINGS, settings_from

NOTHING = dict.fromkeys(SETTINGS)


def test_an_option_goes_before_set_before_the_file_before_the_default(tmp_path: Path) -> None:
    file = tmp_path / "judge.toml"
    file.write_text("temperature = 0.3\nseed = 5\nmax_tokens = 900\n", encoding="utf-8")
    values, notes = settings_from(file, ["seed=6", "shuffle=true"], NOTHING | {"max_tokens": 700})
    assert (values["temperature"], values["seed"], values["max_tokens"], values["shuffle"]) == (0.3, 6, 700, True)
    assert values["reasks"] == SETTINGS["reasks"].default
    assert notes == ["--max-tokens still works; now it is --set max_tokens=700, or a line of --settings."]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("temprature = 1", "temperature"),
        ("seed = 'x'", "a whole number"),
        ("seed = true", "a whole number"),
        ("combine = 'best'", "median"),
        ("seed =", "judge.toml"),
    ],
)
def test_a_mistake_names_its_place_and_the_way_out(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "judge.toml"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(LannerError) as caught:
        settings_from(file, [], NOTHING)
    assert words in str(caught.value)
    assert "judge.toml" in str(caught.value)
