from __future__ import annotations

import io
from pathlib import Path
from zipfile import ZipFile

from lanner import campaign, formats
from lanner.errors import CampaignError
from lanner.store import Store
from lanner.web import jobs
from lanner.web.organising import files
from lanner.web.worker import pack
from web_clients import complete, open_campaign


def test_the_other_end_answers_until_nobody_asks(store: Store) -> None:
    open_campaign(store)
    asked = io.BytesIO(pack(store.address) + pack(("en", "snapshot", 1, "")) + pack(("en", "snapshot", 7, "")))
    told = io.BytesIO()
    jobs.run(asked, told)
    told.seek(0)
    assert jobs.read(told).people == ("J1", "J2")
    assert isinstance(jobs.read(told), CampaignError)
    assert jobs.read(told) is None


def test_an_unforeseen_error_is_told_and_does_not_end_it(store: Store) -> None:
    class Broken:
        def __init__(self, store: Store) -> None:
            pass

        def snapshot(self, campaign: int, question: str) -> None:
            raise ZeroDivisionError

    asked = io.BytesIO(pack(store.address) + pack(("en", "snapshot", 1, "")) * 2)
    told = io.BytesIO()
    jobs.run(asked, told, Broken)  # type: ignore[arg-type]
    told.seek(0)
    assert [type(jobs.read(told)) for _ in range(2)] == [RuntimeError, RuntimeError]


def test_a_result_that_cannot_go_over_a_pipe_is_an_error_and_does_not_end_it(store: Store) -> None:
    class Careless:
        def __init__(self, store: Store) -> None:
            pass

        def snapshot(self, campaign: int, question: str) -> object:
            return lambda: question

    requests = io.BytesIO(pack(store.address) + pack(("en", "snapshot", 1, "")) * 2)
    results = io.BytesIO()
    jobs.run(requests, results, Careless)  # type: ignore[arg-type]
    results.seek(0)
    assert [type(jobs.read(results)) for _ in range(2)] == [RuntimeError, RuntimeError]


def test_every_format_offered_can_be_written() -> None:
    assert set(files.FORMATS) - {*files.TABLES, "appraise"} <= set(formats.titles(writable=True))


def test_an_export_is_a_zip_with_its_codebook(store: Store, tmp_path: Path) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, complete(), submission="one")
    for name in ("native", "csv", "mtme"):
        folder = tmp_path / name
        folder.mkdir()
        path = jobs.Jobs(store).export(1, name, files.FORMATS[name][1], str(folder))
        assert any(inner.endswith("codebook.csv") for inner in ZipFile(path).namelist())


def test_the_report_is_one_page(store: Store) -> None:
    open_campaign(store)
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        campaign.submit(store, task, 0, complete(), submission=judge)
    assert jobs.Jobs(store).report(1).lower().startswith("<!doctype html>")
