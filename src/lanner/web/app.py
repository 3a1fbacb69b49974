"""The app: every route and who may use it, one row per method and path, each behind its check.

Kinds of visitor say who is let in at all. Behind that each handler still looks whether the task is this judge's and the
campaign one of this organiser's; whatever is not, does not exist for them (404), so that nothing can be guessed.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web import auth, problems
from lanner.web.access import ANYONE, EDITORS, JUDGES, OWNERS, PROGRAMS, READERS, Handler, VisitorKind, guard
from lanner.web.api import OPERATIONS, ROOT, openapi
from lanner.web.drafting import pages, preview, tables
from lanner.web.judging import handlers as judging
from lanner.web.middleware import BodyLimit, BodyTimeout, CountRequests, Headers, PlainHeaders, ReaderLanguage
from lanner.web.organising import campaigns, disagreements, files, judges, live, models, results
from lanner.web.organising import server as server_pages
from lanner.web.site import ServerSettings, Site, alive, ready


@dataclass(frozen=True, slots=True)
class Route:
    """One row: how and where, who may, and what answers. `size` names the setting that limits what may be sent; a
    program also needs a token with this `scope`, and may give these query `parameters`."""

    method: str
    path: str
    who: frozenset[VisitorKind]
    handler: Handler
    size: str = "form_bytes"
    scope: str = ""
    parameters: frozenset[str] = frozenset()


async def static_file(request: Request) -> Response:
    """Style sheets, scripts, pictures."""
    site: Site = request.app.state.site
    return site.assets.respond(request)


async def service_worker(request: Request) -> Response:
    """The script that keeps judges' pages on their devices. Its own version is that of all static files."""
    site: Site = request.app.state.site
    asset = site.assets.find("service_worker.js")
    assert asset is not None
    body = f'const VERSION = "{site.assets.version}";\n'.encode() + asset.body
    return Response(body, media_type=asset.media_type, headers={"cache-control": "no-cache"})


def _preview_routes(root: str, who: frozenset[VisitorKind]) -> tuple[Route, ...]:
    """The judging page as a judge would see it, of a campaign or of a draft."""
    task = f"{root}/task/{{id:int}}"
    return (
        Route("GET", root, who, preview.preview),
        Route("GET", f"{root}/work", who, preview.leave),
        Route("GET", task, who, preview.task),
        Route("GET", f"{task}/answers", who, preview.answers),
        Route("POST", f"{task}/answers", who, preview.save, "answer_bytes"),
        Route("POST", f"{task}/form", who, preview.form),
        Route("POST", f"{task}/finish", who, preview.finish),
    )


