from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import JUDGEMENTS, JUDGES, documents, without_origin
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, Judgement, Segment
from property_examples import examples


@settings(max_examples=examples(15), deadline=None)
@given(documents(), st.lists(JUDGES, max_size=2), st.lists(JUDGEMENTS, max_size=3))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[Document],
    judges: list[Judge],
    judgements: list[Judgement],
) -> None:
    path = tmp_path_factory.mktemp("native") / "set.jsonl"
    left_out = {judge.id: "too fast" for judge in judges[:1]}
    formats.write("native", path, made, judgements, judges, name="set", protocol="falcon", left_out=left_out)
    assert formats.recognise(path) == "native"
    (reading,) = formats.read(path)
    assert list(reading.documents) == made
    assert list(reading.judges) == judges
    assert without_origin(reading.judgements) == without_origin(tuple(judgements))
    assert (reading.name, reading.protocol, reading.left_out) == ("set", "falcon", left_out)
    assert list(formats.read_documents(path)) == made


def test_demo_is_native_and_comes_back() -> None:
    demo = Path(formats.__file__).parent.parent / "corpus" / "demo.jsonl"
    (reading,) = formats.read(demo)
    lines = demo.read_text(encoding="utf-8").splitlines()
    assert [document.id for document in reading.documents] == [json.loads(line)["id"] for line in lines]


@pytest.mark.parametrize("name", ["set.jsonl", "set.jsonl.gz", "set.jsonl.zst"])
def test_compressed_by_name(tmp_path: Path, name: str) -> None:
    made = [Document("a", (Segment("1", "x"),))]
    formats.write("native", tmp_path / name, made)
    assert list(formats.read_documents(tmp_path / name)) == made


def test_an_unnamed_judgement_gets_its_place(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    formats.write("native", path, [], [Judgement("a", "s", "q", "d", "1", (), 3)])
    (reading,) = formats.read(path)
    assert reading.judgements[0].origin == "j.jsonl:1"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "segments": [{"id": "", "source": "x"}]}', "id is empty"),
        ('{"id": "a", "segments": [{"id": "1", "source": "x"}, {"id": "1", "source": "y"}]}', "have the id '1'"),
        ('{"id": "a", "segments": [{"id": "1", "source": 3}]}', "must be text"),
        ('{"id": "a", "segments": [{"id": "1", "surce": "x"}]}', "Unknown field"),
        ('{"id": "a", "segments": "x"}', "must be a list"),
        ('{"id": "a", "kind": "robot"}', "kind is one of"),
        ('{"judge": "a", "question": "q", "document": "d"}', "has no 'stage'"),
        ('{"id": "a", "title": "x"}', "no document, judge or judgement"),
        ("[1]", "must be a JSON object"),
        ('{"lanner": 2}', "version 2"),
        ('{"lanner": 1, "left_out": ["a"]}', "must be an object of texts"),
        ('{"lanner": 1, "left_out": {"a": "too fast"}}', "names 'a', who is no judge of this file"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "ok", "segments": []}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        formats.read(path, "native")
    assert caught.value.where.line == 2


def test_a_document_may_not_come_twice(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text('{"id": "a", "segments": []}\n{"id": "a", "segments": []}\n', encoding="utf-8")
    with pytest.raises(InputError, match="already on line 1"):
        formats.read(path)


def test_texts_alone_come_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    segment = Segment("1", "…", meta={"kind": "x"})
    formats.write("native", path, [Document("d", (segment,)), Document("e", (segment,))])
    with formats.texts(path) as found:
        assert found is not None and [document.id for document in found.documents] == ["d", "e"]
    formats.write("native", path, [Document("d", (segment,))], [Judgement("j", "s", "q", "d", "1", (), 3)])
    with formats.texts(path) as found:
        assert found is None


@pytest.mark.parametrize("option", ["definition", "left_out"])
def test_an_option_that_is_no_object_is_refused_and_leaves_no_file(tmp_path: Path, option: str) -> None:
    for value in ("ana", "[1]", "{"):
        with pytest.raises(InputError, match=f"The option {option} must be a JSON object"):
            formats.write("native", tmp_path / "set.jsonl", [Document("a", (Segment("1", "x"),))], **{option: value})
    assert not [*tmp_path.iterdir()]
