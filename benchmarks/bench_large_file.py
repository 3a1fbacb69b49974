"""A file of 2 GB through `lanner import`, as a person types it: peak memory next to that of a tenth of the file.

    python benchmarks/bench_large_file.py [GIGABYTES]

Plain CSV, the same with gzip, and Lanner's own JSON lines. Needs about three times the size on disk.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = 'The keeper of the {} looked at the tide table and said, "not before noon, and not after dark either". ' * 8
TARGET = (
    "Der Hüter von {} sah in die Gezeitentafel und sagte: „nicht vor Mittag, und auch nicht nach Dunkelheit“ 😀. " * 8
)
PER_DOCUMENT = 20
PROGRAM = "from lanner.cli import main; main()"


def write(path: Path, size: float) -> None:
    """A file of that many bytes of text."""
    with contextlib.ExitStack() as stack:
        if path.suffix == ".gz":
            file = stack.enter_context(gzip.open(path, "wt", 1, "utf-8", newline=""))
        else:
            file = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
        writer = csv.writer(file)
        if ".csv" in path.suffixes:
            writer.writerow(["document", "segment", "domain", "source", "target"])
        written = number = 0
        while written < size:
            texts = [(SOURCE.replace("{}", str(number + n)), TARGET.replace("{}", str(n))) for n in range(PER_DOCUMENT)]
            written += sum(len(source.encode()) + len(target.encode()) + 30 for source, target in texts)
            name = f"d{number}"
            if ".csv" in path.suffixes:
                writer.writerows([name, n, "news", *pair] for n, pair in enumerate(texts))
            else:
                rows = [{"id": str(n), "source": s, "outputs": {"target": t}} for n, (s, t) in enumerate(texts)]
                file.write(json.dumps({"id": name, "segments": rows}, ensure_ascii=False) + "\n")
            number += 1


def measure(path: Path) -> tuple[float, float]:
    """Seconds and peak MiB of `lanner import`."""
    command = [sys.executable, __file__, "--run", str(path), str(path.parent / "taken")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=path.parent)
    seconds, peak = done.stdout.split()
    (path.parent / "taken.jsonl").unlink()
    return float(seconds), float(peak)


def main(gigabytes: float) -> None:
    print(f"{'file':<12}{'MiB':>8}{'CPU s':>9}{'MiB/s':>8}{'peak MiB':>10}{'against a tenth':>17}")
    for name in ("set.csv", "set.csv.gz", "set.jsonl"):
        tenth = 0.0
        for size in (gigabytes / 10, gigabytes):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / name
                write(path, size * 1e9)
                mib = path.stat().st_size / 2**20
                seconds, peak = measure(path)
            ratio = f"{peak / tenth:.2f}x" if tenth else ""
            rate = size * 1e9 / 2**20 / seconds
            print(f"{name:<12}{mib:>8.0f}{seconds:>9.1f}{rate:>8.1f}{peak:>10.0f}{ratio:>17}", flush=True)
            tenth = peak


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        subprocess.run(
            [sys.executable, "-c", PROGRAM, "import", sys.argv[2], "--name", Path(sys.argv[3]).name, "--yes", "--json"],
            check=True,
            capture_output=True,
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
