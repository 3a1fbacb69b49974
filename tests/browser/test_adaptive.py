"""An adaptive campaign from its first draw to its stop: judged over HTTP, watched by its organiser in a browser, every
number recomputed from the raw answers and the logged probabilities."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy import optimize, special, stats

from adaptive_campaign import JUDGES, QUALITY, made, score, texts
from lanner import campaign
from lanner.protocols import load
from lanner.store import Store
from organiser_client import OrganiserServer

pytestmark = [pytest.mark.browser, pytest.mark.used_page]
DOCUMENTS = 24
QUESTION = next(question.id for _, question in load("da").questions)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OrganiserServer]:
    with OrganiserServer(tmp_path_factory.mktemp("adaptive") / "lanner.sqlite") as running:
        made(running.store, documents=DOCUMENTS, goal="rank:2")
        yield running


class JudgeClient:
    """A simulated judge who knows the truth and answers over HTTP."""

    def __init__(self, server: OrganiserServer, judge: str, name: str = "study") -> None:
        self._store, self._url, self.judge, self._name = server.store, server.url, judge, name
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        secret = campaign.invitations.issue(server.store, name, judge)
        self._opener.open(f"{server.url}/j/{secret}").read()

    def work(self) -> bool:
        """Judge the next document; whether there was one. The page of the judge's work gives it out."""
        self._opener.open(f"{self._url}/work").read()
        task = campaign.next_task(self._store, self._name, self.judge)
        if task is None:
            return False
        for at, item in enumerate(task.items):
            value = score(item.document, item.segment, item.systems[0])
            body = {"submission": uuid4().hex, "item": at, "answers": {QUESTION: value}, "active": 20.0}
            self._post(f"/task/{task.id}/answers", body)
        self._post(f"/task/{task.id}/finish", {})
        return True

    def _post(self, path: str, body: dict[str, Any]) -> None:
        headers = {"content-type": "application/json", "accept": "application/json", "sec-fetch-site": "same-origin"}
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), headers)
        with self._opener.open(request) as response:
            assert response.status == 200


