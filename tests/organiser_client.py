"""A running Lanner that nobody has set up yet, and an organiser at a real browser, for the tests of their pages."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from playwright.sync_api import Page

from lanner import campaign, protocols
from lanner.model import Document, Grid, Judge
from live_server import Live, document

CODE = "first-run-code"
ENTRY = "come-in"


class OrganiserServer(Live):
    """A server with a code for the first organiser and one for a demonstration."""

    settings: ClassVar = {"setup_code": CODE, "entry_code": ENTRY, "entry_account": "demo"}

    def enter(self, page: Page) -> None:
        """Sign in by the demonstration's code."""
        page.goto(f"{self.url}/enter/{ENTRY}")


FERRY = document(16, systems=("one",))


def disputed(server: Live, name: str, judges: int = 4, swapping: str = "", text: Document = FERRY) -> None:
    """A campaign on one document of 16 sentences, judged by all; one of them may take low for high and high for low."""
    people = [Judge(f"J{number}", name=f"Judge {number}") for number in range(1, judges + 1)]
    campaign.create(server.store, name, [text], "h_falcon", people, seed=3, title=name)
    campaign.open(server.store, name)
    grid = protocols.load("h_falcon").find("skills")
    assert grid and isinstance(grid[1], Grid)
    rows = [row.id for row in grid[1].rows]
    truth, dice = Random(5), Random(11)
    levels = [[truth.choice(("low", "medium", "high")) for _ in rows] for _ in range(16)]
    crossed = {"low": "high", "high": "low"}
    for judge in people:
        for task in campaign.tasks(server.store, name, judge.id):
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
                campaign.submit(server.store, task.id, item, answers, submission=submission, active=25.0, elapsed=40.0)
