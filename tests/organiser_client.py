"""A running Lanner that nobody has set up yet, and an organiser at a real browser, for the tests of their pages."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from random import Random

from playwright.sync_api import Page

from lanner import campaign, protocols
from lanner.model import Grid, Judge
from live_server import Live, document

CODE = "first-run-code"
ENTRY = "come-in"
SERVE = f"""
import sys
import time
import urllib.request
from lanner.store import Store
from lanner.web.server import serve
from lanner.web.site import Settings
settings = Settings(setup_code="{CODE}", entry_code="{ENTRY}", entry_account="demo")
serve(Store.open(sys.argv[1]), port=int(sys.argv[2]), settings=settings)
"""


class Office(Live):
    """A server with a code for the first organiser and one for a demonstration."""

    def __init__(self, database: Path) -> None:
        super().__init__(database)

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", SERVE, str(self.database), str(self.port)])
        self.wait()

    def wait(self) -> None:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the server did not start")

    def enter(self, page: Page) -> None:
        """Sign in by the demonstration's code."""
        page.goto(f"{self.url}/enter/{ENTRY}")


def disputed(office: Live, name: str, judges: int = 4, swapping: str = "") -> None:
    """A campaign on one document of 16 sentences, judged by all; one of them may take low for high and high for low."""
    people = [Judge(f"J{number}", name=f"Judge {number}") for number in range(1, judges + 1)]
    campaign.create(office.store, name, [document(16, systems=("one",))], "h_falcon", people, seed=3, title=name)
    campaign.open(office.store, name)
    grid = protocols.load("h_falcon").find("skills")
    assert grid and isinstance(grid[1], Grid)
    rows = [row.id for row in grid[1].rows]
    truth, dice = Random(5), Random(11)
    levels = [[truth.choice(("low", "medium", "high")) for _ in rows] for _ in range(16)]
    crossed = {"low": "high", "high": "low"}
    for judge in people:
        for task in campaign.tasks(office.store, name, judge.id):
            for item in range(len(task.items)):
                said = [dice.choice(("low", "medium", "high")) if dice.random() < 0.12 else x for x in levels[item]]
                if judge.id == swapping:
                    said = [crossed.get(x, x) for x in said]
                answers = {
                    "skills": dict(zip(rows, said, strict=True)),
                    "sentence": 1 + item % 4,
                    "holistic": 1 + item % 10,
                }
                if item == 3 and judge.id == "J2":
                    answers["comment"] = "Is <b>this</b> an acronym?"
                submission = f"{name}-{judge.id}-{task.id}-{item}"
                campaign.submit(office.store, task.id, item, answers, submission=submission, active=25.0, elapsed=40.0)
