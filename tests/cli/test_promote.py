from pathlib import Path

from cli.command import Command
from lanner import campaign
from lanner.judges.simulated import Temper, fill
from lanner.store import Store


def survey(lanner: Command, folder: Path) -> None:
    rows = "".join(f"d,{n},Sentence number {n}.,Satz {n}.\n" for n in range(1, 13))
    (folder / "t.csv").write_text(f"document,segment,source,target\n{rows}", encoding="utf-8")
    lanner("new", "survey", "--texts", "t.csv", "--protocol", "context_survey", "--judges", "Ana, Ben, Cleo")
    with Store.open(folder / "lanner.sqlite") as store:
        fill(store, "survey", {judge: Temper() for judge in ("ana", "ben", "cleo")}, {}, seed=1)


def test_units_are_listed_then_assigned(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    rows = lanner("promote", "survey", "--page", "phase_two", "--json").envelope["rows"]
    assert rows
    before = _tasks(tmp_path)
    ran = lanner("promote", "survey", "--page", "phase_two", "--drop", rows[0]["unit"], "--assign")
    assert ran.code == 0
    assert rows[0]["unit"] not in ran.out
    added = _tasks(tmp_path) - before
    assert added == 3 * (len(rows) - 1)


def test_the_list_shows_each_sentence_and_what_stands_before_it(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    rows = lanner("promote", "survey", "--page", "phase_two", "--json").envelope["rows"]
    assert all(row["sentence"] == f"Sentence number {row['unit'].partition('/')[2]}." for row in rows)
    assert all(row["sentences before"] == int(row["unit"].partition("/")[2]) - 1 for row in rows)
    later = lanner("promote", "survey", "--page", "phase_two", "--drop-first", "--json").envelope["rows"]
    assert later == [row for row in rows if row["sentences before"]]
    assert len(later) < len(rows), "the simulated survey promotes a first sentence"
    wrong = lanner("promote", "survey", "--page", "phase_two", "--drop", "d/99", "--assign")
    assert wrong.code == 2
    assert "d/99" in wrong.err


def _tasks(folder: Path) -> int:
    with Store.open(folder / "lanner.sqlite") as store:
        return campaign.progress(store, "survey").whole.items


def test_a_page_that_nothing_is_promoted_to(lanner: Command, tmp_path: Path) -> None:
    survey(lanner, tmp_path)
    ran = lanner("promote", "survey", "--page", "phase_too")
    assert ran.code == 2
    assert "Did you mean 'phase_two'" in ran.err
