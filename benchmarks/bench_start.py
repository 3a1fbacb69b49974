"""Seconds, and processor seconds, that `import lanner` and commands which only list or refuse take, next to an empty
interpreter. Lower is better; the goal for --help, protocols and errors is 0.5 s of processor time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def best(code: list[str], times: int = 7) -> tuple[float, float]:
    """The shortest of several runs: seconds, and processor seconds."""
    runs = []
    for _ in range(times):
        start, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, *code], check=False, capture_output=True)
        after = os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        runs.append((time.perf_counter() - start, processor))
    return min(seconds for seconds, _ in runs), min(processor for _, processor in runs)


_FILE_COMMANDS = (["import"], ["report"], ["agreement"], ["scores"], ["new", "pilot", "--texts"])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text("a,b\n1,2\n", encoding="utf-8")
        _measure(str(path))


def _measure(path: str) -> None:
    empty = best(["-c", "pass"])
    rows = {
        "import lanner": best(["-c", "import lanner"]),
        "lanner --help": best(["-m", "lanner", "--help"]),
        "lanner protocols": best(["-m", "lanner", "protocols"]),
        "lanner nonsense (error)": best(["-m", "lanner", "nonsense"]),
        "lanner protocol show nonsense": best(["-m", "lanner", "protocol", "show", "nonsense"]),
        **{f"lanner {' '.join(words)} (a bad file)": best(["-m", "lanner", *words, path]) for words in _FILE_COMMANDS},
        "import polars (peer)": best(["-c", "import polars"]),
        "import pandas (peer)": best(["-c", "import pandas"]),
    }
    for name, (seconds, processor) in {"empty interpreter": empty, **rows}.items():
        print(f"{name:<36} {1000 * seconds:7.0f} ms {seconds / empty[0]:5.1f}x   processor {processor:5.2f} s")


if __name__ == "__main__":
    main()
