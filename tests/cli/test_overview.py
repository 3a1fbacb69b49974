from pathlib import Path

from cli.command import Command


def test_an_empty_folder_says_how_to_begin(lanner: Command) -> None:
    ran = lanner()
    assert ran.code == 0
    assert "lanner demo" in ran.out


def test_a_folder_with_a_campaign_says_how_to_go_on(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    ran = lanner()
    assert "pilot" in ran.out
    assert "0 of 1" in ran.out
    assert "lanner serve" in ran.out


def test_texts_that_lie_here_are_offered_first(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    (tmp_path / "other.jsonl").write_text("no texts\n", encoding="utf-8")
    lanner("import", "t.csv")
    assert "lanner new --texts t.jsonl" in lanner().out
