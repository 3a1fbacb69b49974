"""How long `import lanner` and a plain `lanner --help` take, beside an empty interpreter. Lower is better."""

from __future__ import annotations

import subprocess
import sys
import time


def best(code: list[str], times: int = 7) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([sys.executable, *code], check=True, capture_output=True)
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    empty = best(["-c", "pass"])
    rows = {
        "import lanner": best(["-c", "import lanner"]),
        "lanner --help": best(["-m", "lanner", "--help"]),
        "import polars (peer)": best(["-c", "import polars"]),
        "import pandas (peer)": best(["-c", "import pandas"]),
    }
    print(f"{'empty interpreter':<24} {1000 * empty:7.0f} ms   1.0x")
    for name, seconds in rows.items():
        print(f"{name:<24} {1000 * seconds:7.0f} ms {seconds / empty:5.1f}x")


if __name__ == "__main__":
    main()