ROUTES = (  # the first that fits is taken, so what is asked most stands first
    Route("POST", "/task/{id:int}/answers", JUDGES, judging.save, "answer_bytes"),
    Route("GET", "/task/{id:int}", JUDGES, judging.task),
    Route("GET", "/task/{id:int}/answers", JUDGES, judging.answers),
    Route("GET", "/task/{id:int}/session", JUDGES, judging.session_state),
    Route("GET", "/task/{id:int}/practice", JUDGES, judging.practice),
    Route("POST", "/task/{id:int}/practice", JUDGES, judging.check_practice, "answer_bytes"),
    Route("POST", "/task/{id:int}/message", JUDGES, judging.message, "answer_bytes"),
    Route("POST", "/task/{id:int}/form", JUDGES, judging.form, "answer_bytes"),
    Route("POST", "/task/{id:int}/finish", JUDGES, judging.finish, "answer_bytes"),
    Route("POST", "/task/{id:int}/reopen", JUDGES, judging.reopen, "answer_bytes"),
    Route("GET", "/", ANYONE, auth.home),
    Route("GET", "/healthz", ANYONE, alive),
    Route("GET", "/readyz", ANYONE, ready),
    Route("GET", "/static/{version}/{path:path}", ANYONE, static_file),
    Route("GET", "/service_worker.js", ANYONE, service_worker),
    Route("GET", "/setup", ANYONE, auth.setup_page),
    Route("POST", "/setup", ANYONE, auth.setup, "sign_in_bytes"),
    Route("GET", "/login", ANYONE, auth.login_page),
    Route("POST", "/login", ANYONE, auth.login, "sign_in_bytes"),
    Route("POST", "/logout", READERS, auth.logout),
    Route("GET", "/enter/{code}", ANYONE, auth.enter),
    Route("GET", "/j/{secret}", ANYONE, judging.open_link),
    Route("GET", "/work", JUDGES, judging.home),
    Route("GET", "/campaigns", READERS, campaigns.campaigns),
    Route("GET", "/campaigns/{name}", READERS, live.campaign),
    Route("GET", "/campaigns/{name}/panels", READERS, live.panels),
    Route("GET", "/campaigns/{name}/events", READERS, live.events),
    Route("GET", "/campaigns/{name}/documents", READERS, campaigns.documents),
    Route("GET", "/campaigns/{name}/disagreements", READERS, disagreements.disagreements),
    Route("GET", "/campaigns/{name}/diagnosis", READERS, results.diagnosis),
    Route("GET", "/campaigns/{name}/decided", READERS, results.decided),
    Route("GET", "/campaigns/{name}/meeting", READERS, disagreements.meeting),
    Route("GET", "/campaigns/{name}/guidelines", READERS, disagreements.guidelines),
    Route("POST", "/campaigns/{name}/decided", EDITORS, results.leave_open),
    Route("POST", "/campaigns/{name}/calibrate", EDITORS, disagreements.calibrate),
    Route("POST", "/campaigns/{name}/settle", EDITORS, disagreements.settle),
    Route("GET", "/campaigns/{name}/judges", EDITORS, judges.judges),
    Route("POST", "/campaigns/{name}/judges", EDITORS, judges.add),
    Route("GET", "/campaigns/{name}/judge", EDITORS, judges.judge),
    Route("POST", "/campaigns/{name}/judge", EDITORS, judges.act),
    Route("POST", "/campaigns/{name}/links", EDITORS, judges.links),
    Route("POST", "/campaigns/{name}/overlap", EDITORS, judges.overlap),
    Route("POST", "/campaigns/{name}/state", EDITORS, campaigns.state),
    Route("GET", "/campaigns/{name}/settings", EDITORS, campaigns.settings),
    Route("POST", "/campaigns/{name}/settings", EDITORS, campaigns.change_settings),
    Route("POST", "/campaigns/{name}/duplicate", EDITORS, campaigns.duplicate),
    Route("POST", "/campaigns/{name}/delete", EDITORS, campaigns.delete),
    Route("GET", "/campaigns/{name}/export/{format}", READERS, files.export),
    Route("GET", "/campaigns/{name}/report", READERS, files.report),
    Route("GET", "/campaigns/{name}/import", EDITORS, files.import_page),
    Route("POST", "/campaigns/{name}/import", EDITORS, files.inspect, "upload_bytes"),
    Route("POST", "/campaigns/{name}/import/{upload}", EDITORS, files.bring),
    Route("GET", "/campaigns/{name}/models", EDITORS, models.models),
    Route("POST", "/campaigns/{name}/models", OWNERS, models.judge_with),
    Route("POST", "/campaigns/{name}/prefill", EDITORS, models.offer_marks),
    *_preview_routes("/campaigns/{name}/preview", READERS),
    *_preview_routes("/new/{upload}/preview/{protocol}", EDITORS),
    Route("GET", "/new", EDITORS, pages.new),
    Route("POST", "/new", EDITORS, pages.take_texts, "upload_bytes"),
    Route("GET", "/new/{upload}/table", EDITORS, tables.table_page),
    Route("POST", "/new/{upload}/table", EDITORS, tables.choose_columns),
    Route("GET", "/new/{upload}", EDITORS, pages.draft_page),
    Route("POST", "/new/{upload}", EDITORS, pages.draft),
    Route("GET", "/protocols/{protocol}", READERS, pages.protocol),
    Route("GET", "/people", OWNERS, auth.people),
    Route("POST", "/people", OWNERS, auth.add),
    Route("POST", "/people/change", OWNERS, auth.change),
    Route("GET", "/server", OWNERS, server_pages.server),
    Route("POST", "/server/copies", OWNERS, server_pages.back_up),
    Route("GET", "/server/copies/{copy}", OWNERS, server_pages.download),
    Route("POST", "/server/tokens", OWNERS, server_pages.tokens),
    Route("POST", "/server/webhooks", OWNERS, server_pages.webhooks),
    Route("GET", "/account", READERS, auth.account),
    Route("POST", "/account", READERS, auth.change_password),
    Route("GET", f"{ROOT}/openapi.json", ANYONE, openapi),
    *(Route(row.method, row.place, PROGRAMS, row.handler, row.size, row.scope, row.parameters) for row in OPERATIONS),
)


def create_app(store: Store, *, settings: ServerSettings | None = None) -> Starlette:
    """The app over a store. Closing the store is the caller's business."""
    site = Site(store, settings or ServerSettings())

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.begin()
        await site.warm_up()
        yield
        await site.close()

    app = Starlette(
        routes=[_starlette_route(route, getattr(site.settings, route.size)) for route in ROUTES],
        middleware=[
            Middleware(CountRequests, counts=site.request_counts),
            Middleware(BodyTimeout),
            Middleware(Headers, framed_by=site.settings.framed_by),
            Middleware(PlainHeaders),
            Middleware(ReaderLanguage),
        ],
        exception_handlers={
            HTTPException: problems.http_problem,
            LannerError: problems.lanner_problem,
            ClientDisconnect: problems.gone,
            Exception: problems.bug,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    return app


@cache
def _starlette_route(route: Route, size: int) -> StarletteRoute:
    """The route with its guard, which knows nothing of an app: made once however many apps there are."""
    changes = route.method != "GET"
    handler = guard(route.handler, route.who, changes=changes, scope=route.scope, parameters=route.parameters)
    return StarletteRoute(
        route.path,
        handler,
        methods=[route.method],
        name=route.handler.__name__,
        middleware=[Middleware(BodyLimit, largest=size if changes else 0)],
    )
