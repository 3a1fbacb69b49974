from cli.command import Command
from lanner import formats


def test_every_format_is_listed(lanner: Command) -> None:
    rows = lanner("formats", "--json").envelope["rows"]
    assert {row["name"] for row in rows} == set(formats.titles())
    assert {row["name"] for row in rows if row["written"] == "yes"} == set(formats.titles(writable=True))
    assert "wmt_mqm" in lanner("formats").out


def test_one_says_what_it_can_be_told(lanner: Command) -> None:
    ran = lanner("formats", "table")
    assert ran.code == 0
    assert "--option columns=" in ran.out
    assert lanner("formats", "table", "--json").envelope["rows"][0]["options"] == formats.options("table")


def test_an_unknown_one_names_the_nearest(lanner: Command) -> None:
    ran = lanner("formats", "tabel")
    assert ran.code == 2
    assert "Did you mean 'table'" in ran.err
