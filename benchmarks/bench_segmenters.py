"""Sentence borders against the rows that the authors of H-FALCON released: F1 and speed, ours and the peers.

The rows of each document are joined by one space, so a headline or a post without a full stop cannot be found by
anybody: no tool reaches 1. Peers are measured where they are installed; `regex` is the usual one-line pattern.
"""

from __future__ import annotations

import csv
import importlib
import os
import re
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import nupunkt

from lanner.corpus import split

DATA = Path(os.environ.get("LANNER_DATA", Path(__file__).parents[2] / "shared" / "data")) / "h-falcon" / "data"
Splitter = Callable[[str], list[str]]


def documents(name: str) -> list[list[dict[str, str]]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [list(rows) for _, rows in groupby(csv.DictReader(file), key=lambda row: row["doc"])]


def splitters(language: str) -> dict[str, Splitter]:
    found: dict[str, Splitter] = {
        "ours": lambda text: split.sentences(text, language),
        "ours, rules only": lambda text: split.sentences(text, language, {language: "rules"}),
        "regex": lambda text: re.split(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)])\s+", text),
        "nupunkt": nupunkt.sent_tokenize,
    }
    try:
        punkt = importlib.import_module("nltk.tokenize").sent_tokenize
        punkt("Is it here? Yes.")
        found["nltk punkt"] = punkt
    except (ImportError, LookupError):
        print("nltk punkt: not installed, or without its data punkt_tab")
    if language == "ko":
        try:
            kiwi = importlib.import_module("kiwipiepy").Kiwi()
            found["kiwipiepy"] = lambda text: [sentence.text for sentence in kiwi.split_into_sents(text)]
        except ImportError:
            print("kiwipiepy: not installed")
    return found


def evaluate(name: str, column: str, splitter: Splitter) -> tuple[split.BorderCounts, float]:
    total, sentences, seconds = split.BorderCounts(), 0, 0.0
    splitter("Models are loaded once. Not here.")
    for rows in documents(name):
        gold = [row[column] for row in rows]
        started = time.perf_counter()
        pieces = splitter(" ".join(gold))
        seconds += time.perf_counter() - started
        sentences += len(pieces)
        total += split.compare(split.borders(pieces), split.borders(gold))
    return total, sentences / seconds


def main() -> None:
    if not DATA.exists():
        print(f"H-FALCON data not found at {DATA}: set LANNER_DATA")
        return
    for column, language, title in (
        ("source", "en", "English"),
        ("reference", "ko", "Korean"),
        ("target", "ko", "Korean MT"),
    ):
        print(f"\n{title}, 38 documents ({'at least .875' if language == 'en' else 'at least .84'} wanted)")
        ours = None
        for name, splitter in splitters(language).items():
            scores, rate = evaluate("evalset", column, splitter)
            ours = ours or scores.f1
            print(
                f"  {name:18} P {scores.precision:.3f}  R {scores.recall:.3f}  F1 {scores.f1:.4f}"
                f"  ours/this {ours / scores.f1:.3f}  {rate:10,.0f} sentences/s"
            )


if __name__ == "__main__":
    main()
