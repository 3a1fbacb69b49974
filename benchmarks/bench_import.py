"""Import: CPU seconds, segments a second and peak memory of Lanner's readers, next to pandas on the same file.

pandas gives a table of columns; "grouped" is pandas followed by what it takes to have documents of segments, which is
what Lanner's reader yields, checked and one at a time. Each run is a process of its own, so that the peak is its own.
Usage: python benchmarks/bench_import.py [SEGMENTS]
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from lanner import formats

SOURCE = 'The keeper of the {} looked at the tide table and said, "not before noon".'
TARGET = "Der Hüter von {} sah in die Gezeitentafel und sagte: „nicht vor Mittag“ 😀."
PER_DOCUMENT = 20


def write_files(folder: Path, segments: int) -> None:
    with (folder / "set.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["document", "segment", "domain", "source", "reference", "target"])
        for n in range(segments):
            place = [f"d{n // PER_DOCUMENT}", n % PER_DOCUMENT, "news"]
            writer.writerow([*place, SOURCE.format(n), TARGET.format(n), TARGET.format(-n)])
    with (folder / "set.jsonl").open("w", encoding="utf-8") as out:
        for d in range(segments // PER_DOCUMENT):
            parts = [
                {"id": str(s), "source": SOURCE.format(d), "outputs": {"a": TARGET.format(d), "b": TARGET.format(s)}}
                for s in range(PER_DOCUMENT)
            ]
            out.write(json.dumps({"id": f"d{d}", "domain": "news", "segments": parts}, ensure_ascii=False) + "\n")


def lanner_reads(path: Path) -> int:
    return sum(len(document.segments) for document in formats.read_documents(path))


def table(path: Path) -> Any:
    pandas = import_module("pandas")  # not at the top: its memory is not ours
    return pandas.read_json(path, lines=True) if path.suffix == ".jsonl" else pandas.read_csv(path)


def pandas_reads(path: Path) -> int:
    return len(table(path))


def pandas_groups(path: Path) -> int:
    made = table(path)
    if path.suffix == ".jsonl":
        return sum(len(segments) for segments in made["segments"])
    return sum(len(group.to_dict("records")) for _, group in made.groupby("document", sort=False))


READERS = {"lanner": lanner_reads, "pandas": pandas_reads, "grouped": pandas_groups}


def run_one(who: str, path: Path) -> None:
    begin = time.process_time()
    READERS[who](path)
    seconds = time.process_time() - begin
    print(json.dumps({"seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def measured(who: str, path: Path) -> dict[str, float]:
    """Run one reader in a process of its own."""
    command = [sys.executable, __file__, "--run", who, str(path)]
    result: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return result


def main() -> None:
    segments = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{segments:,} segments in documents of {PER_DOCUMENT}")
    print(f"{'file':<20}{'reader':<9}{'CPU s':>8}{'segments/s':>12}{'peak MiB':>10}{'time':>8}{'memory':>8}")
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), segments)
        for path in sorted(Path(folder).iterdir()):
            found = {who: measured(who, path) for who in READERS}
            own = found["lanner"]
            for who, each in found.items():
                name = f"{path.name} {path.stat().st_size / 2**20:.0f} MiB"
                ratios = f"{own['seconds'] / each['seconds']:>7.2f}x{own['peak'] / each['peak']:>7.2f}x"
                rate = segments / each["seconds"]
                print(f"{name:<20}{who:<9}{each['seconds']:>8.2f}{rate:>12,.0f}{each['peak']:>10.0f}{ratios}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run_one(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
