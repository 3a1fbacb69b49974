from pathlib import Path

from cli.command import Command


def test_a_new_link_replaces_the_old_one(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    made = lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana", "--json")
    [again] = lanner("links", "pilot", "--judge", "ana", "--json").envelope["rows"]
    assert again["link"] != made.envelope["rows"][0]["link"]


def test_an_unknown_judge(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    ran = lanner("links", "pilot", "--judge", "anna")
    assert ran.code == 2
    assert "Did you mean 'ana'" in ran.err
