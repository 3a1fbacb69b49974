import dataclasses

import pytest

from lanner.model import Item, Judge, JudgeKind, Judgement, Role


def test_judgements_cannot_be_changed() -> None:
    judgement = Judgement("j", "rating", "holistic", "d", "1", ("oak",), 7)
    with pytest.raises(dataclasses.FrozenInstanceError):
        judgement.value = 8  # type: ignore[misc]
    assert judgement.role is Role.MAIN


def test_people_and_models_are_one_type() -> None:
    assert Judge("a").kind is JudgeKind.PERSON
    assert Judge("o3", JudgeKind.MODEL).kind == "model"


def test_items_can_be_compared_and_counted() -> None:
    assert Item("d", "1", ("oak",)) == Item("d", "1", ("oak",))
    assert Item("d", "1", ("oak", "elm")) != Item("d", "1", ("elm", "oak"))
