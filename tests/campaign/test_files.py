from __future__ import annotations

from pathlib import Path

import pytest

from lanner import campaign, formats
from lanner.campaign.files import import_file, inspect_file, write_copy
from lanner.errors import InputError
from lanner.judges.replay import inspect_outputs, replay
from lanner.store import Store
from web_clients import complete, open_campaign


@pytest.fixture
def number(store: Store) -> int:
    open_campaign(store)
    return campaign.get(store, "trial").id


def test_looking_counts_and_stores_nothing_then_all_is_taken_in(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"document": "doc0", "segment": "0", "holistic": 4, "sentence": 2}\n')
    found = inspect_outputs(store, number, path, "m")
    assert (found.answers, found.judges) == (2, (("m", 2, False),))
    assert dict(found.questions) == {"holistic": 1, "sentence": 1}
    assert not campaign.judgements(store, number)
    assert replay(store, number, path, "m").judgements == 2
    assert inspect_outputs(store, number, path, "m").judges == (("m", 2, True),)


def test_texts_alone_are_no_answers(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("document,segment,source,system:a\nd,1,Hello,Hallo\n")
    with pytest.raises(InputError, match="no judgements"):
        inspect_file(store, number, path)


def test_an_unknown_format_says_so_by_its_code(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00\x01")
    with pytest.raises(InputError) as caught:
        inspect_file(store, number, path)
    assert caught.value.code == "unrecognised"


def test_a_copy_can_be_inspected_and_imported_as_a_whole(store: Store, number: int, tmp_path: Path) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 0, complete(), submission="one")
    path = write_copy(store, number, tmp_path / "deep" / "copy.jsonl")
    (reading,) = formats.read(path, "native")
    assert len(reading.judgements) == 3
    open_campaign(store, "other")
    incoming = inspect_file(store, "other", path)
    assert (incoming.answers, incoming.judges) == (3, (("J1", 3, True),))
    assert import_file(store, "other", path).judgements == 3
    assert len(campaign.judgements(store, "other")) == 3
