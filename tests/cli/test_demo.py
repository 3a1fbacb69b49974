from __future__ import annotations

import stat
import threading
import webbrowser
from html import unescape
from pathlib import Path

import pytest

from campaign_parts import opened
from cli.command import Command
from lanner import campaign
from lanner.cli import demo
from lanner.cli.demo import Guide, TourLinks, activation, arrive, has_window, write_page
from lanner.judges.simulated import Temper
from lanner.reports.build import Report, build
from lanner.stats.resample import Resampling
from lanner.store import Store

FEW = Resampling(n=50)


def test_links_and_a_report_and_answers_through_the_same_door(
    lanner: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[Report] = []
    documents = demo._documents()[:4]  # show what ten do
    monkeypatch.setattr(demo, "_documents", lambda: documents)
    monkeypatch.setattr(demo, "build", lambda material: reports.append(build(material, resampling=FEW)) or reports[-1])
    ran = lanner("demo", "--no-serve")
    assert ran.code == 0
    assert ran.out.count("/j/") == 2
    assert "/enter/" in ran.out
    assert "Watch judgements arrive" in (tmp_path / "lanner-demo" / "start.html").read_text(encoding="utf-8")
    report = (tmp_path / "lanner-demo" / "report" / "report.html").read_text(encoding="utf-8")
    assert "simulated" in report
    store = tmp_path / "lanner-demo" / "lanner.sqlite"
    with Store.open(store) as opened_store:
        answers = list(campaign.history(opened_store, demo.LIVE))
    assert answers and all(answer.received_at < campaign.now() for answer in answers)
    rows = lanner(
        "agreement", "demo-h-falcon", "--store", store, "-q", "holistic", "--resamples", 50, "--json"
    ).envelope["rows"]
    together = next(row for row in rows if row["statistic"] == "alpha" and not row.get("judge"))
    assert 0.3 < together["value"] < 1
    assert together["n"] == 3 * sum(len(document.segments) for document in documents)
    monkeypatch.setattr(demo, "build", lambda _material: reports[0])  # of the same answers
    again = lanner("demo", "--no-serve")  # a second time finds the campaigns as they were left
    assert again.code == 0
    rows_again = lanner(
        "agreement", "demo-h-falcon", "--store", store, "-q", "holistic", "--resamples", 50, "--json"
    ).envelope["rows"]
    assert rows_again == rows


def test_the_start_page_leads_everywhere_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    stops = TourLinks(*(f"http://127.0.0.1:1/{name}?a=1&b=2" for name in TourLinks.__slots__))
    page = write_page(tmp_path, stops)
    text = unescape(page.read_text(encoding="utf-8"))
    for name in TourLinks.__slots__:
        assert f'href="{getattr(stops, name)}"' in text
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "lanner new pilot" in text
    assert "<script" not in text


def test_the_start_page_says_how_the_shell_finds_lanner_where_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / ".venv" / "bin" / "activate"
    script.parent.mkdir(parents=True)
    script.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    monkeypatch.setenv("PATH", "")
    assert activation() == ". .venv/bin/activate"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert activation() == f". {script}"
    script.with_name("lanner").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(script.parent))
    assert activation() == ""


@pytest.fixture
def running(tmp_path: Path) -> Store:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        yield store


def _judges(store: Store) -> dict[str, Temper]:
    (found,) = campaign.campaigns(store)
    return {judge.name: Temper() for judge in campaign.progress(store, found.id).judges}


def test_answers_arrive_document_by_document_until_all_is_done(running: Store) -> None:
    (found,) = campaign.campaigns(running)
    tempers = _judges(running)
    tasks = sum(len(campaign.tasks(running, found.name, judge)) for judge in tempers)
    assert arrive(running, found.name, tempers, {}, threading.Event(), pause=0) == tasks
    whole = campaign.progress(running, found.id).whole
    assert whole.done == whole.items
    assert arrive(running, found.name, tempers, {}, threading.Event(), pause=0) == 0


def test_nothing_arrives_after_the_end(running: Store) -> None:
    (found,) = campaign.campaigns(running)
    ended = threading.Event()
    ended.set()
    assert arrive(running, found.name, _judges(running), {}, ended) == 0


def test_the_guide_opens_the_page_and_answers_arrive(running: Store, tmp_path: Path, monkeypatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    monkeypatch.setattr(demo, "PAUSE", 0)
    (found,) = campaign.campaigns(running)
    arriving = {"store": running, "name": found.name, "tempers": _judges(running), "qualities": {}, "pause": 0}
    guide = Guide(tmp_path / "start.html", arriving)
    guide.start()
    guide.join(60)
    assert not guide.is_alive()
    assert shown == [(tmp_path / "start.html").as_uri()]
    assert campaign.progress(running, found.id).whole.done


def test_a_browser_in_the_terminal_is_left_closed(monkeypatch) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    assert not has_window()
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.BackgroundBrowser("firefox"))
    assert has_window()
