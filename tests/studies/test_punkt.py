import csv

import pytest

from lanner.studies.punkt import sentences
from released import data_dir


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("No mark at all", 1),
        ("One. Two! Three? four.", 4),
        ("Dr. Lind met J. Berg at 5 p.m. yesterday.", 1),
        ("It takes 102 ms. Not bad.", 2),
        ("I know... nobody came.", 1),
        ("I know... But nobody came.", 2),
        ('"Can it fly?" she asked.', 2),
        ('He said: "It can fly."', 1),
        ("(They left.)", 1),
        ("What??", 2),
        ("See example.org for more.", 1),
    ],
)
def test_where_sentences_end(text: str, number: int) -> None:
    assert sentences(text) == number


@pytest.mark.data
def test_the_counts_that_the_paper_printed() -> None:
    with (data_dir("h-falcon") / "data" / "evalset.csv").open(encoding="utf-8-sig", newline="") as file:
        found: dict[str, int] = {}
        for row in csv.DictReader(file):
            found[row["domain"]] = found.get(row["domain"], 0) + sentences(row["source"])
    assert (found["social"], found["literary"]) == (535, 83)
