"""What a campaign tells: on what an adaptive one has decided, the numbers of the command, and nothing for a fixed
design; on what to improve, as an organiser, a viewer and a judge meet the page."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import html
from starlette.testclient import TestClient

from adaptive_campaign import made, work
from diagnosed_campaigns import WEAK, judged_campaign
from lanner import campaign
from lanner.analysis.economy import PairStanding, economy
from lanner.cli import lanner as commands
from lanner.cli.disagreements import _outlook
from lanner.stats.goals import State
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import ServerSettings
from web_clients import another, open_campaign, sign_in


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory):
    with Store.open(tmp_path_factory.mktemp("results") / "lanner.sqlite") as store:
        made(store, documents=20)
        judged_campaign(store, "h_falcon", "skills")
        open_campaign(store, name="fixed", protocol="da")
        open_campaign(store, name="waiting")
        with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as opened:
            sign_in(opened, store)
            yield opened


def rows(page: str) -> list[list[str]]:
    tree = html.fromstring(page)
    return [[" ".join(cell.text_content().split()) for cell in row] for row in tree.xpath("//tbody/tr")]


def bracketed(low: float, high: float) -> str:
    return f"[{low:.2f}, {high:.2f}]".replace("-", "−")


def test_nothing_is_claimed_before_anything_is_judged(client: TestClient) -> None:
    page = client.get("/campaigns/study/decided").text
    assert "Not enough yet" in page
    assert "0 of 3 pairs of systems are settled" in page
    assert all(cell == "" for row in rows(page)[:3] for cell in row[2:]), "no difference, no interval, no chance"


def test_what_is_decided_is_shown_with_the_numbers_of_the_command(client: TestClient) -> None:
    store: Store = client.app.state.site.store
    work(store)
    now = economy(store, "study")
    page = client.get("/campaigns/study/decided").text
    assert now.enough and [str(pair.state) for pair in now.pairs] == ["decided", "decided", "undecidable"]
    assert "Enough, with 1 of 3 pairs not decided" in page, "not: the goal is reached"
    shown = {row[0]: row[1:] for row in rows(page)}
    for pair in now.pairs:
        row = shown[f"{pair.first} – {pair.second}"]
        assert row[1:4] == [pair.better, f"{pair.value:.2f}".replace("-", "−"), bracketed(pair.low, pair.high)]
    for system in now.systems:
        assert shown[system.system][0] == f"{system.value:.2f}"
    assert shown["alder – birch"][0] == "decided" and shown["alder – birch"][1] == "birch"
    arabic = rows(client.get("/campaigns/study/decided?language=ar").text)
    assert "\u2068alder\u2069 – \u2068birch\u2069" in [row[0] for row in arabic], "each name for itself"
    assert 'href="/campaigns/study/decided"' in client.get("/campaigns/study?language=en").text


@pytest.mark.parametrize(
    ("state", "better", "ends", "is_said"),
    [
        (State.DECIDED, "birch", (-1.0, 2.0), True),
        (State.DECIDED, "birch", (-2.0, -1.0), False),
        (State.DECIDED, "", (-1.0, 2.0), False),  # shown to be not much worse: 0 may be in it
        (State.OPEN, "", (-1.0, 2.0), False),
        (State.DECIDED, "birch", (None, None), False),
    ],
)
def test_a_decision_beside_an_interval_that_holds_0_is_explained(
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    state: State,
    better: str,
    ends: tuple[float | None, float | None],
    is_said: bool,
) -> None:
    """Documents judged after the look that decided it move the interval; page and command say so."""
    low, high = ends
    now = economy(client.app.state.site.store, "study")
    pair = PairStanding("alder", "birch", state, better, 0.5, low, high, None, None)
    now = replace(now, pairs=(pair, *now.pairs[1:]))
    monkeypatch.setattr("lanner.web.organising.results_view.economy", lambda *_: now)
    page = client.get("/campaigns/study/decided").text
    assert ("the interval of all that is judged by now holds 0" in rows(page)[0][1]) is is_said
    assert any("holds 0" in line for line in _outlook(now, datetime.now(UTC))) is is_said


def test_a_fixed_design_has_no_such_page(client: TestClient) -> None:
    assert client.get("/campaigns/fixed/decided").status_code == 404
    assert "/campaigns/fixed/decided" not in client.get("/campaigns/fixed").text


def test_the_place_of_the_store_is_not_told(client: TestClient) -> None:
    place = str(Path(client.app.state.site.store.place).parent)
    assert place not in client.get("/campaigns/study/decided").text


def test_numbers_are_not_mirrored_where_text_runs_from_the_right(client: TestClient) -> None:
    """Without marks, −21 reads 21− there and an interval's ends change places."""
    client.cookies.set("lanner_language", "ar")
    page = client.get("/campaigns/study/decided").text
    client.cookies.delete("lanner_language")
    cells = [cell for row in rows(page) for cell in row[1:] if cell.startswith(("\u2068−", "\u2068[", "−", "["))]
    assert cells
    assert all(cell.startswith("\u2068") and cell.endswith("\u2069") for cell in cells)


