"""One million segments through import, filter and split, with flat memory, next to pandas merely reading the file.

    python benchmarks/bench_prepare.py [SEGMENTS]

"prepare" is what the command does but for the writing: the CSV is recognised and read, its rows made documents,
filtered by named rules and split into sentences. Twenty segments a document, sentences of common words. Each run is
a process of its own, so that its peak memory is its own; the rate is by processor time. pandas is left out where it is
not installed.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from lanner import formats
from lanner.corpus import recipe
from lanner.corpus.prepare import Preparation

WORDS = """the of and to in that was his with as for had is on at by not from they this have an which one were her
    all she there would their we him been has when who will more no if out so said what up its about into than them can
    only other new some could time these two may then do first any my now such like our over man me even most made"""
STEPS = """name = "bench"
source_language = "en"
[[step]]
do = "filter"
rules = ["canary", "empty", "hyperlink", "hashtag", "timestamp", "too_long"]
[[step]]
do = "split"
"""
PER_DOCUMENT = 20


def write(path: Path, segments: int) -> None:
    rng, words = random.Random(1), WORDS.split()

    def sentence() -> str:
        return " ".join(rng.choices(words, k=rng.randint(4, 18))).capitalize() + rng.choice(".....!?")

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["document", "segment", "domain", "source"])
        for n in range(segments):
            text = " ".join(sentence() for _ in range(rng.randint(1, 3)))
            writer.writerow([f"d{n // PER_DOCUMENT}", n % PER_DOCUMENT, "news", text])


def imported(path: Path) -> int:
    return sum(len(document.segments) for document in formats.read_documents(path))


def prepared(path: Path) -> int:
    run = Preparation(recipe.parse(STEPS), tables=False)
    return sum(len(document.segments) for document in run.run(formats.read_documents(path)))


def pandas(path: Path) -> int:
    return len(import_module("pandas").read_csv(path))  # not at the top: its memory is not ours


RUNS = {"import": imported, "prepare": prepared, "pandas": pandas}


def measure(who: str, path: Path) -> dict[str, float]:
    """Seconds, peak MiB and rows of one run in a new process."""
    done = subprocess.run([sys.executable, __file__, who, str(path)], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(segments: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.csv", Path(folder) / "large.csv"
        write(small, segments // 10)
        write(large, segments)
        print(f"{segments:,} segments, {large.stat().st_size / 2**20:.0f} MiB")
        found = {who: measure(who, large) for who in ("import", "prepare")}
        if importlib.util.find_spec("pandas"):
            found["pandas"] = measure("pandas", large)
        else:
            print("  pandas is not installed (pip install pandas): no comparison")
        print(f"  {'':<9}{'CPU s':>8}{'segments/s':>12}{'peak MiB':>10}{'rows':>12}")
        for who, each in found.items():
            rate = segments / each["seconds"]
            print(f"  {who:<9}{each['seconds']:>8.2f}{rate:>12,.0f}{each['peak']:>10.0f}{each['rows']:>12,.0f}")
        tenth = measure("prepare", small)["peak"]
        peak = found["prepare"]["peak"]
        print(
            f"  a tenth of the file: peak {tenth:.0f} MiB, so ten times the file needs {peak / tenth:.2f}x the memory"
        )
        if "pandas" in found:
            for who in ("import", "prepare"):
                time_ratio = found[who]["seconds"] / found["pandas"]["seconds"]
                memory = found[who]["peak"] / found["pandas"]["peak"]
                print(f"  {who}/pandas: time {time_ratio:.2f}x, memory {memory:.2f}x")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        started = time.process_time()
        rows = RUNS[sys.argv[1]](Path(sys.argv[2]))
        seconds = time.process_time() - started
        peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "peak": peak_mib, "rows": rows}))
    else:
        main(int(sys.argv[1]) if len(sys.argv) == 2 else 1_000_000)
