"""Who may use which route, written down by hand: the program's own table must say the same, row for row.

A route that is opened to more visitors, closed to some, added or dropped fails here until this list says so too.
"""

from __future__ import annotations

from lanner.web.app import ROUTES

ANYONE = {"nobody", "judge", "viewer", "organiser", "owner", "program"}
READERS = {"viewer", "organiser", "owner"}
EDITORS = {"organiser", "owner"}

WHO_MAY = [
    (
        ANYONE,
        """
        GET /
        GET /healthz
        GET /readyz
        GET /static/{version}/{path:path}
        GET /service_worker.js
        GET /setup
        POST /setup
        GET /login
        POST /login
        GET /enter/{code}
        GET /j/{secret}
        GET /api/v1/openapi.json
        """,
    ),
    (
        {"judge"},
        """
        GET /work
        GET /task/{id:int}
        GET /task/{id:int}/answers
        GET /task/{id:int}/session
        POST /task/{id:int}/answers
        POST /task/{id:int}/message
        GET /task/{id:int}/practice
        POST /task/{id:int}/practice
        POST /task/{id:int}/form
        POST /task/{id:int}/finish
        POST /task/{id:int}/reopen
        """,
    ),
    (
        READERS,
        """
        POST /logout
        GET /account
        POST /account
        GET /campaigns
        GET /campaigns/{name}
        GET /campaigns/{name}/panels
        GET /campaigns/{name}/events
        GET /campaigns/{name}/documents
        GET /campaigns/{name}/decided
        GET /campaigns/{name}/diagnosis
        GET /campaigns/{name}/disagreements
        GET /campaigns/{name}/guidelines
        GET /campaigns/{name}/meeting
        GET /campaigns/{name}/export/{format}
        GET /campaigns/{name}/report
        GET /campaigns/{name}/preview
        GET /campaigns/{name}/preview/work
        GET /campaigns/{name}/preview/task/{id:int}
        GET /campaigns/{name}/preview/task/{id:int}/answers
        POST /campaigns/{name}/preview/task/{id:int}/answers
        POST /campaigns/{name}/preview/task/{id:int}/form
        POST /campaigns/{name}/preview/task/{id:int}/finish
        GET /protocols/{protocol}
        """,
    ),
    (
        EDITORS,
        """
        GET /new/{upload}/preview/{protocol}
        GET /new/{upload}/preview/{protocol}/work
        GET /new/{upload}/preview/{protocol}/task/{id:int}
        GET /new/{upload}/preview/{protocol}/task/{id:int}/answers
        POST /new/{upload}/preview/{protocol}/task/{id:int}/answers
        POST /new/{upload}/preview/{protocol}/task/{id:int}/form
        POST /new/{upload}/preview/{protocol}/task/{id:int}/finish
        GET /new
        POST /new
        GET /new/{upload}
        GET /new/{upload}/table
        POST /new/{upload}/table
        POST /new/{upload}
        POST /campaigns/{name}/settle
        POST /campaigns/{name}/decided
        POST /campaigns/{name}/calibrate
        GET /campaigns/{name}/judges
        POST /campaigns/{name}/judges
        GET /campaigns/{name}/judge
        POST /campaigns/{name}/judge
        POST /campaigns/{name}/links
        POST /campaigns/{name}/overlap
        POST /campaigns/{name}/state
        GET /campaigns/{name}/settings
        POST /campaigns/{name}/settings
        POST /campaigns/{name}/prefill
        POST /campaigns/{name}/duplicate
        POST /campaigns/{name}/delete
        GET /campaigns/{name}/import
        POST /campaigns/{name}/import
        POST /campaigns/{name}/import/{upload}
        GET /campaigns/{name}/models
        """,
    ),
    (
        {"owner"},
        """
        POST /campaigns/{name}/models
        GET /people
        POST /people
        POST /people/change
        GET /server
        POST /server/copies
        GET /server/copies/{copy}
        POST /server/tokens
        POST /server/webhooks
        """,
    ),
]

SCOPES = {
    "GET /api/v1/campaigns": "campaigns",
    "POST /api/v1/campaigns": "write",
    "GET /api/v1/campaigns/{campaign}": "campaigns",
    "POST /api/v1/campaigns/{campaign}/state": "write",
    "POST /api/v1/campaigns/{campaign}/judges": "write",
    "GET /api/v1/campaigns/{campaign}/progress": "campaigns",
    "GET /api/v1/campaigns/{campaign}/agreement": "judgements",
    "GET /api/v1/campaigns/{campaign}/documents": "campaigns",
    "GET /api/v1/campaigns/{campaign}/tasks": "campaigns",
    "POST /api/v1/campaigns/{campaign}/tasks": "write",
    "GET /api/v1/campaigns/{campaign}/tasks/{task}": "campaigns",
    "POST /api/v1/campaigns/{campaign}/tasks/{task}/finish": "write",
    "GET /api/v1/campaigns/{campaign}/judgements": "judgements",
    "POST /api/v1/campaigns/{campaign}/judgements": "write",
    "GET /api/v1/campaigns/{campaign}/export/{format}": "judgements",
    "GET /api/v1/metrics": "metrics",
}
"""What the token of a program must be for."""


def test_every_route_is_open_to_exactly_these_visitors() -> None:
    by_hand = {line.strip(): who for who, lines in WHO_MAY for line in lines.strip().splitlines()}
    by_hand |= {route: {"program"} for route in SCOPES}
    program = {f"{route.method} {route.path}": {str(kind) for kind in route.who} for route in ROUTES}
    assert program == by_hand
    assert len(ROUTES) == len(program), "of two rows for one place the first is served, and only one is compared here"


def test_every_operation_of_the_api_needs_exactly_this_scope() -> None:
    program = {f"{route.method} {route.path}": route.scope for route in ROUTES}
    assert {route: scope for route, scope in program.items() if scope} == SCOPES
