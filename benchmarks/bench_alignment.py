"""Alignment inside known segments against the released H-FALCON rows: ours and Gale-Church, in one run.

Set-up of the earlier study: the rows of each document are joined to segments of 2 to 4 (seed 7, 288 segments), and a
border counts if it is right in both texts. The study reported F1 .811 for Gale-Church and .816 with anchors, with the
segmenters of its time; here Gale-Church gets our segmenters, so that only the aligners differ.
"""

from __future__ import annotations

import csv
import math
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from lanner.corpus import split
from lanner.corpus.rows import Splitting, split_document
from lanner.model import Document, Segment

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from border_counts import BorderCounts, compare, joint_borders

ROOT = Path(os.environ.get("LANNER_DATA", Path(__file__).parents[2] / "shared" / "data"))
STUDY = 0.816
PRIORS = {(1, 1): 0.89, (1, 0): 0.005, (0, 1): 0.005, (2, 1): 0.0445, (1, 2): 0.0445, (2, 2): 0.011}
Rows = list[tuple[str, str]]


def segments(seed: int = 7) -> list[list[dict[str, str]]]:
    with (ROOT / "h-falcon" / "data" / "evalset.csv").open(encoding="utf-8", newline="") as file:
        documents = [list(rows) for _, rows in groupby(csv.DictReader(file), key=lambda row: row["doc"])]
    rng, found = random.Random(seed), []
    for rows in documents:
        start = 0
        while start < len(rows):
            size = rng.randint(2, 4)
            found.append(rows[start : start + size])
            start += size
    return found


def gale_church(source: str, target: str, languages: tuple[str, str]) -> Rows:
    """The textbook aligner over fixed sentences: lengths in characters, bead priors of the 1993 paper."""
    ours, theirs = split.sentences(source, languages[0]), split.sentences(target, languages[1])
    sizes = [[sum(not c.isspace() for c in piece) for piece in side] for side in (ours, theirs)]
    ratio = sum(sizes[1]) / max(sum(sizes[0]), 1)
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for i in range(len(ours) + 1):
        for j in range(len(theirs) + 1):
            for (a, b), prior in PRIORS.items():
                if (i - a, j - b) not in best or (i, j) == (i - a, j - b):
                    continue
                one, other = sum(sizes[0][i - a : i]), sum(sizes[1][j - b : j])
                spread = math.sqrt(6.8 * max((one * ratio + other) / 2, 1))
                tail = max(math.erfc(abs(other - one * ratio) / spread / math.sqrt(2)), 1e-12)
                cost = best[i - a, j - b][0] - math.log(prior) - math.log(tail)
                if (i, j) not in best or cost < best[i, j][0]:
                    best[i, j] = (cost, (i - a, j - b))
    rows: Rows = []
    here = (len(ours), len(theirs))
    while here != (0, 0):
        before = best[here][1]
        rows.append((" ".join(ours[before[0] : here[0]]), " ".join(theirs[before[1] : here[1]])))
        here = before
    merged: Rows = []
    for row in rows[::-1]:  # a sentence without a counterpart goes to the row before it
        if merged and not all((*row, *merged[-1])):
            before = merged.pop()
            merged.append((f"{before[0]} {row[0]}", f"{before[1]} {row[1]}"))
        else:
            merged.append(row)
    return merged


def ours(source: str, target: str, languages: tuple[str, str]) -> Rows:
    document = Document("d", (Segment("1", source, {"x": target}),), *languages)
    return [(row.source, row.outputs["x"]) for row in split_document(document, Splitting()).document.segments]


def exact(found: Rows, gold: Rows) -> int:
    """Gold rows recovered as one row."""
    spans = []
    for rows in (found, gold):
        edges = [(0, 0), *joint_borders(rows), (-1, -1)]
        spans.append(set(pairwise(edges)))
    return len(spans[0] & spans[1])


def study(aligner: Callable[[str, str, tuple[str, str]], Rows], column: str) -> tuple[BorderCounts, float, float]:
    total, whole, rows_total, started = BorderCounts(), 0, 0, time.perf_counter()
    for rows in segments():
        gold = [(row["source"], row[column]) for row in rows]
        found = aligner(" ".join(one for one, _ in gold), " ".join(other for _, other in gold), ("en", "ko"))
        total += compare(joint_borders(found), joint_borders(gold))
        whole += exact(found, gold)
        rows_total += len(gold)
    return total, whole / rows_total, len(segments()) / (time.perf_counter() - started)


