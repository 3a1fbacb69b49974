"""Line numbers of keys, for messages."""

from __future__ import annotations

from lanner.protocols.toml_lines import TomlLines

FILE = '''\
name = "x"
"quoted" = 1

[[stage]]
id = "one"
[[stage.question]]
id = "a"
[[stage.question]]
id = "b"
min = 3

[[stage]]
id = "two"
[[stage.question]]
id = "c"

[text.en]
instructions = """
min = 7
[stage]
"""
title = "y"
'''


def test_keys_tables_and_arrays_of_tables() -> None:
    lines = TomlLines(FILE)
    assert lines.find(("name",)) == 1
    assert lines.find(("quoted",)) == 2
    assert lines.find(("stage", 0)) == 4
    assert lines.find(("stage", 0, "question", 1)) == 8
    assert lines.find(("stage", 0, "question", 1, "min")) == 10
    assert lines.find(("stage", 1, "question", 0, "id")) == 15
    assert lines.find(("text", "en", "title")) == 22


def test_text_that_looks_like_toml_is_not_read_as_keys() -> None:
    assert TomlLines(FILE).find(("text", "en", "min")) == 17


def test_a_place_the_file_does_not_spell_out_falls_back_to_its_nearest_parent() -> None:
    lines = TomlLines(FILE)
    assert lines.find(("stage", 0, "question", 1, "scale", "min")) == 10
    assert lines.find(("stage", 1, "question", 0, "max")) == 14
    assert lines.find(("nothing",)) is None
