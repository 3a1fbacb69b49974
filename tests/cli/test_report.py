from pathlib import Path

from analysis.test_material import falcon_folder
from cli.command import Command


def test_a_report_from_a_folder(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    [row] = lanner("report", falcon_folder(tmp_path / "s"), "--out", "out", "--json", "--svg-only").envelope["rows"]
    assert row["tables"] >= 2
    assert "FALCON" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_judge_who_is_not_there(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    ran = lanner("report", falcon_folder(tmp_path / "s"), "--judges", "nobody")
    assert ran.code == 2
    assert "There is no judge 'nobody'" in ran.err
