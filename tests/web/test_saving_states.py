"""The outbox and the server as one machine, under random interleavings: several tabs of one browser, tabs closed and
opened again, a server that is killed, requests and replies that are lost, replies of other machines, and a clock that
is set. The outbox is the page's own script, run by node; the server is the real app.

What must hold at every moment: an answer that a judge has given is in the store or on the device. At the end:
everything is in the store, once, in the order in which each tab gave it.

The short form runs the app in this process. With LANNER_SOAK it is a real server that is killed with -9.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from starlette.testclient import TestClient

from lanner import campaign
from lanner.model import Document, Judge, Segment
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import ServerSettings
from live_server import Live

NODE = shutil.which("node")
DRIVER = Path(__file__).parents[1] / "js" / "tabs.js"
ITEMS = 3
FAULTS = ("deliver", "deliver", "deliver", "lose the request", "lose the reply", "portal", "empty", "busy", "proxy")
Reply = tuple[int, Any]


class Browser:
    """Tabs that share one storage, in a process of node."""

    def __init__(self, send: Callable[[dict[str, Any]], Reply | None]) -> None:
        assert NODE is not None
        self._send = send
        self._node = subprocess.Popen([NODE, str(DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, command: str, **more: Any) -> dict[str, Any]:
        """Run a command, and everything that it sets off."""
        wanted = [{"do": command, **more}]
        seen: dict[str, Any] = {}
        assert self._node.stdin is not None and self._node.stdout is not None
        while wanted:
            self._node.stdin.write(json.dumps(wanted.pop(0)) + "\n")
            self._node.stdin.flush()
            while (event := json.loads(self._node.stdout.readline()))["event"] != "idle":
                if event["event"] == "look":
                    seen = event
                    continue
                reply = self._send(event["body"])
                told = {"failed": True} if reply is None else {"status": reply[0], "body": reply[1]}
                wanted.append({"do": "reply", "id": event["id"], **told})
        return seen

    def end(self) -> None:
        self._node.kill()
        self._node.wait()
        for pipe in (self._node.stdin, self._node.stdout):
            if pipe is not None:
                pipe.close()


class InProcess:
    """The app in this process. Killed, it is made anew over the same store."""

    def __init__(self, database: Path) -> None:
        self.store = Store.open(database)
        self.secret, self.task = prepare(self.store)
        self.start()

    def start(self) -> None:
        self._client = TestClient(
            create_app(self.store, settings=ServerSettings(processes=False)), follow_redirects=False
        )
        self._client.__enter__()
        self._client.get(f"/j/{self.secret}")

    def post(self, body: dict[str, Any]) -> Reply | None:
        reply = self._client.post(f"/task/{self.task}/answers", json=body, headers={"sec-fetch-site": "same-origin"})
        return reply.status_code, reply.json()

    def kill(self) -> None:
        self._client.__exit__()

    def end(self) -> None:
        self.kill()
        self.store.close()


class Process:
    """A real server, killed as by a power cut."""

    def __init__(self, database: Path) -> None:
        self._live = Live(database)
        self.store = self._live.store
        self.secret, self.task = prepare(self.store)
        self.start()

    def start(self) -> None:
        import urllib.request  # noqa: PLC0415 - only the long form needs it
        from http.cookiejar import CookieJar  # noqa: PLC0415

        self._live.start()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._opener.open(f"{self._live.url}/j/{self.secret}").read()

    def post(self, body: dict[str, Any]) -> Reply | None:
        import urllib.error  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        url = f"{self._live.url}/task/{self.task}/answers"
        request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
        try:
            with self._opener.open(request, timeout=30) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def kill(self) -> None:
        self._live.kill()

    def end(self) -> None:
        self._live.__exit__(None, None, None)


def prepare(store: Store) -> tuple[str, int]:
    segments = tuple(Segment(str(n), f"Source {n}.", {"one": f"Ziel {n}."}) for n in range(ITEMS))
    campaign.create(store, "kept", [Document("text", segments, "en", "de")], "h_falcon", [Judge("J1")], seed=1)
    campaign.open(store, "kept")
    return campaign.invitations.issue_all(store, "kept")["J1"], campaign.tasks(store, "kept", "J1")[0].id


class Saving(RuleBasedStateMachine):
    """See above. `given` is what each tab has been told by the judge, in order."""

    server_kind: type[InProcess | Process] = InProcess

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lanner-states-"))
        self.server: InProcess | Process = self.server_kind(self.folder / "store.sqlite")
        self.up = True
        self.fault = "deliver"
        self.browser = Browser(self.send)
        self.tabs: list[str] = []
        self.opened = self.values = 0
        self.given: dict[str, list[tuple[int, str, Any]]] = defaultdict(list)
        self.open_tab()

    def send(self, body: dict[str, Any]) -> Reply | None:
        fault = self.fault if self.up else "lose the request"
        if fault == "lose the request":
            return None
        if fault in ("portal", "empty", "busy", "proxy"):
            return {"portal": (200, None), "empty": (200, {}), "busy": (503, None), "proxy": (413, None)}[fault]
        reply = self.server.post(body)
        return None if fault == "lose the reply" else reply

    @rule()
    @precondition(lambda self: len(self.tabs) < 3)
    def open_tab(self) -> None:
        self.opened += 1
        name = f"tab {self.opened}"
        self.browser.do("open", tab=name)
        self.tabs.append(name)
        self.browser.do("kick", tab=name)

    @rule(which=st.integers(0, 9))
    @precondition(lambda self: len(self.tabs) > 1)
    def close_tab(self, which: int) -> None:
        self.browser.do("close", tab=self.tabs.pop(which % len(self.tabs)))

    @rule(which=st.integers(0, 9))
    def reload_tab(self, which: int) -> None:
        self.browser.do("close", tab=self.tabs.pop(which % len(self.tabs)))
        self.open_tab()

    @rule(which=st.integers(0, 9), item=st.integers(0, ITEMS - 1), questions=st.sampled_from(["h", "c", "hc", "x"]))
    def answer(self, which: int, item: int, questions: str) -> None:
        """Every answer is told from every other, so that none can stand in for one that was lost."""
        tab = self.tabs[which % len(self.tabs)]
        self.values += 1
        answers: dict[str, Any] = {}
        if "h" in questions:
            answers["holistic"] = 1 + self.values % 10
        if "c" in questions or "h" in questions:
            answers["comment"] = f"remark {self.values}"
        if "x" in questions:  # one that is refused, with one that is not
            answers |= {"holistic": 99, "comment": f"remark {self.values}"}
        self.given[tab] += [(item, name, value) for name, value in answers.items() if value != 99]
        self.browser.do("answer", tab=tab, item=item, answers=answers)

    @rule(fault=st.sampled_from(FAULTS))
    def network(self, fault: str) -> None:
        self.fault = fault

    @rule()
    def kill(self) -> None:
        if self.up:
            self.server.kill()
            self.up = False
        else:
            self.server.start()
            self.up = True

    @rule(hours=st.integers(-48, 48))
    def set_clock(self, hours: int) -> None:
        self.browser.do("set_clock", ms=hours * 3_600_000)

    @rule()
    def wait(self) -> None:
        self.browser.do("pass", ms=60_000)

    @rule(which=st.integers(0, 9))
    def look_at(self, which: int) -> None:
        self.browser.do("kick", tab=self.tabs[which % len(self.tabs)])

    def stored(self) -> list[tuple[int, str, Any]]:
        rows = campaign.history(self.server.store, "kept")
        return [(int(row.segment), row.question, row.value) for row in rows]

    @invariant()
    def an_answer_is_in_the_store_or_on_the_device(self) -> None:
        if not hasattr(self, "browser"):
            return
        device = self.browser.do("look")
        waiting = {(m["item"], q, v) for m in device["outbox"] for q, v in m["answers"].items()}
        stored = self.stored()
        for answers in self.given.values():
            for answer in answers:
                if isinstance(answer[2], str):
                    assert answer in waiting or answer in stored, f"{answer} is lost"
        ids = {row.id: row.value for row in campaign.history(self.server.store, "kept")}
        for copy in device["copies"]:
            assert ids[copy["id"]] == copy["value"], "a copy is of what is stored"

    def teardown(self) -> None:
        if not hasattr(self, "browser"):
            return
        try:
            self.fault = "deliver"
            if not self.up:
                self.server.start()
                self.up = True
            for _ in range(3):
                for tab in self.tabs:
                    self.browser.do("kick", tab=tab)
                self.browser.do("pass", ms=60_000)
            self.open_tab()
            device = self.browser.do("look")
            assert device["outbox"] == [], "something still waits"
            assert all(waiting == 0 for _, waiting in device["waiting"])
            stored = self.stored()
            texts = [answer for answer in stored if isinstance(answer[2], str)]
            assert len(texts) == len(set(texts)), "something is stored twice"
            for answers in self.given.values():
                for item in range(ITEMS):
                    mine = [answer for answer in answers if answer[0] == item and isinstance(answer[2], str)]
                    assert [answer for answer in texts if answer in mine] == mine, "out of order"
        finally:
            self.browser.end()
            self.server.end()
            shutil.rmtree(self.folder, ignore_errors=True)


def check(kind: type[InProcess | Process], examples: int, steps: int) -> None:
    machine = type("Machine", (Saving,), {"server_kind": kind})
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    phases = [Phase.explicit, Phase.reuse, Phase.generate, Phase.target]  # shrinking takes minutes: `steps` says enough
    how = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=checks, phases=phases
    )
    run_state_machine_as_test(machine, settings=how)


@pytest.mark.skipif(NODE is None, reason="NO NODE: install node to run the outbox outside a browser")
def test_tabs_and_faults_in_any_order() -> None:
    check(InProcess, examples=12, steps=25)


@pytest.mark.skipif(NODE is None, reason="NO NODE: install node to run the outbox outside a browser")
@pytest.mark.soak
def test_tabs_and_faults_in_any_order_over_a_real_server() -> None:
    check(Process, examples=int(os.environ["LANNER_SOAK"]), steps=50)
