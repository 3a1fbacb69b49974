"""The plan page says how long a campaign would go on, fixed and adaptive."""

from __future__ import annotations

import re

import pytest
from starlette.datastructures import FormData
from starlette.testclient import TestClient

from lanner import designs
from lanner.errors import DesignError
from lanner.model import Document, Segment
from lanner.store import Store
from lanner.web.drafting.options import design_sizes, plan_campaign, read_wishes
from lanner.web.drafting.work_ahead import prospects, work_ahead
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
    last = ahead.course[-1]
    assert (last.judgements, last.hours) == (ahead.fixed_judgements, pytest.approx(ahead.fixed_hours))
    assert (last.settled, last.ended) == (ahead.adaptive_decided, 1.0)
    assert ahead.course[0].fixed is not None and last.fixed is not None and last.fixed < ahead.course[0].fixed / 2
    by_metric = work_ahead(documents(reference=True), wishes(("design", "adaptive")))
    assert by_metric is not None and by_metric.metric == "chrF"


def test_everyone_judging_everything_is_as_many_judges_each() -> None:
    ahead = work_ahead(documents(), wishes(("design", "full")))
    assert ahead is not None and ahead.fixed_judgements == 8 * 3 * 2 * 2
    assert ahead.judges == 2, "which choosing the adaptive way does not set: the page says so"


@pytest.mark.parametrize("design", ["adaptive", "batches", "full", "latin_square", "random"])
def test_an_adaptive_campaign_takes_what_its_own_plan_says_at_most(design: str) -> None:
    """The fixed one with documents judged twice takes more; both have the judges of each document that its design has
    by itself."""
    texts = documents(8)
    ahead = work_ahead(texts, wishes(("design", design)))
    assert ahead is not None
    most = plan_campaign(texts, wishes(("design", "adaptive"), ("adaptive.judges_per_document", str(ahead.judges))))
    assert ahead.adaptive_judgements <= most.main_items <= ahead.fixed_judgements
    assert ahead.judges == (2 if design in ("batches", "full") else 1)
    assert ahead.share == pytest.approx(ahead.adaptive_judgements / ahead.fixed_judgements, abs=0.01)


def test_after_calibration_the_page_counts_what_the_plan_counts() -> None:
    chosen = wishes(("design", "random"), ("random.overlap", "0.5"), ("calibration", "2"), ("hourly_rate", "20"))
    plan, ahead = plan_campaign(documents(), chosen), work_ahead(documents(), chosen)
    assert ahead is not None
    calibration, rest = plan.rounds
    assert (calibration.items, rest.items) == (2 * 3 * 2 * 2, ahead.fixed_judgements), "both systems, both judges"
    assert calibration.items + rest.items == sum(page.judged for page in plan.pages)
    assert calibration.hours + rest.hours == pytest.approx(plan.hours)
    assert calibration.cost is not None and rest.cost is not None and plan.cost is not None
    assert calibration.cost + rest.cost == pytest.approx(plan.cost)
    assert rest.hours == pytest.approx(ahead.fixed_hours)
    assert plan_campaign(documents(), wishes()).rounds == ()


def test_what_a_plan_can_tell_is_what_the_power_of_such_studies_is() -> None:
    few = prospects(documents(5), wishes(("calibration", "2")))
    assert few is not None and few.documents == 3
    assert few.detectable is None and {share for _, share in few.chances} == {0.0}, "no p below .05 with 3 documents"
    more = prospects(documents(24), wishes())
    assert more is not None and more.detectable is not None
    assert [difference for difference, _ in more.chances] == [5.0, 10.0, 15.0]
    shares = [share for _, share in more.chances]
    assert shares == sorted(shares) and shares[0] < shares[-1]
    assert more.with_more_documents is not None and more.with_more_documents < more.detectable
    assert prospects(documents(24), read_wishes(FormData([("name", "x"), ("protocol", "parity")]))) is None


def test_every_design_says_how_much_it_takes_or_why_it_cannot_be_used() -> None:
    sizes = design_sizes(documents(), wishes(("design", "full")))
    assert sizes["full"] == 8 * 3 * 2 * 2 and sizes["pool"] == 8 * 3 * 2
    assert "compares no outputs" in str(sizes["pairs"])
    assert set(sizes) == set(designs.titles())


def test_nothing_is_claimed_where_nothing_is_known() -> None:
    assert work_ahead(documents(2), wishes()) is None
    parity = read_wishes(FormData([("name", "x"), ("protocol", "parity"), ("judges", "Ana\nBen")]))
    assert work_ahead(documents(), parity) is None


def test_the_plan_of_an_adaptive_campaign_is_the_most_it_can_take() -> None:
    plan = plan_campaign(documents(), wishes(("design", "adaptive")))
    assert sum(page.judged for page in plan.pages) == 8 * 3 * 2
    with pytest.raises(DesignError, match="there are 2 judges"):  # before tasks for a million judges are made
        plan_campaign(documents(), wishes(("design", "adaptive"), ("adaptive.judges_per_document", "1000000000")))


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
    assert "points apart, and its 95 % interval along the judgements" in text
    figures = re.findall(r'<svg[^>]*aria-label="(?:Fixed|Adaptive)\. [^":]*: ([^"]+)"', page)
    table = page[page.index("The curves in numbers") :]
    shown = [
        re.findall(r'<td class="n">(.*?)</td>', row) for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    ]
    shown = [[re.sub("<[^>]+>", "", cell) for cell in row] for row in shown if len(row) == 6]
    assert len(figures) == 2
    for column, spoken in zip((2, 3), figures, strict=True):
        points = [f"{row[0]}: {row[column]}" for row in shown if row[column] != "–"]
        assert ", ".join(points) == spoken, "the figure and its table have the same points"
    assert 'type="radio" name="design" value="adaptive" checked' in page
    assert "A difference of" in page and "would be seen four times in five" in page
    korean = client.post(f"{place}?language=ko", data={**fields, "design": "random", "do": "plan"}).text
    assert "작업량" in korean and "Work is uneven" not in korean
