"""The FALCON release of Kim 2025 as a tidy table: context, skills and spans of three people and three models."""

from __future__ import annotations

import ast
import csv
import json
from pathlib import Path

import polars as pl

LEVELS = ("sentence_level", "local", "extended", "global", "universal")


def level(text: str) -> str:
    return next(name for name in LEVELS if name.split("_")[0][:4] in text.lower())


def skill(text: str) -> str:
    known = {"stylistic_register": "style_register", "modality_&_attitude": "modality_attitude"}
    name = text.lower().replace(" and ", " ").replace(" ", "_")
    return known.get(name, name)


def falcon(folder: Path) -> pl.DataFrame:
    with (folder / "data" / "evalset.csv").open(encoding="utf-8") as file:
        texts = {int(row["idx"]): (row["doc"], row["domain"]) for row in csv.DictReader(file)}
    answers = []
    for judge in "123":
        with (folder / "human" / "evalset" / f"judge{judge}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        answers += [
            (f"J{judge}", int(r["idx"]), r["context"], ast.literal_eval(r["skill"]), r["span"] or "[]") for r in rows
        ]
    for model in ("41mini", "o3", "o4mini"):
        lines = (folder / "model" / f"{model}.jsonl").read_text(encoding="utf-8").splitlines()
        answers += [(model, (r := json.loads(line))["idx"], r["context"], r["skill"], None) for line in lines]
    schema = {"label": pl.String, "labels": pl.List(pl.String), "spans": pl.String}
    parts = []
    for question, place in (("context", 0), ("skills", 1), ("spans", 2)):
        values = {"label": None, "labels": None, "spans": None}
        made = [
            {
                "judge": judge, "question": question, "document": texts[idx][0], "segment": str(idx),
                "domain": texts[idx][1], **values,
                list(values)[place]: (level(context), sorted({skill(s) for s in skills}), spans)[place],
            }
            for judge, idx, context, skills, spans in answers
        ]  # fmt: skip
        parts.append(pl.DataFrame(made, schema_overrides=schema, infer_schema_length=None))
    return pl.concat(parts)
