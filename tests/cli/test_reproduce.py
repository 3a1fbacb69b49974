import pytest

from cli.command import Command
from released import data_dir


@pytest.mark.data
def test_paper_and_recomputed_side_by_side(lanner: Command) -> None:
    envelope = lanner("reproduce", "laubli2018", "--data", data_dir("parity"), "--json").envelope
    assert {row["verdict"] for row in envelope["rows"]} == {"agrees"}
    ran = lanner("reproduce", "laubli2018", "--data", data_dir("parity"), "--only", "sign")
    assert "86" in ran.out
    assert "12 of 12 agree" in ran.out


def test_unknown_study(lanner: Command) -> None:
    ran = lanner("reproduce", "kim2026", "--data", ".")
    assert ran.code == 2
    assert "kim2025" in ran.err
