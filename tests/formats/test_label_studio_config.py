from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from lanner import protocols
from lanner.formats._label_studio_config import labelling_config
from lanner.formats._label_studio_results import Controls
from lanner.model import Choice, Grid, Labels, Rank, Scale, Spans, Text


@pytest.mark.parametrize("name", ["falcon", "h_falcon", "esa", "mqm", "da", "sqm", "ranking_rs", "parity"])
def test_every_question_has_its_control(name: str) -> None:
    protocol = protocols.load(name)
    view = labelling_config(protocol)
    controls: dict[str, Any] = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    texts = {tag.get("name") for tag in view.iter("Text")}
    assert {tag.get("toName") for tag in controls.values()} <= texts
    kinds = {Choice: "Choices", Labels: "Choices", Spans: "Labels", Rank: "Choices", Text: "TextArea"}
    for _, question in protocol.questions:
        named = [tag for key, tag in controls.items() if key == question.id or key.startswith(f"{question.id}__")]
        assert named, question.id
        if type(question) in kinds and not question.for_each:
            assert controls[question.id].tag == kinds[type(question)]
        if isinstance(question, Grid):
            assert len(named) == len(question.rows)
        if isinstance(question, Scale):
            assert {tag.tag for tag in named} <= {"Rating", "Number"}


def test_ids_are_exported_and_labels_shown() -> None:
    view = labelling_config(protocols.load("h_falcon"), "ko")
    option = next(tag for tag in view.iter("Choice") if tag.get("alias") == "not_relevant")
    assert option.get("value") != "not_relevant"
    assert etree.tostring(view, encoding="unicode").count('name="skills__') == 9


def test_the_reader_knows_its_own_interface(tmp_path: Any) -> None:
    path = tmp_path / "config.xml"
    path.write_bytes(etree.tostring(labelling_config(protocols.load("falcon"))))
    told = Controls.of_config(path)
    assert told.several["context"] is False
    assert told.several["skills"] is True
