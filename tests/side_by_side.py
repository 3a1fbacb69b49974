"""Run several targets of make at the same time: tests of the browser wait much, and others have work meanwhile.

    python tests/side_by_side.py lint test-python test-browser

Now and then a line says how far each is. What a target writes is shown as a whole when it ends. At the end comes one
line for each, or its last lines where it failed: there CI and people look first.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

STEP = 30.0
"""Seconds between two lines about progress."""
LAST = 25
"""How many lines of a target that failed are shown once more."""


@dataclass
class Part:
    """A target of make that is running, and the file into which it writes."""

    target: str
    process: subprocess.Popen[bytes]
    file: Path
    began: float = field(default_factory=time.monotonic)

    @property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8", errors="replace")

    @property
    def progress(self) -> str:
        reached = re.findall(r"\[ *(\d+%)\]", self.text)
        return f"{self.target} {reached[-1] if reached else 'begins'}"

    def result(self) -> str:
        """Its last line, or its last lines where it failed."""
        lines = [line for line in self.text.splitlines() if line.strip() and not line.startswith("SKIPPED")]
        if self.process.returncode == 0:
            return f"== {self.target}: passed: {''.join(lines[-1:]).strip(' =')}"
        return "\n".join([f"== {self.target}: FAILED", *lines[-LAST:]])


def start(target: str, folder: Path) -> Part:
    file = folder / target
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", target]
    with file.open("wb") as out:
        return Part(target, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT), file)


def say(text: str) -> None:
    print(text, flush=True)


def run(targets: Sequence[str]) -> int:
    """Exits with 1 where one of the targets failed; the others are brought to their end all the same."""
    with tempfile.TemporaryDirectory(prefix="lanner-parts-") as name:
        parts = [start(target, Path(name)) for target in targets]
        running, told = list(parts), time.monotonic()
        try:
            while running:
                for part in [part for part in running if part.process.poll() is not None]:
                    running.remove(part)
                    say(f"== {part.target} ({time.monotonic() - part.began:.0f} s)\n{part.text}")
                if running and time.monotonic() - told > STEP:
                    told = time.monotonic()
                    say(", ".join(part.progress for part in running))
                time.sleep(0.2)
        finally:
            for part in running:
                part.process.terminate()
                part.process.wait()
        for part in sorted(parts, key=lambda part: part.process.returncode != 0):
            say(part.result())
        return int(any(part.process.returncode for part in parts))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
