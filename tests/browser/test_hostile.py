"""Hostile texts in a real browser: whatever stands in source, target, title, comment, note, name or label, it is shown
as text and runs nowhere, on the judge's pages and the organiser's."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from lanner import campaign
from lanner.model import Document, Judge, Protocol, Segment
from organiser_client import OrganiserServer

pytestmark = pytest.mark.browser
PAYLOADS = (
    "<img src=x onerror='window.ran=1'>",
    "<script>window.ran=1</script>",
    "\"'><svg onload=window.ran=1>",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    "javascript:window.ran=1",
    "</textarea></script><script>window.ran=1</script>",
    "<a href='javascript:window.ran=1' autofocus onfocus=window.ran=1>x</a>",
    "{{constructor.constructor('window.ran=1')()}}",
    "<style>@import 'http://127.0.0.1:9/x'</style><base href='http://127.0.0.1:9/'>",
    "\u202e<b onmouseover=window.ran=1>desrever\u202c",
)
EVIL = " ".join(PAYLOADS)
LIVE = "iframe, base, svg[onload], img[onerror], a[onfocus], b[onmouseover]"
PROTOCOL = Protocol.model_validate(
    {
        "name": "hostile",
        "version": "1",
        "stage": [
            {
                "id": "rating",
                "unit": "sentence_in_context",
                "object": "output",
                "question": [
                    {"id": "kind", "kind": "choice", "options": [{"id": "good"}, {"id": "bad"}]},
                    {"id": "comment", "kind": "text", "required": False},
                ],
            }
        ],
        "text": {
            "en": {
                "title": EVIL,
                "summary": EVIL,
                "questions": {
                    "kind": {
                        "label": EVIL,
                        "help": EVIL,
                        "options": {"good": {"label": f"Good {EVIL}"}, "bad": {"label": f"Bad {EVIL}"}},
                    },
                    "comment": {"label": EVIL},
                },
            }
        },
    }
)


def test_nothing_hostile_runs_in_a_browser(tmp_path: Path, context: BrowserContext) -> None:
    segments = tuple(Segment(f"s{n}", f"{payload} {EVIL}", {"one": EVIL}) for n, payload in enumerate(PAYLOADS))
    text = Document("text", segments, "en", "de", domain=EVIL, title=EVIL, note=EVIL, glossary={EVIL: EVIL})
    people = [Judge(f"J{n}", name=EVIL) for n in range(2)]
    with OrganiserServer(tmp_path / "lanner.sqlite") as server:
        settings = {"guidelines": EVIL}
        campaign.create(server.store, "hostile", [text], PROTOCOL, people, seed=1, title=EVIL, settings=settings)
        campaign.open(server.store, "hostile")
        secrets = campaign.invitations.issue_all(server.store, "hostile")
        tasks = {judge.id: campaign.tasks(server.store, "hostile", judge.id)[0].id for judge in people}
        for number, judge in enumerate(people):
            for item in range(len(PAYLOADS)):
                answers = {"kind": ("good", "bad")[(item + number) % 2], "comment": EVIL}
                campaign.submit(server.store, tasks[judge.id], item, answers, submission=f"{judge.id}-{item}-number")
        asked: list[str] = []
        page = context.new_page()
        page.set_default_navigation_timeout(120_000)  # the first report loads a lot; on a busy machine it takes long
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: pytest.fail("a dialog opened"))
        server.enter(page)
        here = f"{server.url}/campaigns/hostile"
        below = (
            "",
            "/disagreements?question=kind&show=all",
            "/judges",
            "/judge?id=J0",
            "/settings",
            "/preview",
            "/report",
        )
        judging = (f"/j/{secrets['J0']}", "/work", f"/task/{tasks['J0']}")
        places = [f"{here}{part}" for part in below] + [f"{server.url}{part}" for part in judging]
        met = 0
        for place in places:
            page.goto(place)
            page.wait_for_load_state("load")
            page.mouse.move(400, 400)
            assert page.evaluate("window.ran") is None, place
            assert page.locator(LIVE).count() == 0, place
            met += "window.ran=1" in page.evaluate("document.body.textContent")
        assert met >= 7, "the hostile texts were not shown"
        assert not [url for url in asked if not url.startswith((server.url, "data:"))]
