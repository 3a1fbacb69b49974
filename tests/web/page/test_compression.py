from __future__ import annotations

import gzip

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse

from lanner.web.page.compression import packed

LONG = "<p>그녀는 매일 밤 두 차례 운항한다.</p>" * 100


def request(accepted: str) -> Request:
    return Request({"type": "http", "headers": [(b"accept-encoding", accepted.encode())]})


def test_a_long_page_is_packed_for_those_who_can_read_it() -> None:
    answer = packed(request("br, gzip"), HTMLResponse(LONG))
    assert gzip.decompress(bytes(answer.body)).decode() == LONG
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert len(answer.body) < len(LONG.encode()) / 4


@pytest.mark.parametrize(("accepted", "text"), [("", LONG), ("gzip", "<p>short</p>")])
def test_other_pages_are_left_alone(accepted: str, text: str) -> None:
    answer = packed(request(accepted), HTMLResponse(text))
    assert bytes(answer.body).decode() == text and "content-encoding" not in answer.headers
