from __future__ import annotations

from pathlib import Path

from cli.command import Command

TEXTS = "document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\n"


def test_settings_of_a_folder_hold_where_options_are_not_given(lanner: Command, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("LANNER_STORE", raising=False)
    (tmp_path / "lanner.toml").write_text('store = "mine.sqlite"\nlanguages = "en-de"\n[new]\nprotocol = "da"\n')
    (tmp_path / "t.csv").write_text(TEXTS)
    ran = lanner("new", "pilot", "--texts", "t.csv", "--judges", "2", "--json")
    assert ran.code == 0, ran.err
    assert (tmp_path / "mine.sqlite").is_file()
    assert "da ·" in ran.envelope["signature"]
    assert not any("languages are not known" in note for note in ran.envelope["notes"])
    assert (
        lanner("new", "other", "--texts", "t.csv", "--judges", "2", "--protocol", "sqm", "--json")
        .envelope["signature"]
        .startswith("sqm")
    )


def test_mistakes_in_the_settings_are_named(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "lanner.toml").write_text('[new]\nprotokoll = "da"\n')
    ran = lanner("new", "pilot", "--judges", "2")
    assert ran.code == 2
    assert "has no option 'protokoll'" in ran.err
    assert "protocol" in ran.err
    (tmp_path / "lanner.toml").write_text("store = \n")
    assert "settings cannot be read" in lanner("formats").err
