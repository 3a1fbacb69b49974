"""Questionnaires before and after a protocol, as one protocol."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.errors import ProtocolError
from lanner.model import Protocol
from lanner.protocols.wording import Wording

BEFORE = [protocols.load("consent"), protocols.load("background")]
AFTER = [protocols.load("post_task")]


def composed(name: str = "h_falcon") -> Protocol:
    return protocols.compose(protocols.load(name), before=BEFORE, after=AFTER)


def test_stages_stand_in_the_order_they_are_asked() -> None:
    protocol = composed()
    assert [stage.id for stage in protocol.stages] == ["consent", "background", "rating", "post_task"]
    assert protocol.label == "h_falcon@1.0"
    assert protocol.hash != protocols.load("h_falcon").hash
    assert "effort_mean" in [score.id for score in protocol.scores]


def test_words_stay_with_whom_they_belong_to() -> None:
    words, alone = Wording(composed()), Wording(protocols.load("h_falcon"))
    assert words.title == alone.title == "H-FALCON"
    assert words.line("instructions") == alone.line("instructions")
    assert words.stage("consent", "title") == "Before you begin"
    assert words.option("skills", "high").label == "high"
    assert words.option("effort", "fatigue").high == "not tiring at all"
    assert words.option("experience", "none").label == "not at all"
    assert Wording(composed(), "ko").question("skills").label == "번역 기술"


def test_every_shipped_protocol_takes_them() -> None:
    for name in protocols.names():
        protocol = protocols.load(name)
        if all(stage.unit != "judge" for stage in protocol.stages):
            assert len(composed(name).stages) == len(protocol.stages) + 3


def test_a_stored_composition_reads_back_the_same() -> None:
    protocol = composed()
    assert Protocol.model_validate(protocol.model_dump(mode="json", by_alias=True)).hash == protocol.hash


def test_nothing_to_add_changes_nothing() -> None:
    protocol = protocols.load("esa")
    assert protocols.compose(protocol) is protocol


def test_only_questionnaires_and_no_clashes() -> None:
    with pytest.raises(ProtocolError, match="asks about texts"):
        protocols.compose(protocols.load("da"), before=[protocols.load("esa")])
    with pytest.raises(ProtocolError, match="Two stages are called"):
        protocols.compose(protocols.load("da"), before=BEFORE, after=BEFORE)
