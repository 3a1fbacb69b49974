from __future__ import annotations

from pathlib import Path

from cli.command import Command
from lanner import campaign
from lanner.store import Store


def outputs(folder: Path, store: Store, pilot: str) -> Path:
    document = campaign.documents(store, pilot)[0]
    path = folder / "outputs.jsonl"
    path.write_text(f'{{"document": "{document.id}", "segment": "{document.segments[0].id}", "holistic": 4}}\n')
    return path


def test_a_file_is_looked_at_and_then_taken_in(lanner: Command, pilot: str, tmp_path: Path) -> None:
    with Store.open("lanner.sqlite", create=False) as store:
        if campaign.get(store, pilot).state == "draft":
            campaign.open(store, pilot)
        path = outputs(tmp_path, store, pilot)
        before = len(campaign.judgements(store, pilot))
        looked = lanner("campaign", "import", pilot, str(path), "--model", "m", "--look", "--json")
        assert looked.envelope["rows"] == [{"judge": "m", "answers": 1, "new": True}]
        assert len(campaign.judgements(store, pilot)) == before
        assert lanner("campaign", "import", pilot, str(path), "--model", "m").code == 0
        assert len(campaign.judgements(store, pilot)) == before + 1
    again = lanner("campaign", "import", pilot, str(path), "--model", "m")
    assert "before" in again.out


def test_what_is_wrong_is_named_with_its_line(lanner: Command, pilot: str, tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"segment": "nowhere", "holistic": 4}\n')
    ran = lanner("campaign", "import", pilot, str(path), "--model", "m")
    assert ran.code == 2
    assert "outputs.jsonl:1" in ran.err