def doubtful(threshold: float) -> tuple[int, int, int, int]:
    """Rows, rows listed as doubtful, borders that pair the wrong sentences, and how many of those are listed."""
    rows_all = listed = misplaced = caught = 0
    for rows in segments():
        gold = joint_borders([(row["source"], row["target"]) for row in rows])
        texts_ = (" ".join(row["source"] for row in rows), " ".join(row["target"] for row in rows))
        document = Document("d", (Segment("1", texts_[0], {"x": texts_[1]}),), "en", "ko")
        made = split_document(document, Splitting(threshold=threshold))
        doubts = {doubt.segment for doubt in made.doubts}
        found = joint_borders([(row.source, row.outputs["x"]) for row in made.document.segments])
        rows_all, listed = rows_all + len(made.document.segments), listed + len(doubts)
        for (x, y), (row, following) in zip(found, pairwise(made.document.segments), strict=True):
            if (x, y) not in gold and (x in {a for a, _ in gold} or y in {b for _, b in gold}):
                misplaced += 1
                caught += bool({row.id, following.id} & doubts)
    return rows_all, listed, misplaced, caught


def segments_as_rows(systems: Sequence[str] = ("refA", "GPT-4", "ONLINE-B")) -> None:
    """WMT24 en-es: four neighbouring segments joined; their borders must be found again, in the right pairs. A segment
    may hold several sentences, so more borders are no mistake and precision is not counted."""
    root = ROOT / "wmt24"

    def lines(path: Path) -> list[str]:
        return path.read_text(encoding="utf-8").split("\n")[:-1]

    names = [tuple(line.split("\t")) for line in lines(root / "documents" / "en-es.docs")]
    source = lines(root / "sources" / "en-es.txt")
    for system in systems:
        folder = (
            root / "references" / "en-es.refA.txt"
            if system == "refA"
            else root / "system-outputs" / "en-es" / f"{system}.txt"
        )
        target = lines(folder)
        totals = {"ours": BorderCounts(), "Gale-Church": BorderCounts()}
        for _, group in groupby(range(len(names)), key=lambda n: names[n]):
            numbers = [n for n in group if source[n].strip() and target[n].strip()]
            for start in range(0, len(numbers), 4):
                gold = [(source[n], target[n]) for n in numbers[start : start + 4]]
                joined = (" ".join(one for one, _ in gold), " ".join(other for _, other in gold))
                for name, aligner in (("ours", ours), ("Gale-Church", gale_church)):
                    found = aligner(*joined, ("en", "es"))
                    totals[name] += compare(joint_borders(found), joint_borders(gold))
        recalls = {name: total.recall for name, total in totals.items()}
        print(
            f"  {system:10} ours {recalls['ours']:.3f}  Gale-Church {recalls['Gale-Church']:.3f}"
            f"  ratio {recalls['ours'] / recalls['Gale-Church']:.3f}"
        )


def main() -> None:
    if not (ROOT / "h-falcon").exists():
        print(f"released data not found at {ROOT}: set LANNER_DATA")
        return
    print(f"English-Korean, {len(segments())} segments of 2-4 rows (study: Gale-Church .811, with anchors {STUDY})")
    for column in ("target", "reference"):
        peer = study(gale_church, column)
        mine = study(ours, column)
        for name, (scores, whole, rate) in (("ours", mine), ("Gale-Church", peer)):
            print(
                f"  {column:10} {name:12} P {scores.precision:.3f}  R {scores.recall:.3f}  F1 {scores.f1:.4f}"
                f"  rows exact {whole:.3f}  {rate:7.0f} segments/s"
            )
        print(f"  {column:10} ours/Gale-Church {mine[0].f1 / peer[0].f1:.3f}   ours/study {mine[0].f1 / STUDY:.3f}")
    print("\nWhat a person is shown (target): borders that pair the wrong sentences, and how many of them are listed")
    for threshold in (0.6, 0.7, 0.8, 0.9):
        rows, listed, misplaced, caught = doubtful(threshold)
        print(
            f"  threshold {threshold}: {listed} of {rows} rows listed, with {caught} of {misplaced} misplaced borders"
        )
    if (ROOT / "wmt24").exists():
        print("\nEnglish-Spanish, four WMT24 segments joined: recall of the segments' borders")
        segments_as_rows()


if __name__ == "__main__":
    main()
