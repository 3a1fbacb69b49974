from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import JUDGEMENTS, JUDGES, documents, without_origin
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from property_examples import examples

TEXTS = [Document("d1", (Segment("1", "Hello.", {"oak": "Hallo."}),), "en", "de-CH", domain="news")]
ANSWERS = [
    Judgement("ana", "rating", "score", "d1", "1", ("oak",), 70),
    Judgement("m", "rating", "skills", "d1", "1", ("oak",), ["style", "field"]),
]
PEOPLE = [Judge("ana"), Judge("m", JudgeKind.MODEL)]


@settings(max_examples=examples(15), deadline=None)
@given(documents(), st.lists(JUDGES, max_size=2, unique_by=lambda judge: judge.id), st.lists(JUDGEMENTS, max_size=3))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[Document],
    judges: list[Judge],
    judgements: list[Judgement],
) -> None:
    texts = [document for document in texts if document.segments]
    kept = [entry for entry in judgements if (entry.task, entry.id, entry.supersedes) == (None, None, None)]
    path = tmp_path_factory.mktemp("hub") / "set"
    formats.write("huggingface", path, texts, kept, judges, protocol="falcon")
    assert formats.recognise(path) == "huggingface"
    (reading,) = formats.read(path)
    assert list(reading.documents) == texts
    assert list(reading.judges) == judges
    assert without_origin(reading.judgements) == without_origin(tuple(kept))
    assert (reading.name, reading.protocol) == ("set", "falcon")


def test_other_programs_read_the_tables(tmp_path: Path) -> None:
    formats.write("huggingface", tmp_path / "set", TEXTS, ANSWERS, PEOPLE)
    rows = pq.read_table(tmp_path / "set" / "data" / "judgements.parquet").to_pylist()
    assert [(row["judge"], row["score"], json.loads(row["value"]), row["systems"]) for row in rows] == [
        ("ana", 70.0, 70, ["oak"]),
        ("m", None, ["style", "field"], ["oak"]),
    ]


def test_the_card_names_licence_consent_languages_and_files(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    options = {"license": "cc-by-4.0", "consent": "Answers may be published without names.", "title": 'A "pilot": one'}
    formats.write("huggingface", folder, TEXTS, ANSWERS, PEOPLE, **options)
    _, head, body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    card = yaml.safe_load(head)
    assert (card["license"], card["language"], card["pretty_name"]) == ("cc-by-4.0", ["de", "en"], 'A "pilot": one')
    assert all((folder / config["data_files"]).is_file() for config in card["configs"])
    assert "Answers may be published without names." in body
    assert "1 person, 1 model" in body


def test_croissant_describes_every_file_and_column(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    formats.write("huggingface", folder, TEXTS, ANSWERS, PEOPLE, license="cc0-1.0", protocol="da")
    metadata = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert (metadata["license"], metadata["rai:dataAnnotationProtocol"]) == ("cc0-1.0", "da")
    for entry in metadata["distribution"]:
        content = (folder / entry["contentUrl"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
    for records in metadata["recordSet"]:
        columns = pq.read_schema(folder / "data" / f"{records['name']}.parquet").names
        assert [field["source"]["extract"]["column"] for field in records["field"]] == columns
        assert all(field["description"] for field in records["field"])


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    formats.write("huggingface", tmp_path / "set", TEXTS, ANSWERS, PEOPLE)
    (tmp_path / "set" / "data" / "judgements.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError, match="cannot be read"):
        formats.read(tmp_path / "set")
    with pytest.raises(InputError, match="not empty"):
        formats.write("huggingface", tmp_path / "set", TEXTS)
