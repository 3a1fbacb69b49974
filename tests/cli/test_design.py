from pathlib import Path

from cli.command import Command

TEXT = "document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\ne,1,Three.,Drei.\n"


def test_designs_are_listed_with_their_options(lanner: Command) -> None:
    rows = lanner("design", "--json").envelope["rows"]
    assert {"full", "batches", "latin_square", "pairs", "parity", "pool"} <= {row["design"] for row in rows}


def test_the_plan_counts_work_and_cost(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    ran = lanner("design", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", 2, "--rate", 60, "--json")
    people = [row for row in ran.envelope["rows"] if "judge" in row]
    assert [row["items"] for row in people] == [3, 3]
    assert people[0]["cost"] == 3  # three minutes at sixty an hour
    assert not (tmp_path / "lanner.sqlite").exists()


def test_numbers_that_cannot_be_met_are_refused_with_what_would_work(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    ran = lanner(
        "design", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", 2,
        "--design", "batches", "--option", "judges_per_document=3",
    )  # fmt: skip
    assert ran.code == 2
    assert "3" in ran.err


def test_any_number_of_judges_can_take_turns_at_contexts_and_how_evenly_is_said(
    lanner: Command, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    asked = ("--texts", "t.csv", "--protocol", "da", "--judges", 3, "--contexts", "none; own±1")
    uneven = "The judges cannot be split evenly over the 2 scenarios: a document is judged by 1 to 2 of them in each."
    for option in ((), ("--option", "even_groups=false")):
        ran = lanner("design", *asked, *option, "--json")
        assert ran.code == 0 and uneven in " ".join(ran.envelope["notes"])
    assert uneven in " ".join(lanner("new", "c", *asked, "--json").envelope["notes"])
    refused = lanner("design", *asked, "--option", "even_groups=true")
    assert refused.code == 2 and "Add 1 judge, or leave out 1." in refused.err