class Oracle:
    """The campaign's numbers from the raw answers and the log alone (Des Raj's estimate, averaged as in Farquhar)."""

    def __init__(self, store: Store, name: str = "study") -> None:
        self.sizes = {document.id: len(list(document)) for document in texts(DOCUMENTS)}
        events = campaign.events(store, name)
        self.draws = [event.detail for event in events if event.kind == "document_drawn"]
        self.looks = [event.detail for event in events if event.kind == "look_taken"]
        self.totals: dict[tuple[str, str], float] = {}
        self.judgements = 0
        for answer in campaign.judgements(store, name):
            key = answer.document, answer.systems[0]
            self.totals[key] = self.totals.get(key, 0.0) + float(answer.value)
            self.judgements += 1

    def estimate(self, contrast: dict[str, float]) -> tuple[float, float, float, float]:
        """Value, ends of its interval, and plain mean of a weighted sum of systems, over the draws that showed all. A
        single system's variance that looks smaller than the others' is drawn towards them."""
        value, variance, df, _, plain = self._moments(contrast)
        if len(contrast) == 1:
            variance, df = self._moderated(*contrast)
        reach = float(stats.t.isf(0.04 / 2, df)) * np.sqrt(variance)
        return value, value - reach, value + reach, plain

    def _moderated(self, system: str) -> tuple[float, float]:
        """The variance of a mean and its degrees of freedom by Smyth (2004): variances of one document are a scaled F
        around a usual one, whose logarithm and weight are found by moments."""
        all_moments = {name: self._moments({name: 1.0}) for name in QUALITY}
        df = np.array([moments[2] for moments in all_moments.values()])
        single = np.array([variance * m for _, variance, _, m, _ in all_moments.values()])
        logarithms = np.log(single) - special.psi(df / 2) + np.log(df / 2)
        beyond = logarithms.var(ddof=1) - special.polygamma(1, df / 2).mean()
        weight, usual = np.inf, np.exp(logarithms.mean())
        if beyond > 0:
            weight = 2 * optimize.brentq(lambda half: special.polygamma(1, half) - beyond, 1e-6, 1e9)
            usual *= np.exp(special.psi(weight / 2)) / (weight / 2)
        _, own, own_df, m, _ = all_moments[system]
        weight = min(weight, own_df)
        pooled = (weight * usual + own_df * own * m) / (weight + own_df) / m
        return (pooled, own_df + weight) if pooled > own else (own, own_df)

    def _moments(self, contrast: dict[str, float]) -> tuple[float, float, float, int, float]:
        """Value, variance, its degrees of freedom, documents, plain mean."""
        chosen = [draw for draw in self.draws if set(contrast) <= set(draw["systems"])]
        n, m = len(self.sizes), len(chosen)
        mean_size = float(np.mean(list(self.sizes.values())))
        size = np.array([self.sizes[draw["document"]] for draw in chosen]) / mean_size
        total = np.array([sum(w * self.totals[d["document"], s] for s, w in contrast.items()) for d in chosen])
        y, q = total / mean_size, np.array([draw["probability"] for draw in chosen])
        averaging = np.array([n * (n - m) / (m * (n - k) * (n - k + 1)) for k in range(1, m + 1)])  # sums to 1

        def mean(values: np.ndarray) -> float:
            steps = [(values[:k].sum() + values[k] / q[k]) / n for k in range(m)]
            return float(averaging @ np.array(steps))

        value = mean(y) / mean(size)
        residual = y - value * size
        steps = np.array([(residual[:k].sum() + residual[k] / q[k]) / n for k in range(m)])
        weights = np.array([mean(np.eye(m)[k]) for k in range(m)])
        part = weights * size / (weights @ size)  # how much of the estimate each document is
        of_draws = float((averaging**2 * (steps / (1 - part)) ** 2).sum())
        of_documents = float(weights @ (residual / (1 - part)) ** 2) * (m - 1) / m / n
        informative = (1 / ((n - np.arange(1, m + 1) + 1) * q) / (n - np.arange(1, m + 1) + 0.5)) ** 2
        df = informative.sum() ** 2 / (informative**2).sum() - 1 if m < n / 2 else m - 1
        df = max(1.0, min(m - 1, df, 1 / float(part @ part) - 1))
        return value, of_draws + of_documents, df, m, float(total.sum() / size.sum() / mean_size)


def cells(page: Page) -> dict[str, list[str]]:
    """The rows of both tables, by their first cell, without marks of direction."""
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("tbody tr").all()]
    plain = [[cell.replace("\u2068", "").replace("\u2069", "").strip() for cell in row] for row in rows]
    return {row[0]: row[1:] for row in plain}


