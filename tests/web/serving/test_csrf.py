from __future__ import annotations

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from lanner.web.serving import csrf


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "headers": raw})


@pytest.mark.parametrize(
    ("headers", "fine"),
    [
        ({"sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "cross-site"}, False),
        ({"sec_fetch_site": "same-site"}, False),
        ({"sec_fetch_site": "none"}, False),
        ({"sec_fetch_site": "cross-site", "origin": "https://a.example", "host": "a.example"}, False),
        ({"origin": "https://a.example", "host": "a.example"}, True),
        ({"origin": "https://b.example", "host": "a.example"}, False),
        ({"origin": "https://a.example:81", "host": "a.example"}, False),
        ({"origin": "null", "host": "a.example"}, False),
        ({}, True),
    ],
)
def test_where_a_request_comes_from(headers: dict[str, str], fine: bool) -> None:
    assert csrf.same_origin(request(**headers)) is fine
    if not fine:
        with pytest.raises(HTTPException) as refused:
            csrf.check(request(**headers))
        assert refused.value.status_code == 403


def test_a_token_fits_its_cookie_only() -> None:
    csrf.check_form(csrf.form_token("cookie"), "cookie")
    for given in (None, "", "x", csrf.form_token("other")):
        with pytest.raises(HTTPException):
            csrf.check_form(given, "cookie")


def test_a_token_does_not_give_the_cookie_away() -> None:
    assert "cookie" not in csrf.form_token("cookie")
