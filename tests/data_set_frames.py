"""Released ratings as tidy frames, for tests that reproduce the papers they come from."""

from __future__ import annotations

from pathlib import Path

import polars as pl

POINTS = {"not relevant": 0.0, "low": 1.0, "medium": 2.0, "high": 3.0}
NOT_SKILLS = ("idx", "sent_score", "tot_score", "time")


def skill_id(name: str) -> str:
    return name.lower().replace(" and ", " ").replace(" ", "_")


def h_falcon(folder: Path, *, holistic_missing: float | None = None) -> pl.DataFrame:
    """Judges 2 and 3 on the subset: one row per judge, sentence and question."""
    texts = pl.read_csv(folder / "data" / "subset.csv").select("idx", "domain", pl.col("doc").alias("document"))
    parts = []
    for judge in ("2", "3"):
        table = pl.read_csv(folder / "human" / "subset" / f"judge{judge}.csv").join(texts, on="idx")
        skills = [name for name in table.columns if name not in (*NOT_SKILLS, "domain", "document")]
        keys = ["idx", "domain", "document", "time"]
        long = [
            table.select(*keys, pl.lit("skills").alias("question"), pl.lit(skill_id(s)).alias("row"),
                         pl.col(s).alias("label"), pl.col(s).replace_strict(POINTS).alias("score"))
            for s in skills
        ]  # fmt: skip
        holistic = pl.col("tot_score").cast(pl.Float64)
        for name, value in (
            ("sentence", pl.col("sent_score").cast(pl.Float64)),
            ("holistic", holistic if holistic_missing is None else holistic.fill_null(holistic_missing)),
        ):
            long.append(
                table.select(*keys, pl.lit(name).alias("question"), pl.lit("").alias("row"),
                             pl.lit(None, dtype=pl.String).alias("label"), value.alias("score"))
            )  # fmt: skip
        parts.append(pl.concat(long).with_columns(pl.lit(f"J{judge}").alias("judge")))
    frame = pl.concat(parts).rename({"time": "active"})
    return frame.with_columns(pl.col("idx").cast(pl.String).alias("segment"), pl.lit("rating").alias("stage"))


def falcon(folder: Path) -> pl.DataFrame:
    """Judges 1 to 3 on the evaluation set: the level of context, with the seconds each sentence took."""
    texts = pl.read_csv(folder / "data" / "evalset.csv").select("idx", "domain", pl.col("doc").alias("document"))
    parts = [
        pl.read_csv(folder / "human" / "evalset" / f"judge{judge}.csv")
        .drop("domain")  # three rows of one judge lack it
        .join(texts, on="idx")
        .select(
            pl.lit(f"J{judge}").alias("judge"),
            pl.lit("context").alias("question"),
            pl.lit("context").alias("stage"),
            "document",
            pl.col("idx").cast(pl.String).alias("segment"),
            "domain",
            pl.col("context").alias("label"),
            pl.col("time").cast(pl.Float64).alias("active"),
        )
        for judge in "123"
    ]
    return pl.concat(parts)


def parity(folder: Path, *, controls: bool = False) -> pl.DataFrame:
    """Preferences of Läubli et al. 2018, condition and unit as columns; documents by article, sentences by line.

    With `controls`, the answers to control items alone, and in `spoiled` which of the two was made nonsense.
    """
    texts = pl.concat(
        [
            pl.read_csv(folder / f"{kind}s.csv").select(
                pl.lit(kind).alias("unit"),
                pl.col("exp_item_number").alias("segment"),
                pl.col("wmt_article_id").alias("document"),
                pl.col("spam").alias("spoiled"),
            )
            for kind in ("document", "sentence")
        ]
    )
    names = {"participant_id": "judge", "type": "unit", "exp_item_number": "segment", "rating": "label"}
    ratings = pl.read_csv(folder / ("ratings.with-spam.csv" if controls else "ratings.csv")).rename(names)
    frame = ratings.join(texts, on=["unit", "segment"], how="left", maintain_order="left")
    return frame.filter(pl.col("spoiled").is_not_null()) if controls else frame