def typeset(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def judge_to_the_stop(judges: list[JudgeClient]) -> None:
    idle: set[str] = set()
    while len(idle) < len(judges):
        for judge in judges:
            if judge.judge not in idle and not judge.work():
                idle.add(judge.judge)


@pytest.mark.soak
def test_a_system_is_shown_not_to_be_worse_by_a_margin_and_others_are_not_judged(
    server: OrganiserServer, page: Page
) -> None:
    """The truth: cedar is 2 better than birch, so it is not worse by 8."""
    made(server.store, documents=DOCUMENTS, name="margin", goal="not-worse:cedar,birch,8")
    judge_to_the_stop([JudgeClient(server, judge.id, "margin") for judge in JUDGES])
    server.enter(page)
    page.goto(f"{server.url}/campaigns/margin/decided")
    expect(page.get_by_role("heading", level=1)).to_have_text("Enough: the goal is reached")
    expect(page.locator("main")).to_contain_text("Enough when cedar is shown to be at most 8 worse than birch.")
    oracle = Oracle(server.store, "margin")
    everything = 2 * sum(oracle.sizes.values())
    assert oracle.judgements < everything, "a stop before the end"
    expect(page.locator("main")).to_contain_text(f"{oracle.judgements} of at most {everything} judgements")
    shown = cells(page)
    value, low, high, _ = oracle.estimate({"cedar": 1.0, "birch": -1.0})
    state, better, difference, interval, _ = shown["cedar – birch"]
    assert (state, better, difference) == ("decided", "", typeset(value)), "not worse is not better"
    ends = [float(end.replace("−", "-")) for end in interval.strip("[]").split(", ")]
    assert -8 < ends[0] < value < ends[1], "the interval says what was decided"
    reach = (high - low) / 2
    assert 0.8 * reach < (ends[1] - ends[0]) / 2 < 1.6 * reach, "it allows for the stop, which costs little"
    assert shown["alder"] == ["", "", "", "0", "no"], "nobody asked about alder"


def test_a_campaign_is_judged_to_its_stop_and_every_number_is_right(server: OrganiserServer, page: Page) -> None:
    judges = [JudgeClient(server, judge.id) for judge in JUDGES]
    server.enter(page)
    page.goto(f"{server.url}/campaigns/study/decided")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not enough yet")
    assert all(row[1:] == [""] * len(row[1:]) for name, row in cells(page).items() if "–" in name)

    for _ in range(9):
        for judge in judges:
            judge.work()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Not enough yet")
    expect(page.locator("main")).to_contain_text("To the end about")
    expect(page.locator("main")).to_contain_text("every pair of systems is decided, or within ±")
    expect(page.get_by_role("heading", name="The next 100 judgements")).to_be_visible()
    bought = page.locator(".buy li")
    assert bought.count() == sum(row[0] == "open" for name, row in cells(page).items() if "–" in name)
    expect(page.get_by_role("img", name="Open pairs expected to be decided")).to_be_visible()

    judge_to_the_stop(judges)
    page.reload()
    undecided = Oracle(server.store).looks[-1]["states"].count("undecidable")
    heading = f"Enough, with {undecided} of 3 pairs not decided" if undecided else "Enough: the goal is reached"
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)

    oracle = Oracle(server.store)
    everything = 3 * sum(oracle.sizes.values())
    assert oracle.judgements < everything, "a stop before the end"
    expect(page.locator("main")).to_contain_text(
        f"{oracle.judgements} of at most {everything} judgements, {len(oracle.draws)} of {DOCUMENTS} documents"
    )
    expect(page.locator("main")).to_contain_text(
        f"{everything - oracle.judgements} judgements of the complete campaign"
    )
    expect(page.locator("main")).to_contain_text(f"Look {oracle.looks[-1]['look']} of 20.")
    shown = cells(page)
    names = list(QUALITY)
    last = oracle.looks[-1]
    for place, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        row = shown[f"{names[first]} – {names[second]}"]
        value, low, high, _ = oracle.estimate({names[first]: 1.0, names[second]: -1.0})
        winner = last["winners"][place]
        assert row[1] == (names[winner] if winner >= 0 else "")
        assert row[2:4] == [typeset(value), f"[{typeset(low)}, {typeset(high)}]"]
        assert (row[0] == "decided") == (last["states"][place] == "decided")
    for name in names:
        value, low, high, plain = oracle.estimate({name: 1.0})
        documents = sum(name in draw["systems"] for draw in oracle.draws)
        interval = f"[{typeset(low)}, {typeset(high)}]"
        assert shown[name] == [typeset(value), interval, typeset(plain), str(documents), "no more"]

    # What is decided is true: alder is far worse than the others, and it was shown less than they were.
    assert shown["alder – birch"][:2] == ["decided", "birch"]
    assert shown["alder – cedar"][:2] == ["decided", "cedar"]
    assert int(shown["alder"][3]) < int(shown["birch"][3])
    page.goto(f"{server.url}/campaigns/study")
    expect(page.get_by_role("link", name="What is decided")).to_be_visible()
