from pathlib import Path

from cli.command import Command
from test_material import falcon_folder


def test_a_report_from_a_folder(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    [row] = lanner("report", falcon_folder(tmp_path / "s"), "--out", "out", "--json", "--svg-only").envelope["rows"]
    assert row["tables"] >= 2
    assert "FALCON" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
