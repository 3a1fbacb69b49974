from pathlib import Path

from cli.command import Command


def test_guidelines_are_printed_and_written(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\n", encoding="utf-8"
    )
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana, Ben")
    ran = lanner("guidelines", "pilot")
    assert "Version 1" in ran.out
    assert "Reference consistency" in ran.out
    assert lanner("guidelines", "pilot", "--out", tmp_path / "g.html").code == 0
    assert "<html" in (tmp_path / "g.html").read_text(encoding="utf-8")
    wrong = lanner("guidelines", "pilot", "--out", tmp_path / "g.pdf")
    assert wrong.code == 2
    assert ".md or .html" in wrong.err
