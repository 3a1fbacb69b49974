from __future__ import annotations

import asyncio
import threading
from io import BytesIO
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from lanner import protocols
from lanner.web import forms
from property_examples import examples

URL_ENCODED = (b"content-type", b"application/x-www-form-urlencoded")


def sent(body: bytes, content_type: tuple[bytes, bytes] = URL_ENCODED) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "method": "POST", "headers": [content_type]}, receive)


def read(body: bytes) -> list[tuple[str, object]]:
    return list(asyncio.run(forms.read(sent(body))).multi_items())


NAMES = st.text(min_size=1, max_size=5)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(st.tuples(NAMES, st.text(max_size=20)), max_size=6).map(lambda pairs: urlencode(pairs).encode())
    | st.lists(st.sampled_from([b"a", b"=", b"+", b"%", b"%C3", b"%e9", b"%zz", b"\xff", b";"]), max_size=12).map(
        b"".join
    )
)
def test_a_form_is_read_as_the_library_reads_it(body: bytes) -> None:
    async def by_the_library() -> list[tuple[str, object]]:
        return list((await sent(body).form()).multi_items())

    assert read(body) == asyncio.run(by_the_library())


def test_a_long_form_is_read_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []
    parse = forms.parse_qsl

    def noting(*given: object, **options: object) -> object:
        threads.append(threading.current_thread())
        return parse(*given, **options)

    monkeypatch.setattr(forms, "parse_qsl", noting)
    for text in ("가" * 50_000, "short"):
        assert read(urlencode({"names": text}).encode()) == [("names", text)]
    assert threads[0] is not threading.main_thread() and threads[1] is threading.main_thread()


@pytest.mark.parametrize(("body", "status"), [(b"&a=" * 2001, 400), (b"&" * 900_000, 400), (b"a=" + b"b" * 2**20, 413)])
def test_too_many_fields_and_too_long_forms_are_refused(body: bytes, status: int) -> None:
    with pytest.raises(HTTPException) as refused:
        read(body)
    assert refused.value.status_code == status


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
