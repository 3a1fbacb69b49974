"""One number under one name: the demonstration campaign asked on every road, and from its raw rows with pandas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from analysis.plain_oracle import alpha, grid_alpha, raw
from lanner import campaign
from lanner.analysis import agreements, counted
from lanner.analysis.material import from_campaign
from lanner.analysis.planning import aim_of
from lanner.cli import demo
from lanner.cli import lanner as program
from lanner.errors import LannerError
from lanner.model import Grid, Judge, JudgeKind
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


def test_a_plan_of_agreement(place: Path, store: Store, oracle: dict[str, float]) -> None:
    material = from_campaign(store, NAME)
    measure = aim_of(material, material.counted("scores").table, "skills").measure
    assert measure is not None, "a grid is no score"
    planned = measure.statistic.plan(material.counted().table, measure.question, **measure.options)
    assert planned.value()[0] == pytest.approx(oracle["skills"], abs=1e-12)
    asked = ["plan", NAME, "-q", "skills", "--other-judges", "--store", str(place)]
    refused = CliRunner().invoke(program, asked).exception
    assert isinstance(refused, LannerError), "of other judges it would say nothing"


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


# Judges who do not count: one who is left out, and a model; one whose answers were imported counts as people do.

LEFT_OUT, JOINED = "simulated3", "joined"


@pytest.fixture(scope="module")
def joined(place: Path, store: Store) -> pd.DataFrame:
    """The rows that count: the same campaign with a model, a person from a file, and a judge who is left out."""
    demo._campaign(store, JOINED, *demo.CAMPAIGNS[NAME], demo._documents())
    answers = [entry for entry in campaign.judgements(store, JOINED) if entry.judge == "simulated2"]
    for judge, kind, step in (("machine", JudgeKind.MODEL, 3), ("ana", JudgeKind.PERSON, 2)):
        scores = [
            replace(entry, judge=judge, value=1 + (entry.value + place % step) % 10 if step == 3 else entry.value)
            for place, entry in enumerate(answers)
            if entry.question == "holistic"
        ]
        others = [replace(entry, judge=judge) for entry in answers if entry.question != "holistic"]
        campaign.import_judgements(store, JOINED, [*scores, *others], judges=[Judge(judge, kind)])
    campaign.leave_out(store, JOINED, LEFT_OUT, "careless.")
    rows = raw(campaign.judgements(store, JOINED))
    return rows[(rows["role"] == "main") & ~rows["judge"].isin([LEFT_OUT, "machine"])]


def _by(rows: list[dict[str, Any]], of: str, key: str, **about: object) -> dict[str, float]:
    kept = [row for row in rows if all(row.get(name) == value for name, value in about.items())]
    return {row[of]: row[key] for row in kept}


def _means(rows: pd.DataFrame) -> dict[str, float]:
    return rows.groupby("systems")["value"].apply(lambda values: values.astype(float).mean()).to_dict()


def _relevant(rows: pd.DataFrame) -> dict[str, int]:
    told = _of(rows, "skills").groupby("systems")["value"]
    return told.apply(lambda cells: sum(cell["terminology_control"] != "not_relevant" for cell in cells)).to_dict()


ROADS: Mapping[str, tuple[Callable[[list[dict[str, Any]]], object], Callable[[pd.DataFrame], object]]] = {
    "agreement -q holistic": (
        lambda rows: _by(rows, "question", "value", headline=True, group="people"),
        lambda counted: {"holistic": alpha(_of(counted, "holistic"), "interval")},
    ),
    "scores -q holistic": (
        lambda rows: _by(rows, "system", "score"),
        lambda counted: _means(_of(counted, "holistic")),
    ),
    "facets -q holistic": (
        lambda rows: _by(rows, "judge", "n", kind="judge"),
        lambda counted: _of(counted, "holistic")["judge"].value_counts().to_dict(),
    ),
    "effort --by judge": (
        lambda rows: _by(rows, "judge", "hours", domain="all"),
        lambda counted: (
            counted.drop_duplicates([*("judge", "document", "segment", "systems")]).groupby("judge")["seconds"].sum()
            / 3600
        ).to_dict(),
    ),
    "diagnose": (
        lambda rows: _by(rows, "system", "n", aspect="terminology_control", domain="all"),
        _relevant,
    ),
    "associate --x holistic --y sentence": (
        lambda rows: rows[0]["n"],
        lambda counted: len(_of(counted, "holistic")),
    ),
    "regress --outcome holistic --blocks sentence --by -": (
        lambda rows: rows[0]["n"],
        lambda counted: len(_of(counted, "holistic")),
    ),
    "plan -q holistic --set studies=20": (
        lambda rows: next(row["judgements"] for row in rows if row["kind"] == "design"),
        lambda counted: len(_of(counted, "holistic")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", ROADS)
def test_whoever_does_not_count_is_named_alike(place: Path, joined: pd.DataFrame, command: str) -> None:
    name, *more = command.split()
    ran = CliRunner().invoke(program, [name, JOINED, *more, "--store", str(place), "--json"])
    assert ran.exit_code == 0, ran.output
    envelope = json.loads(ran.stdout)
    found, expected = ROADS[command]
    assert found(envelope["rows"]) == pytest.approx(expected(joined), abs=1e-9)
    assert f"{JOINED}: {LEFT_OUT} is left out: careless." in envelope["notes"]
    others = "Answers by people alone count; answers of other judges do not. Name them with --judges."
    assert (others in envelope["notes"]) == (name != "agreement"), "agreement looks at models by themselves"


@pytest.mark.parametrize("command", ["metaeval -q holistic", "replace -q holistic"])
def test_comparisons_with_models_name_who_is_left_out(place: Path, joined: pd.DataFrame, command: str) -> None:
    name, *more = command.split()
    arguments = [name, *(["machine"] if name == "replace" else []), JOINED, *more, "--store", str(place), "--json"]
    ran = CliRunner().invoke(program, arguments)
    assert ran.exit_code == 0, ran.output
    envelope = json.loads(ran.stdout)
    assert f"{JOINED}: {LEFT_OUT} is left out: careless." in envelope["notes"]
    people = joined["judge"].nunique()
    if name == "metaeval":
        assert f"Gold is the mean of {people} people for holistic." in envelope["notes"]
    else:
        assert {row["person"] for row in envelope["rows"] if row["kind"] == "person"} == set(joined["judge"])


@pytest.mark.parametrize("name", ["scores", "effort", "agreement", "facets", "diagnose", "plan"])
def test_nothing_is_computed_of_those_who_are_left_out(place: Path, joined: pd.DataFrame, name: str) -> None:
    assert LEFT_OUT not in set(joined["judge"])
    ran = CliRunner().invoke(program, [name, JOINED, "--judges", LEFT_OUT, "--store", str(place)])
    assert ran.exit_code == 1
    assert f"{JOINED} has no answers that count: {LEFT_OUT} is left out: careless." in str(ran.exception)


def test_named_judges_of_two_kinds_all_count(place: Path, joined: pd.DataFrame) -> None:
    assert "machine" not in set(joined["judge"])
    found = {}
    for name in ("effort", "facets", "diagnose"):
        asked = [name, JOINED, "--judges", "ana,machine", "--store", str(place), "--json"]
        ran = CliRunner().invoke(program, [*asked, *(["-q", "holistic"] if name == "facets" else [])])
        assert ran.exit_code == 0, ran.output
        found[name] = json.loads(ran.stdout)
        assert not any("alone count" in note for note in found[name]["notes"])
    assert {row["judge"] for row in found["effort"]["rows"]} == {"ana", "machine"}
    assert _by(found["facets"]["rows"], "judge", "n", kind="judge") == {"ana": 330, "machine": 330}
    sizes = {row["judgements"] for row in found["diagnose"]["rows"] if row["domain"] == "all"}
    assert sizes == set(2 * _of(joined, "skills").query("judge == 'ana'")["systems"].value_counts())
