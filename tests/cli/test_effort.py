import pytest

from cli.command import Command
from released import data_dir


@pytest.mark.data
def test_the_published_throughput(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2,judge3")
    assert ran.code == 0
    assert "0.876" in ran.out
    assert "3 items took longer than 10000 s" in ran.out
