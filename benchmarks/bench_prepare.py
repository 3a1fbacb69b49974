"""One million segments through import, filter and split, with flat memory, next to pandas merely reading the file.

    python benchmarks/bench_prepare.py [SEGMENTS]

The file is JSON lines in Lanner's own format, ten segments a document, sentences made of common words. Each reader
runs in a process of its own, so that its peak memory is its own; the rate is by processor time.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = """the of and to in that was his with as for had is on at by not from they this have an which one were her
    all she there would their we him been has when who will more no if out so said what up its about into than them can
    only other new some could time these two may then do first any my now such like our over man me even most made"""


def write(path: Path, segments: int) -> None:
    rng, words = random.Random(1), WORDS.split()

    def sentence() -> str:
        return " ".join(rng.choices(words, k=rng.randint(4, 18))).capitalize() + rng.choice(".....!?")

    with path.open("w", encoding="utf-8") as file:
        for number in range(segments // 10):
            texts = [" ".join(sentence() for _ in range(rng.randint(1, 3))) for _ in range(10)]
            rows = [{"id": str(n), "source": text} for n, text in enumerate(texts)]
            entry = {"id": f"d{number}", "source_language": "en", "domain": "news", "segments": rows}
            file.write(json.dumps(entry) + "\n")


def ours(path: Path) -> int:
    from lanner.corpus import recipe  # noqa: PLC0415
    from lanner.corpus.prepare import Preparation  # noqa: PLC0415
    from lanner.formats import read_documents  # noqa: PLC0415

    steps = """name = "bench"
    [[step]]
    do = "filter"
    rules = ["canary", "empty", "hyperlink", "hashtag", "timestamp", "too_long"]
    [[step]]
    do = "split"
    """
    run = Preparation(recipe.parse(steps), tables=False)
    return sum(len(document.segments) for document in run.run(read_documents(path, "native")))


def theirs(path: Path) -> int:
    import pandas  # noqa: PLC0415

    return int(pandas.read_json(path, lines=True)["segments"].map(len).sum())


def measure(reader: str, path: Path) -> tuple[float, float, int]:
    """Seconds, peak megabytes and rows of one reader in a new process."""
    done = subprocess.run([sys.executable, __file__, reader, str(path)], check=True, capture_output=True, text=True)
    seconds, peak, rows = done.stdout.split()
    return float(seconds), float(peak), int(rows)


def main(segments: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.jsonl", Path(folder) / "large.jsonl"
        write(small, segments // 10)
        write(large, segments)
        print(f"{segments:,} segments, {large.stat().st_size / 1e6:.0f} MB")
        _, little, _ = measure("ours", small)
        seconds, peak, rows = measure("ours", large)
        print(
            f"  ours    {segments / seconds:10,.0f} segments/s  peak {peak:6.0f} MB  with filter, split ({rows:,} rows)"
        )
        print(f"  ours    a tenth of the file had a peak of {little:.0f} MB: ratio {peak / little:.2f}")
        other, theirs_peak, _ = measure("theirs", large)
        print(f"  pandas  {segments / other:10,.0f} segments/s  peak {theirs_peak:6.0f} MB  reading only")
        print(f"  ratio   rate ours/pandas {other / seconds:.3f}   memory ours/pandas {peak / theirs_peak:.3f}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        started = time.process_time()
        count = {"ours": ours, "theirs": theirs}[sys.argv[1]](Path(sys.argv[2]))
        print(time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, count)
    else:
        main(int(sys.argv[1]) if len(sys.argv) == 2 else 1_000_000)
