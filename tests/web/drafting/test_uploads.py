from __future__ import annotations

from pathlib import Path

import pytest
from starlette.exceptions import HTTPException

from lanner import formats
from lanner.errors import InputError
from lanner.web.drafting import uploads
from lanner.web.drafting.uploads import Upload, Uploads, summarise
from web_clients import documents


def test_an_upload_is_its_owners_alone_and_goes_in_the_end() -> None:
    uploads = Uploads()
    place = uploads.place()
    place.write_text("x")
    token = uploads.keep(Upload(1, place, summarise(documents(), "mine", "native")))
    assert uploads.find(Upload, token, 1).texts.name == "mine"
    for wrong in ((token, 2), ("guess", 1)):
        with pytest.raises(HTTPException):
            uploads.find(Upload, *wrong)
    uploads.close()
    assert not place.exists()


def test_the_oldest_go_first() -> None:
    uploads = Uploads()
    told = summarise(documents(), "mine", "native")
    tokens = []
    for _ in range(52):
        place = uploads.place()
        place.write_text("x")
        tokens.append((uploads.keep(Upload(1, place, told)), place))
    assert not tokens[0][1].exists()
    assert uploads.find(Upload, tokens[-1][0], 1)
    uploads.close()


def test_a_table_is_recognised_read_and_kept_as_our_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "document,segment,source,system:alpha,system:beta,domain\n"
        "d1,1,Hello.,Hallo.,Hi.,news\nd1,2,Bye.,Tschüs.,Ciao.,news\n"
    )
    kept = tmp_path / "kept"
    found = uploads.take_in(str(path), "mine.csv", {}, str(kept))
    assert (found.documents, found.sentences) == (1, 2)
    assert dict(found.systems) == {"alpha": 1, "beta": 1}
    assert found.rows[0] == ("1", "Hello.", ("Hallo.", "Hi."))
    assert found.domains == (("news", 1),)
    assert [document.id for document in formats.read_documents(kept, "native")] == ["d1"]


def test_a_mistake_is_named_with_its_line_and_nothing_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    good = [f'{{"document": "d", "segment": "{at}", "source": "a"}}' for at in range(400)]
    path.write_text("\n".join([*good, '{"document": "d", "segm']))
    with pytest.raises(InputError) as refused:
        uploads.take_in(str(path), "mine.jsonl", {}, str(tmp_path / "kept"))
    assert refused.value.where.line == 401
    assert not (tmp_path / "kept").exists()


def test_the_demonstration_texts(tmp_path: Path) -> None:
    found = uploads.demo(str(tmp_path / "kept"))
    assert found.documents >= 8
    assert len(found.pairs) >= 5


def test_a_description_is_short_whatever_the_texts() -> None:
    found = uploads.summarise(documents(30, 40), "many", "native")
    assert (found.documents, found.sentences, len(found.rows)) == (30, 1200, 6)
    assert found.pairs == (("English to Korean", 30),)


def test_no_word_of_the_command_line_reaches_the_page(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("source,one,two\nOne.,Eins.,x\n", encoding="utf-8")
    found = uploads.take_in(str(tmp_path / "t.csv"), "t", {}, str(tmp_path / "kept.jsonl"))
    assert found.unknown_languages
    assert not [note for note in found.notes if "--" in note], "the page has menus for it"
    found = uploads.take_in(str(tmp_path / "t.csv"), "t", {"languages": "en-de"}, str(tmp_path / "kept.jsonl"))
    assert not found.unknown_languages
