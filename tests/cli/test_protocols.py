from __future__ import annotations

from pathlib import Path

from cli.command import Command


def test_every_protocol_is_listed(lanner: Command) -> None:
    rows = lanner("protocols", "--json").envelope["rows"]
    assert {"falcon", "h_falcon"} <= {row["name"] for row in rows}
    assert all(row["summary"] for row in rows)
    ran = lanner("protocols")
    assert ran.code == 0
    assert "h_falcon" in ran.out


def test_an_unknown_command_names_the_nearest(lanner: Command) -> None:
    ran = lanner("protocls")
    assert ran.code == 2
    assert "Did you mean 'protocols'" in ran.err


def test_a_protocol_reads_like_a_page(lanner: Command) -> None:
    ran = lanner("protocol", "show", "h_falcon", "--language", "ko")
    assert ran.code == 0
    assert "정보 밀도" in ran.out


def test_a_sound_file(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = "1"\nextends = "h_falcon"\n')
    ran = lanner("protocol", "check", path)
    assert ran.code == 0
    assert "mine@1 is sound" in ran.out


def test_a_mistake_is_named_by_file_and_line(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = "1"\n\n[[stage]]\nid = "s"\nunit = "documnt"\nobject = "output"\n')
    ran = lanner("protocol", "check", path)
    assert ran.code == 2
    assert f"{path}:6" in ran.err


def test_a_missing_file(lanner: Command) -> None:
    ran = lanner("protocol", "check", "none.toml")
    assert ran.code == 2
    assert "There is no such file" in ran.err
