"""The plan page says how long a campaign would go on, fixed and adaptive."""

from __future__ import annotations

import re

from starlette.datastructures import FormData
from starlette.testclient import TestClient

from lanner.model import Document, Segment
from lanner.store import Store
from lanner.web.drafting.options import planned, read_wishes
from lanner.web.drafting.work_ahead import work_ahead
from web_clients import sign_in


def documents(count: int = 8, reference: bool = False) -> list[Document]:
    def segment(document: int, at: int) -> Segment:
        source = f"The cat number {document} sat on mat {at}."
        outputs = {"good": f"Die Katze Nummer {document} sass auf Matte {at}.", "bad": "Hund."}
        return Segment(
            str(at),
            source,
            outputs,
            {"ref": f"Die Katze Nummer {document} saß auf der Matte {at}."} if reference else {},
        )

    return [Document(f"d{d}", tuple(segment(d, at) for at in range(3)), "en", "de") for d in range(count)]


def wishes(*more: tuple[str, str]):
    return read_wishes(FormData([("name", "x"), ("protocol", "esa"), ("judges", "Ana\nBen"), *more]))


def test_the_two_ways_are_counted_for_the_same_texts() -> None:
    ahead = work_ahead(documents(24), wishes(("design", "adaptive"), ("adaptive.goal", "rank")))
    assert ahead is not None
    assert ahead.fixed_judgements == 24 * 3 * 2
    assert 0 < ahead.adaptive_judgements <= ahead.fixed_judgements
    assert ahead.fixed_hours > ahead.adaptive_hours
    assert ahead.metric == ""
    by_metric = work_ahead(documents(reference=True), wishes(("design", "adaptive")))
    assert by_metric is not None and by_metric.metric == "chrF"


def test_everyone_judging_everything_is_as_many_judges_each() -> None:
    ahead = work_ahead(documents(), wishes(("design", "full")))
    assert ahead is not None and ahead.fixed_judgements == 8 * 3 * 2 * 2


def test_nothing_is_claimed_where_nothing_is_known() -> None:
    assert work_ahead(documents(2), wishes()) is None
    parity = read_wishes(FormData([("name", "x"), ("protocol", "parity"), ("judges", "Ana\nBen")]))
    assert work_ahead(documents(), parity) is None


def test_the_plan_of_an_adaptive_campaign_is_the_most_it_can_take() -> None:
    plan = planned(documents(), wishes(("design", "adaptive")))
    assert sum(page.judged for page in plan.pages) == 8 * 3 * 2


def test_the_page_offers_the_adaptive_design_beside_the_fixed_one(client: TestClient, store: Store) -> None:
    token = sign_in(client, store, "Olga", "organiser")
    lines = ["document,segment,source,system:good,system:bad"]
    lines += [f"d{d},{s},Hello {d}.,Hallo {d}.,Hi {s}." for d in range(6) for s in range(2)]
    place = client.post(
        "/new", data={"token": token, "from": "file"}, files={"texts": ("mine.csv", "\n".join(lines))}
    ).headers["location"]
    fields = {"token": token, "name": "x", "protocol": "esa", "judges": "Ana\nBen", "system": ["good", "bad"]}
    page = client.post(place, data={**fields, "design": "adaptive", "adaptive.goal": "rank", "do": "plan"}).text
    text = " ".join(re.sub("<[^>]+>", " ", page[page.index('id="ahead"') :]).split())
    assert "24 judgements" in text
    assert "It never takes more than the fixed one." in text
    assert "systems as far apart as there" in text
