from __future__ import annotations

from pathlib import Path

import pytest

from lanner import campaign
from lanner.errors import InputError
from lanner.store import Store
from lanner.web.making.incoming import bring, look
from visiting import open_campaign


@pytest.fixture
def number(store: Store) -> int:
    open_campaign(store)
    return campaign.get(store, "trial").id


def test_looking_counts_and_stores_nothing_then_all_is_taken_in(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"document": "doc0", "segment": "0", "holistic": 4, "sentence": 2}\n')
    found = look(store, number, str(path), "m")
    assert (found.answers, found.judges) == (2, (("m", 2, False),))
    assert dict(found.questions) == {"holistic": 1, "sentence": 1}
    assert not campaign.judgements(store, number)
    assert bring(store, number, str(path), "m").judgements == 2
    assert look(store, number, str(path), "m").judges == (("m", 2, True),)


def test_texts_alone_are_no_answers(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("document,segment,source,system:a\nd,1,Hello,Hallo\n")
    with pytest.raises(InputError, match="no judgements"):
        look(store, number, str(path))


def test_an_unknown_format_says_so_by_its_code(store: Store, number: int, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00\x01")
    with pytest.raises(InputError) as caught:
        look(store, number, str(path))
    assert caught.value.code == "unrecognised"
