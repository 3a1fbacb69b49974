from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner.errors import AnswerError, CampaignError, InputError, LannerError, StoreError, Where
from lanner.store import Store
from lanner.web.page import problems
from lanner.web.site import Settings, Site

RAISED: dict[str, Exception] = {
    "closed": CampaignError("The campaign is closed.", next_step="Ask."),
    "input": InputError("Line <b> is broken.", where=Where("a.csv", 3), next_step="Mend it."),
    "answer": AnswerError("Not an answer.", question="q"),
    "store": StoreError("secret path /home/x", where=Where("/home/x")),
    "other": LannerError("Hm."),
    "bug": RuntimeError("inside"),
    "missing": HTTPException(404),
    "judge": problems.SignInNeeded(judge=True),
    "account": problems.SignInNeeded(judge=False),
}


@pytest.fixture
def failing(store: Store) -> TestClient:
    async def fail(request):
        raise RAISED[request.path_params["name"]]

    app = Starlette(
        routes=[
            Route("/{name}", fail, methods=["GET", "POST"]),
            Route("/j/{name}", fail),
            Route("/task/{name}", fail),
        ],
        exception_handlers={
            HTTPException: problems.http_problem,
            LannerError: problems.lanner_problem,
            Exception: problems.bug,
        },
    )
    app.state.site = Site(store, Settings())
    return TestClient(app, raise_server_exceptions=False, follow_redirects=False)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("closed", 409),
        ("input", 422),
        ("answer", 422),
        ("store", 503),
        ("other", 400),
        ("bug", 500),
        ("missing", 404),
        ("judge", 401),
    ],
)
def test_each_error_has_its_status_for_people_and_programs(failing: TestClient, name: str, status: int) -> None:
    page = failing.get(f"/{name}")
    assert page.status_code == status
    assert 'role="alert"' in page.text
    told = failing.get(f"/{name}", headers={"accept": "application/json"})
    assert told.status_code == status
    assert set(told.json()) == {"message", "where", "next"}


def test_what_where_next_and_all_of_it_escaped(failing: TestClient) -> None:
    text = failing.get("/input").text
    assert "Line &lt;b&gt; is broken." in text
    assert "a.csv:3" in text
    assert "Mend it." in text


def test_nothing_of_the_inside_is_told(failing: TestClient) -> None:
    assert "inside" not in failing.get("/bug").text
    assert "/home/x" not in failing.get("/store").text


def test_people_are_led_to_the_sign_in_and_programs_are_not(failing: TestClient) -> None:
    assert failing.get("/account").headers["location"] == "/login"
    assert failing.get("/account", headers={"accept": "application/json"}).status_code == 401
    assert failing.post("/account").status_code == 401


@pytest.mark.parametrize(
    ("path", "language", "words"),
    [
        ("/j/missing", "en", ("This link does not work.", "Ask the person who sent it")),
        ("/j/missing", "ko", ("이 링크는 작동하지 않습니다.",)),
        ("/task/judge", "ar", ('dir="rtl"', "لم تسجّل الدخول.")),
        ("/task/missing", "de", ("Hier ist nichts.", "/work")),
        ("/task/bug", "en", ("Number ", "kept on this device")),
    ],
)
def test_judges_are_told_in_their_language(
    failing: TestClient, path: str, language: str, words: tuple[str, ...]
) -> None:
    text = failing.get(path, headers={"accept-language": language}).text
    assert 'role="alert"' in text and f'lang="{language}"' in text
    assert [word for word in words if word not in text] == []


def test_whoever_leaves_in_the_middle_is_no_bug(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    async def call() -> list[dict]:
        sent: list[dict] = []
        scope = {
            "type": "http", "method": "POST", "path": "/login", "raw_path": b"/login", "query_string": b"",
            "root_path": "", "scheme": "http", "server": ("x", 80), "client": ("y", 1), "http_version": "1.1",
            "headers": [(b"content-type", b"application/x-www-form-urlencoded"), (b"content-length", b"90")],
        }  # fmt: skip
        given = iter([{"type": "http.request", "body": b"a=", "more_body": True}, {"type": "http.disconnect"}])

        async def receive() -> dict:
            return next(given)

        async def send(message: dict) -> None:
            sent.append(message)

        await client.app(scope, receive, send)
        return sent

    sent = client.portal.call(call)
    assert sent[0]["status"] == 400
    assert "bug" not in caplog.text
