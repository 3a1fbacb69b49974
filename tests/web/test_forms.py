from __future__ import annotations

from io import BytesIO

from starlette.datastructures import FormData, UploadFile

from lanner import protocols
from lanner.web import forms


def test_a_form_becomes_answers_and_files_are_no_texts() -> None:
    protocol = protocols.load("h_falcon")
    grid = next(question for _, question in protocol.questions if question.id == "skills")
    file = UploadFile(BytesIO(b"9"), filename="9")
    form = FormData([*((f"skills.{row.id}", "high") for row in grid.rows), ("holistic", " 10 "), ("sentence", file)])
    answers = forms.answers(protocol, "rating", form)
    assert answers["holistic"] == 10
    assert answers["skills"] == dict.fromkeys([row.id for row in grid.rows], "high")
    assert "sentence" not in answers
    assert forms.text(form, "sentence", "none") == "none"
    assert forms.text(FormData([("a", "x\0y")]), "a") == "xy"