def test_a_pair_left_open_is_told_by_page_command_log_report_and_export(
    tmp_path: Path,
) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        made(store, documents=24)
        work(store, most=24)
        with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as client:
            token = sign_in(client, store)
            now = economy(store, "study")
            assert [str(pair.state) for pair in now.pairs] == ["decided", "decided", "open"]
            tree = html.fromstring(client.get("/campaigns/study/decided").text)
            (option,) = tree.xpath("//select[@name='pair']/option[@value != '']")
            expected, *_ = now.judgements_left
            assert option.text_content().startswith(f"birch – cedar: about {expected:,.0f} judgements")
            fields = {"token": token, "pair": option.get("value")}
            left = client.post("/campaigns/study/decided", data=fields)
            assert (left.status_code, left.headers["location"]) == (303, "/campaigns/study/decided")
            assert client.post("/campaigns/study/decided", data=fields).status_code == 409, "it is not open any more"

            page = client.get("/campaigns/study/decided").text
            assert "Enough, with 1 of 3 pairs not decided" in page
            assert {row[0]: row[1] for row in rows(page)}["birch – cedar"] == "left open"
            assert not html.fromstring(page).xpath("//select[@name='pair']")
            log = html.fromstring(client.get("/campaigns/study").text).text_content()
            assert "birch – cedar left open" in log
            sentence = "birch and cedar were left open by the organisers"
            assert sentence in client.get("/campaigns/study/report").text
            with zipfile.ZipFile(io.BytesIO(client.get("/campaigns/study/export/csv").content)) as packed:
                (codebook,) = [name for name in packed.namelist() if name.endswith(".codebook.csv")]
                notes = list(csv.DictReader(io.StringIO(packed.read(codebook).decode())))
            left, drawn = [note["meaning"] for note in notes if note["kind"] == "note"]
            assert left.startswith(sentence) and "of 24 documents were drawn" in drawn
            sign_in(client, store, "Vera", "viewer")
            assert not html.fromstring(client.get("/campaigns/study/decided").text).xpath("//form[.//select]")
        assert all(campaign.next_task(store, "study", judge) is None for judge in ("ana", "bo", "cy"))
        after = economy(store, "study")
        assert [pair.better for pair in after.pairs] == [pair.better for pair in now.pairs], "what is decided stays"
    line = ["campaign", "decided", "study", "--store", str(tmp_path / "lanner.sqlite"), "--json"]
    printed = json.loads(CliRunner().invoke(commands, line).stdout)["rows"]
    assert {row["pair"]: row["code"] for row in printed if row["kind"] == "pair"}["birch – cedar"] == "left"


def test_the_page_advises_draws_and_quotes(client: TestClient) -> None:
    page = client.get("/campaigns/skills/diagnosis").text
    assert "Improve <b>relational address in social</b>." in page
    assert page.count("<svg") == 1
    assert "birch says" in page
    assert "&lt;b&gt;." in page and "<b>." not in page, "texts are escaped"
    assert 'download="diagnosis-cells.csv"' in page and 'download="diagnosis-cells.tex"' in page
    assert "/campaigns/skills/disagreements?at=" in page


def test_another_cell_is_a_link_away(client: TestClient) -> None:
    page = client.get(f"/campaigns/skills/diagnosis?question=skills&cell=alder/{WEAK}/news").text
    assert f'value="alder/{WEAK}/news" selected' in page
    assert "There is no cell" in client.get("/campaigns/skills/diagnosis?cell=nothing").text


def test_the_campaign_leads_there_where_its_protocol_tells_skills_or_errors_apart(client: TestClient) -> None:
    assert "/campaigns/skills/diagnosis" in client.get("/campaigns/skills").text
    assert "/campaigns/fixed/diagnosis" not in client.get("/campaigns/fixed").text


def test_where_nothing_can_be_diagnosed_the_page_says_what_would_help(client: TestClient) -> None:
    fixed = client.get("/campaigns/fixed/diagnosis")
    assert fixed.status_code == 200
    assert "asks nothing about single skills" in fixed.text and "H-FALCON, FALCON, MQM or ESA" in fixed.text
    waiting = client.get("/campaigns/waiting/diagnosis")
    assert waiting.status_code == 200
    assert "Nobody has answered" in waiting.text and "FALCON, MQM or ESA" not in waiting.text
    german = client.get("/campaigns/fixed/diagnosis", headers={"accept-language": "de"}).text
    assert "fragt nicht nach einzelnen Fertigkeiten" in german and "asks nothing" not in german


def test_others_do_not_see_it(client: TestClient) -> None:
    stranger = another(client)
    assert stranger.get("/campaigns/skills/diagnosis").status_code in (303, 401)
    sign_in(stranger, client.app.state.site.store, "Bea", "viewer")
    assert stranger.get("/campaigns/skills/diagnosis").status_code == 404, "not one of this viewer's campaigns"
