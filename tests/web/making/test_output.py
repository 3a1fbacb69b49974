from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

from lanner import campaign, formats
from lanner.store import Store
from lanner.web.making import output
from lanner.web.organiser import offered
from visiting import complete, open_campaign


def test_every_format_offered_can_be_written() -> None:
    assert set(offered.FORMATS) - {*offered.TABLES, "appraise"} <= set(formats.titles(writable=True))


def test_a_copy_holds_the_whole_history(store: Store, tmp_path: Path) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    for value in (1, 2, 3):
        campaign.submit(store, task, 0, {"holistic": value}, submission=f"value-{value}")
    kept = output.keep(store, 1, str(tmp_path / "deep" / "copy.jsonl"))
    (reading,) = formats.read(kept, "native")
    assert [judgement.value for judgement in reading.judgements] == [1, 2, 3]


def test_an_export_is_a_zip_with_its_codebook(store: Store, tmp_path: Path) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, complete(), submission="one")
    for name in ("native", "csv", "mtme"):
        folder = tmp_path / name
        folder.mkdir()
        path = output.export(store, 1, name, offered.FORMATS[name][1], str(folder))
        assert any(inner.endswith("codebook.csv") for inner in ZipFile(path).namelist())


def test_the_report_is_one_page(store: Store) -> None:
    open_campaign(store)
    for judge in ("J1", "J2"):
        task = campaign.tasks(store, "trial", judge)[0].id
        campaign.submit(store, task, 0, complete(), submission=judge)
    assert output.report(store, 1).lower().startswith("<!doctype html>")
