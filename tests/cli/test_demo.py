from pathlib import Path

from cli.command import Command


def test_links_and_a_report_and_answers_through_the_same_door(lanner: Command, tmp_path: Path) -> None:
    ran = lanner("demo", "--no-serve")
    assert ran.code == 0
    assert ran.out.count("/j/") == 2
    assert "/enter/" in ran.out
    assert "Watch judgements arrive" in (tmp_path / "lanner-demo" / "start.html").read_text(encoding="utf-8")
    report = (tmp_path / "lanner-demo" / "report" / "report.html").read_text(encoding="utf-8")
    assert "simulated" in report
    store = tmp_path / "lanner-demo" / "lanner.sqlite"
    rows = lanner("agreement", "demo-h-falcon", "--store", store, "-q", "holistic", "--json").envelope["rows"]
    together = next(row for row in rows if row["statistic"] == "alpha" and not row.get("judge"))
    assert 0.3 < together["value"] < 1
    assert together["n"] == 330
    again = lanner("demo", "--no-serve")  # a second time finds the campaigns as they were left
    assert again.code == 0
