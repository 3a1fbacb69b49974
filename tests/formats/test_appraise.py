from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from data_sets import data_dir
from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import InputError
from lanner.model import Role


def test_the_sample_folder() -> None:
    assert formats.recognise(SAMPLES / "appraise") == "appraise"
    (reading,) = formats.read(SAMPLES / "appraise")
    assert (reading.name, reading.protocol) == ("esa", "esa")
    assert reading.judges[0].attributes == {"AnnotatorID": "77", "protocol": "ESA"}
    assert reading.documents == tuple(formats.read_documents(SAMPLES / "appraise"))
    assert not any("Not read" in note for note in reading.notes)


def test_other_files_are_named(tmp_path: Path) -> None:
    copytree(SAMPLES / "appraise", tmp_path / "c")
    (tmp_path / "c" / "poll.csv").write_text("question\nanswer\n")
    (reading,) = formats.read(tmp_path / "c")
    assert reading.notes[-1] == "Not read: poll.csv."
    (tmp_path / "c" / "more.json").write_text((SAMPLES / "appraise" / "batches.json").read_text(encoding="utf-8"))
    with pytest.raises(InputError, match="Two files have batches"):
        formats.read(tmp_path / "c")


@pytest.mark.data
def test_the_released_campaign() -> None:
    readings = {reading.name: reading for reading in formats.read(data_dir("esa-appraise"))}
    assert {name: reading.protocol for name, reading in readings.items()} == {
        "240315rc5ESA": "esa",
        "240315rc5GEMBA": "esa_preannotated",
        "240315rc5MQM": "mqm_core",
    }
    esa = readings["240315rc5ESA"]
    assert len(esa.judgements) == 2 * 3314
    assert len({judge.attributes["AnnotatorID"] for judge in esa.judges}) < len(esa.judges) == 33
    assert not any({"unknown_item", "ambiguous_item"} & set(j.flags) for r in readings.values() for j in r.judgements)
    spans = [
        s for j in esa.judgements if j.question == "errors" and j.role is Role.MAIN for s in j.value if "start" in s
    ]
    ending = sum(bool(span["text"]) and span["text"][-1].isalnum() for span in spans)
    assert ending / len(spans) > 0.8  # read with the other kind of end, most would stop inside a word
