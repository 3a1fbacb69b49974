from pathlib import Path

import pytest

from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir


@pytest.mark.data
def test_the_published_throughput(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2,judge3")
    assert ran.code == 0
    assert "0.876" in ran.out
    assert "3 items took longer than 10000 s" in ran.out


@pytest.mark.data
def test_all_parts_come_in_one_envelope_and_rates_stay_above_zero(lanner: Command) -> None:
    rows = lanner("effort", data_dir("h-falcon"), "--json").envelope["rows"]
    assert {row["part"] for row in rows} == {"evalset", "subset"}
    assert {row["judge"] for row in rows if row["part"] == "subset"} == {"judge2", "judge3"}
    assert all(row["low"] > 0 for row in rows if row["low"] is not None)


@pytest.mark.data
def test_speed_over_the_session(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2", "--fatigue")
    assert "From the first to the last item of a session" in ran.out


def test_the_bill_and_each_domain(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    asked = ("effort", falcon_folder(tmp_path / "s"))
    assert "seconds of judging at 20 an hour: 0.03 in all" in lanner(*asked, "--rate", 20).out
    assert "items a minute" in lanner(*asked, "--by", "domain").out
