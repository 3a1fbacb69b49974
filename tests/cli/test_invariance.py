"""What must not matter does not: the order of rows and columns, rows saved twice, names of judges, documents, systems.

The same messy table is analysed as it is and rearranged, by every command that prints numbers of judges and systems;
each number must come back under its new name. An interval excludes zero exactly where its p is below .05, and what is
undefined has no p.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cli.command import Command
from property_examples import EVERYTHING

COMMANDS = (
    ("agreement",),
    ("agreement", "--other-judges"),
    ("scores", "-q", "score"),
    ("scores", "-q", "score", "--head-to-head"),
    ("scores", "-q", "score", "--head-to-head", "--other-judges"),
    ("scores", "-q", "score", "--standardise", "--head-to-head"),
    ("facets", "-q", "score"),
    ("effort",),
    ("associate", "-q", "score"),
    ("associate", "--x", "score", "--y", "ease", "--by", "judge"),
    ("regress", "--outcome", "score", "--blocks", "ease", "--coefficients"),
    ("regress", "--outcome", "score", "--blocks", "ease", "--mixed", "--by", "-"),
)
NAMES = ("question", "statistic", "sign", "group", "kind", "term", "model", "block", "judge", "system")
PAIRS = (("judge", "other"), ("system", "other"), ("x", "y"))
NUMBERS = ("value", "low", "high", "p", "p_holm", "difference", "score", "rank", "cluster", "n", "df", "mean_seconds")
TABLES = {"complete": (0.0, 8), "sparse": (0.5, 8), "few": (0.2, 3)}


def messy(missing: float, documents: int) -> pd.DataFrame:
    rng = np.random.default_rng(documents)
    rows = []
    for document in range(documents):
        hard = rng.normal(0, 8)
        for segment in range(int(rng.integers(1, 4))):
            for system, quality in (("sA", 62), ("sB", 55), ("sC", 44)):
                for judge, severity in (("jA", -4), ("jB", 0), ("jC", 5)):
                    if rng.random() >= missing:
                        score = round(quality + hard + severity + rng.normal(0, 7))
                        times = {"seconds": round(rng.gamma(4, 8), 1), "ease": round(score / 2 + rng.normal(0, 9), 1)}
                        place = {"judge": judge, "document": f"d{document}", "segment": segment, "system": system}
                        rows.append({**place, "score": score, **times})
    return pd.DataFrame(rows)


def rearranged(table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Rows and columns in another order, some rows twice, names that sort the other way; what the names were."""
    table = pd.concat([table, table.sample(frac=0.3, random_state=1)]).sample(frac=1, random_state=2)
    old: dict[str, str] = {}
    for column in ("judge", "document", "system"):
        names = sorted(table[column].unique())
        new = {name: f"{column[0]}z{len(names) - at:02d}" for at, name in enumerate(names)}
        table[column] = table[column].map(new)
        old |= {after: before for before, after in new.items()}
    return table[["ease", "system", "score", "segment", "seconds", "document", "judge"]], old


def by_name(rows: list[dict[str, Any]], old: Mapping[str, str]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Numbers under what they are about, differences turned so that the first name comes first."""
    numbers = {}
    for row in rows:
        about = {name: old.get(str(row[name]), str(row[name])) for name in (*NAMES, "x", "y", "other") if row.get(name)}
        about |= {name: str(row[name]) for name in ("judges", "documents") if row.get("kind") == "decision"}
        held = {name: row.get(name) for name in NUMBERS}
        for first, second in PAIRS:
            if first in about and second in about and about[second] < about[first]:
                about[first], about[second] = about[second], about[first]
                if held["difference"] is not None:
                    ends = (
                        None if held["high"] is None else -held["high"],
                        None if held["low"] is None else -held["low"],
                    )
                    held |= {"difference": -held["difference"], "low": ends[0], "high": ends[1]}
        key = tuple(f"{name} {value}" for name, value in sorted(about.items()))
        assert key not in numbers, f"two rows are about {key}"
        numbers[key] = held
    return numbers


def cases() -> Iterator[pytest.param]:
    """Every command with gaps in the table and, in turns, without any or with few documents; or with all three."""
    for place, command in enumerate(COMMANDS):
        left_out = None if EVERYTHING else ("complete", "few")[place % 2]
        for table in TABLES:
            if table != left_out:
                yield pytest.param(command, table, id=" ".join((*command, table)))


@pytest.mark.parametrize(("command", "table"), list(cases()))
def test_order_copies_and_names_do_not_matter(
    lanner: Command, tmp_path: Path, command: tuple[str, ...], table: str
) -> None:
    plain = messy(*TABLES[table])
    other, old = rearranged(plain)
    plain.to_csv(tmp_path / "plain.csv", index=False)
    other.to_csv(tmp_path / "other.csv", index=False)
    rows = [lanner(command[0], name, *command[1:], "--json").envelope["rows"] for name in ("plain.csv", "other.csv")]
    expected, actual = by_name(rows[0], {}), by_name(rows[1], old)
    assert actual.keys() == expected.keys()
    for key, numbers in expected.items():
        known = {name: value for name, value in numbers.items() if value is not None}
        assert {name for name, value in actual[key].items() if value is not None} == known.keys(), key
        assert {name: actual[key][name] for name in known} == pytest.approx(known, rel=2e-5, abs=1e-7), key
    for key, numbers in expected.items():
        value = numbers["difference"] if numbers["difference"] is not None else numbers["value"]
        if numbers["p"] is not None:
            assert value is not None, f"p without a value: {key}"
            if numbers["low"] is not None:
                excluded = numbers["low"] > 0 or numbers["high"] < 0
                assert excluded == (numbers["p"] < 0.05), key
    assert all(row["signature"] for row in rows[0] if row.get("low") is not None)


def test_rows_of_several_questions_say_which_and_how(lanner: Command, tmp_path: Path) -> None:
    messy(0.0, 6).to_csv(tmp_path / "t.csv", index=False)
    for command in ("scores", "facets"):
        envelope = lanner(command, "t.csv", "--json").envelope
        questions = {row["question"] for row in envelope["rows"]}
        assert questions == {"score", "ease"}
        assert set(envelope["signature"].split("\n")) == {row["signature"] for row in envelope["rows"]}
