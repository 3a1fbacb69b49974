from __future__ import annotations

import pytest
from pydantic import ValidationError

from lanner.web.api_shapes import NewAnswers, NewCampaign

ANSWERS = {"submission": "an id of my own", "task": 1, "item": 0, "answers": {"q": 1}}


def test_what_fits() -> None:
    assert NewAnswers.model_validate(ANSWERS).answers == {"q": 1}


@pytest.mark.parametrize(
    "wrong",
    [{"submission": "short"}, {"submission": "with\0nul and more"}, {"task": 0}, {"task": 2**63}, {"item": -1},
     {"answers": {}}, {"elapsed": -1}, {"active": float("inf")}, {"other": 1}],
)  # fmt: skip
def test_what_does_not(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NewAnswers.model_validate({**ANSWERS, **wrong})


def test_a_protocol_is_named_and_never_a_path() -> None:
    texts = [{"id": "d", "segments": [{"id": "1", "source": "x"}]}]
    for name in ("../secret", "/etc/passwd", "a.toml", ""):
        with pytest.raises(ValidationError):
            NewCampaign.model_validate({"name": "x", "protocol": name, "documents": texts})
