from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Formatter

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner import formats
from lanner.campaign import settings
from lanner.errors import AnswerError, CampaignError, InputError, LannerError, StoreError, Where
from lanner.store import Store
from lanner.web import problems
from lanner.web.access import SignInNeeded
from lanner.web.drafting.uploads import without_folders
from lanner.web.problems import error_text, parts
from lanner.web.site import ServerSettings, Site
from lanner.web.speech import speaking

SCOPE = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", "state": {}}
RAISED: dict[str, Exception] = {
    "closed": CampaignError("The campaign is closed.", next_step="Ask."),
    "input": InputError("Line <b> is broken.", where=Where("a.csv", 3), next_step="Mend it."),
    "answer": AnswerError("Not an answer.", question="q"),
    "store": StoreError("secret path /home/x", where=Where("/home/x")),
    "other": LannerError("Hm."),
    "bug": RuntimeError("inside"),
    "missing": HTTPException(404),
    "judge": SignInNeeded(judge=True),
    "account": SignInNeeded(judge=False),
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
    app.state.site = Site(store, ServerSettings())
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
    assert '<a class="btn" href="/">To the start page</a>' in page.text
    reply = failing.get(f"/{name}", headers={"accept": "application/json"})
    assert reply.status_code == status
    assert set(reply.json()) == {"message", "where", "next"}


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
        ("/task/store", "en", ("cannot reach its database", "sent by itself", "/work")),
        ("/task/store", "es", ("base de datos", "se envían solas")),
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


def test_in_english_the_librarys_own_words() -> None:
    error = InputError("A column is missing.", where=Where("a.csv", 3), next_step="Add it.")
    assert parts(error) == ("A column is missing.", "a.csv:3", "Add it.")
    assert error_text(error) == "a.csv:3: A column is missing.\nAdd it."


def test_common_refusals_are_translated_by_their_code() -> None:
    error = CampaignError(
        "There is already a campaign called 'x'.", code="name_taken", next_step="Choose another name."
    )
    with speaking("de"):
        assert parts(error)[0] == "Es gibt schon eine Kampagne dieses Namens."
        assert "called" not in error_text(error)


LIBRARY = Path(formats.__file__).parent.parent
ABOUT_FILES = (*(LIBRARY / "formats").rglob("*.py"), LIBRARY / "protocols" / "guessing.py")
ABOUT_CAMPAIGNS = [
    LIBRARY / "campaign" / f"{name}.py" for name in ("assignment", "people", "states", "settings", "prefill", "imports")
]
"""What organisers' forms do with judges, settings and files of answers."""
NO_FORM_MEETS = {
    *("bad_message", "unknown_task"),  # judges' own
    *("bad_revision", "bad_practice_switch", "bad_setting", "not_a_text"),  # settings that no form has
    "name_differs",  # the page compares what was typed itself
}


def refusals_in(paths: Iterable[Path]) -> Iterator[tuple[str, set[str]]]:
    """The codes of all errors in these modules, with the names that each gives to its sentences."""
    for path in paths:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            names = given.get("names")
            keys = (
                {key.value for key in names.keys if isinstance(key, ast.Constant)}
                if isinstance(names, ast.Dict)
                else set()
            )
            if isinstance(call.func, ast.Attribute) and call.func.attr == "refusal":
                yield str(ast.literal_eval(call.args[1])), {"columns"}
            elif isinstance(given.get("code"), ast.Constant):
                yield str(ast.literal_eval(given["code"])), {str(key) for key in (*keys, *given)}


def test_every_refusal_of_a_file_is_said_in_every_language() -> None:
    refusals = list(refusals_in(ABOUT_FILES))
    assert len({code for code, _ in refusals}) > 30
    for code, names in refusals:
        sentences = " ".join(problems.BY_CODE[code])
        assert {name for _, name, _, _ in Formatter().parse(sentences) if name} <= names, code


def test_every_refusal_that_an_organisers_form_can_meet_is_said_in_every_language() -> None:
    ranges = [(code, {"code"}) for *_, code, _ in settings._RANGES]
    refusals = [*refusals_in(ABOUT_CAMPAIGNS), *ranges]
    assert {"judge_left", "has_answered", "bad_margin"} <= {code for code, _ in refusals}
    assert {code for code, _ in refusals} - problems.BY_CODE.keys() == NO_FORM_MEETS
    for code, names in refusals:
        if code in NO_FORM_MEETS:
            continue
        sentences = " ".join(problems.BY_CODE[code])
        assert {name for _, name, _, _ in Formatter().parse(sentences) if name} <= names, code
        assert "lanner " not in sentences and "--" not in sentences, "a page has no commands and options"


def test_of_the_rest_the_kind_is_told_in_the_readers_language() -> None:
    with speaking("ko"):
        assert parts(InputError("Line is odd.", where=Where("a.csv", 3)))[:2] == (
            "파일을 들이지 않았습니다: Line is odd.",
            "a.csv:3",
        )
        assert error_text(LannerError("Plain.")) == "Plain."


def test_missing_columns_are_told_with_the_names_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("eins,zwei\na,b\n", encoding="utf-8")
    for columns, what, step in (
        ("", "Von keiner Spalte ist bekannt", "source=eins"),
        ("source=drei", "Es gibt keine Spalte drei.", "eins, zwei"),
    ):
        with pytest.raises(InputError) as caught:
            list(formats.read_documents(file, "table", columns=columns))
        with speaking("de"):
            said, where, next_step = parts(caught.value)
        assert what in said
        assert where == f"{file}:1"
        assert step in next_step


@pytest.mark.parametrize(
    ("table", "what", "line"),
    [
        ("document,segment,source,mt\nd,1,One.\n", "Diese Zeile hat 3 Zellen, die Kopfzeile 4.", 2),
        ("source,source\na,b\n", "Zwei Spalten heißen source.", 1),
        ("source,,,mt\na,b,c,d\n", "Spalte 2 hat keinen Namen.", 1),
        ("document,source,mt\n,One.,Eins.\n", "Diese Zeile nennt kein Dokument.", 2),
        ("document,segment,source,mt\nd,,One.,Eins.\n", "Diese Zeile hat keine Segmentkennung.", 2),
        ("document,segment,source,mt\nd,1,A.,B.\nd,1,C.,D.\n", "Das Segment 1 von d steht schon in Zeile 2.", 3),
    ],
)
def test_common_mistakes_in_a_table_are_told_in_the_readers_language(
    tmp_path: Path, table: str, what: str, line: int
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(table, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(formats.read_documents(file, "table"))
    with speaking("de"):
        said, where, next_step = parts(without_folders(caught.value))
    assert said == what
    assert where == f"t.csv:{line}"
    assert next_step
    assert "{" not in next_step


def test_what_is_refused_is_said_in_the_readers_language(client: TestClient) -> None:
    korean = {"accept-language": "ko"}
    stale = client.post("/login", data={"token": "of another session", "name": "Ann"}, headers=korean)
    assert stale.status_code == 403
    assert "페이지를 새로 고친 다음 다시 보내세요" in stale.text and "too long" not in stale.text
    foreign = client.post("/login", data={}, headers={**korean, "sec-fetch-site": "cross-site"})
    assert foreign.status_code == 403 and "이 사이트의 페이지에서" in foreign.text
    response = problems.http_problem(Request({**SCOPE, "app": client.app}), HTTPException(422))
    assert b"This did not work." in response.body and b"Unprocessable" not in response.body
