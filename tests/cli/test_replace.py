"""`lanner replace` on a table of ratings."""

from pathlib import Path

import polars as pl

from cli.command import Command
from stats.test_replacement import labelled, scored


def written(folder: Path, data: pl.DataFrame) -> Path:
    path = folder / "ratings.csv"
    kinds = {"ann": "ann", "ben": "ben", "cem": "cem"}
    texts = data.with_columns(
        source=pl.col("document") + pl.col("segment"),
        target=pl.col("document") + pl.col("segment"),
        judge=pl.col("judge").replace(kinds),
    )
    texts.write_csv(path)
    return path


def test_a_verdict_with_what_it_rests_on(lanner: Command, tmp_path: Path) -> None:
    path = written(tmp_path, scored(3, 0.5, people_on=10, documents=30))
    ran = lanner("replace", "model", path)
    assert ran.code == 0, ran.err
    assert "model may replace a person here" in ran.out
    assert "of the human judgements" in ran.out
    rows = lanner("replace", "model", path, "--json").envelope["rows"]
    assert {"verdict", "person", "line", "bias"} <= {row["kind"] for row in rows}


def test_labels_are_put_right_and_mistakes_help(lanner: Command, tmp_path: Path) -> None:
    path = written(tmp_path, labelled(1))
    ran = lanner("replace", "model", path)
    assert "Nothing can be said about model" in ran.out and "put right" in ran.out
    wrong = lanner("replace", "modle", path)
    assert wrong.code != 0 and "model" in wrong.err
    assert lanner("replace", "model", path, "--epsilon", 2).code != 0
