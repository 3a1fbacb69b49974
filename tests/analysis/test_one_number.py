"""One number under one name: the demonstration campaign asked on every road, and from its raw rows with pandas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from analysis.plain_oracle import alpha, grid_alpha, raw
from lanner import campaign
from lanner.analysis import agreements, counted
from lanner.analysis.material import from_campaign
from lanner.cli import demo
from lanner.cli import lanner as program
from lanner.model import Grid
from lanner.monitor.live import LiveCampaigns
from lanner.reports.build import build
from lanner.reports.parts import Report, Table
from lanner.reports.sections.agreement import section
from lanner.reports.view import View
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.jobs import Jobs
from lanner.web.site import ServerSettings

NAME = "demo-h-falcon"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "lanner.sqlite"
    with Store.open(path) as store:
        demo._campaign(store, NAME, *demo.CAMPAIGNS[NAME], demo._documents(), you=True)
    return path


@pytest.fixture(scope="module")
def store(place: Path) -> Iterator[Store]:
    with Store.open(place) as opened:
        yield opened


@pytest.fixture(scope="module")
def live(store: Store) -> LiveCampaigns:
    """The live page, which keeps what it has computed as long as nothing changes."""
    return LiveCampaigns(store)


@pytest.fixture(scope="module")
def oracle(store: Store) -> dict[str, float]:
    """From the rows as they were saved."""
    rows = raw(campaign.judgements(store, NAME))
    protocol = campaign.protocol(store, NAME)
    grid = protocol.find("skills")[1]  # type: ignore[index]
    assert isinstance(grid, Grid)
    main_rows = rows[rows["role"] == "main"]
    mean, _ = grid_alpha(main_rows[main_rows["question"] == "skills"], [option.id for option in grid.options])
    return {
        "skills": mean,
        "sentence": alpha(_of(main_rows, "sentence"), "ordinal"),
        "holistic": alpha(_of(main_rows, "holistic"), "interval"),
    }


@pytest.fixture(scope="module")
def report(store: Store) -> Report:
    """The report of the whole campaign, made once: nothing but the last test changes the campaign."""
    return build(from_campaign(store, NAME))


def _of(rows: pd.DataFrame, question: str) -> pd.DataFrame:
    return rows[rows["question"] == question]


def test_the_library(store: Store, oracle: dict[str, float]) -> None:
    material = from_campaign(store, NAME)
    found = agreements(counted(material.table), material.protocol)  # type: ignore[arg-type]
    assert {entry.plan.id: entry.headline.value for entry in found} == pytest.approx(oracle, abs=1e-12)


def test_the_command_line(place: Path, oracle: dict[str, float]) -> None:
    ran = CliRunner().invoke(program, ["agreement", NAME, "--store", str(place), "--json"])
    assert ran.exit_code == 0, ran.output
    rows = json.loads(ran.stdout)["rows"]
    headlines = {row["question"]: row["value"] for row in rows if row["headline"]}
    assert headlines == pytest.approx(oracle, abs=1e-12)


def test_the_report(report: Report, oracle: dict[str, float]) -> None:
    table = next(table for table in report.tables if table.id == "agreement")
    assert {row["question"]: row["value"] for row in table.data} == pytest.approx(oracle, abs=1e-12)
    drawn = next(figure for figure in report.figures if figure.id == "questions")
    assert {row["question"]: row["value"] for row in drawn.data} == pytest.approx(oracle, abs=1e-12)


def test_the_live_page(store: Store, live: LiveCampaigns, oracle: dict[str, float]) -> None:
    measures = live.snapshot(campaign.get(store, NAME).id).measures
    assert {m.question: m.value for m in measures if not m.row} == pytest.approx(oracle, abs=1e-12)


def test_intervals_and_pairs_of_the_live_page_are_those_of_the_report(
    store: Store, live: LiveCampaigns, report: Report
) -> None:
    tables = {table.id: table for table in report.tables}
    printed = {row["question"]: (row["low"], row["high"]) for row in tables["agreement"].data}
    number = campaign.get(store, NAME).id
    for question in ("sentence", "skills"):
        snapshot = live.snapshot(number, question)
        intervals = {m.question: (m.low, m.high) for m in snapshot.measures if not m.row}
        assert intervals == {name: pytest.approx(interval) for name, interval in printed.items()}
        assert snapshot.divergence is not None
        pairs = tables[f"agreement-{question}"].data
        assert len(pairs) == len(snapshot.divergence.pairs) > 0
        for row in pairs:
            cell = snapshot.divergence.pairs[row["judge"], row["other"]]
            assert (cell.value, cell.low, cell.high) == pytest.approx((row["value"], row["low"], row["high"]))


def test_the_api(store: Store, oracle: dict[str, float]) -> None:
    rows = Jobs(store).agreement(campaign.get(store, NAME).id)
    assert {row["question"]: row["value"] for row in rows} == pytest.approx(oracle, abs=1e-12)
    with TestClient(create_app(store, settings=ServerSettings(processes=False))) as client:
        assert client.get(f"/api/v1/campaigns/{NAME}/agreement").status_code == 401, "nobody without a token"


def test_everything_names_the_same_selection(store: Store, report: Report) -> None:
    number = campaign.get(store, NAME).id
    selection = "rows main items by people"
    assert all(selection in row["signature"] for row in Jobs(store).agreement(number))
    signatures = [part.signature for part in (*report.tables, *report.figures) if "alpha" in part.signature]
    assert signatures and all(selection in signature for signature in signatures)


def test_a_campaign_that_changes_changes_everywhere(store: Store, live: LiveCampaigns, place: Path) -> None:
    """Leaving a judge out and settling a disagreement move all roads together, or none."""
    number = campaign.get(store, NAME).id
    before = {row["question"]: row["value"] for row in Jobs(store).agreement(number)}
    judge = campaign.judgements(store, NAME)[0].judge
    campaign.leave_out(store, NAME, judge, "too fast")
    try:
        rows = raw(campaign.judgements(store, NAME))
        kept = rows[(rows["role"] == "main") & (rows["judge"] != judge)]
        expected = alpha(_of(kept, "holistic"), "interval")
        after = {row["question"]: row["value"] for row in Jobs(store).agreement(number)}
        assert after["holistic"] == pytest.approx(expected) and after["holistic"] != before["holistic"]
        made = section(View(from_campaign(store, NAME), campaign.protocol(store, NAME)))
        assert made is not None
        table = next(block for block in made.blocks if isinstance(block, Table))
        assert table.id == "agreement"
        assert {row["question"]: row["value"] for row in table.data} == pytest.approx(after)
        measures = live.snapshot(number).measures
        assert {m.question: m.value for m in measures if not m.row} == pytest.approx(after)
        for asked in (["associate", NAME, "-q", "holistic"], ["regress", NAME, "--outcome", "holistic"]):
            more = ["--blocks", "sentence"] if asked[0] == "regress" else ["--resamples", "100"]
            ran = CliRunner().invoke(program, [*asked, *more, "--store", str(place), "--json"])
            assert ran.exit_code == 0 and judge not in ran.stdout.replace(f"{judge} is left out", "")
    finally:
        campaign.count_again(store, NAME, judge)
    assert {row["question"]: row["value"] for row in Jobs(store).agreement(number)} == before
