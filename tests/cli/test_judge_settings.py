"""Settings of model judges: from a file, by --set, as old options; one table for all."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from lanner.cli.commands.judges import judge as command
from lanner.cli.judge_settings import SETTINGS, settings_from
from lanner.cli.options import from_option, json_option, store_option
from lanner.errors import LannerError

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


def test_the_command_shows_few_options_and_keeps_the_old_ones() -> None:
    @click.command()
    @from_option
    @store_option
    @json_option
    def shared(**_options: object) -> None:
        """The options that every command has which reads files and a store."""

    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    everywhere = {parameter.name for parameter in shared.params}
    own = [option.name for option in options if not option.hidden and option.name not in everywhere]
    assert len(own) <= 21
    assert set(SETTINGS) <= {option.name for option in options if option.hidden}
