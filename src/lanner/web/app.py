"""The app: every route in one table, each behind the door that `access` gives it."""

from __future__ import annotations

import contextlib
import gc
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web import auth
from lanner.web.access import Handler, allowed, guard, scope_of
from lanner.web.api.openapi import openapi
from lanner.web.api.table import OPERATIONS, ROOT
from lanner.web.drafting import pages, preview
from lanner.web.judging import handlers as judging
from lanner.web.organising import (
    accounts,
    campaigns,
    disagreements,
    exports,
    imports,
    judges,
    live,
    models,
)
from lanner.web.organising import (
    server as server_pages,
)
from lanner.web.organising import (
    settings as settings_pages,
)
from lanner.web.page import problems
from lanner.web.page.headers import Headers
from lanner.web.page.speech import Speech
from lanner.web.serving import health
from lanner.web.serving.below import Below, tells_apart
from lanner.web.serving.timeouts import BodyTimeout, Protocol
from lanner.web.serving.watching import Watching
from lanner.web.site import Settings, Site


async def static_file(request: Request) -> Response:
    """Style sheets, scripts, pictures."""
    site: Site = request.app.state.site
    return site.assets.respond(request)


@dataclass(frozen=True, slots=True)
class Way:
    """One route: how, where, and what answers. `size` names the setting that limits what may be sent."""

    method: str
    path: str
    handler: Handler
    size: str = "form_bytes"


ROUTES = (  # the first that fits is taken, so what is asked most stands first
    Way("POST", "/task/{id:int}/answers", judging.save, "answer_bytes"),
    Way("GET", "/task/{id:int}", judging.task),
    Way("GET", "/task/{id:int}/answers", judging.answers),
    Way("POST", "/task/{id:int}/form", judging.form),
    Way("POST", "/task/{id:int}/finish", judging.finish),
    Way("POST", "/task/{id:int}/reopen", judging.reopen),
    Way("GET", "/", auth.home),
    Way("GET", "/healthz", health.alive),
    Way("GET", "/readyz", health.ready),
    Way("GET", "/static/{version}/{path:path}", static_file),
    Way("GET", "/setup", auth.setup_page),
    Way("POST", "/setup", auth.setup),
    Way("GET", "/login", auth.login_page),
    Way("POST", "/login", auth.login),
    Way("POST", "/logout", auth.logout),
    Way("GET", "/enter/{code}", auth.enter),
    Way("GET", "/j/{secret}", judging.open_link),
    Way("GET", "/work", judging.home),
    Way("GET", "/campaigns", campaigns.campaigns),
    Way("GET", "/campaigns/{name}", live.campaign),
    Way("GET", "/campaigns/{name}/panels", live.panels),
    Way("GET", "/campaigns/{name}/events", live.events),
    Way("GET", "/campaigns/{name}/documents", campaigns.documents),
    Way("GET", "/campaigns/{name}/disagreements", disagreements.disagreements),
    Way("POST", "/campaigns/{name}/settle", disagreements.settle),
    Way("GET", "/campaigns/{name}/judges", judges.judges),
    Way("POST", "/campaigns/{name}/judges", judges.add),
    Way("GET", "/campaigns/{name}/judge", judges.judge),
    Way("POST", "/campaigns/{name}/judge", judges.act),
    Way("POST", "/campaigns/{name}/links", judges.links),
    Way("POST", "/campaigns/{name}/overlap", judges.overlap),
    Way("POST", "/campaigns/{name}/state", settings_pages.state),
    Way("GET", "/campaigns/{name}/settings", settings_pages.settings),
    Way("POST", "/campaigns/{name}/settings", settings_pages.change_settings),
    Way("POST", "/campaigns/{name}/duplicate", settings_pages.duplicate),
    Way("POST", "/campaigns/{name}/delete", settings_pages.delete),
    Way("GET", "/campaigns/{name}/export/{format}", exports.export),
    Way("GET", "/campaigns/{name}/report", exports.report),
    Way("GET", "/campaigns/{name}/import", imports.import_page),
    Way("POST", "/campaigns/{name}/import", imports.inspect, "upload_bytes"),
    Way("POST", "/campaigns/{name}/import/{upload}", imports.bring),
    Way("GET", "/campaigns/{name}/models", models.models),
    Way("POST", "/campaigns/{name}/models", models.judge_with),
    Way("GET", "/campaigns/{name}/preview", preview.preview),
    Way("GET", "/campaigns/{name}/preview/work", preview.leave),
    Way("GET", "/campaigns/{name}/preview/task/{id:int}", preview.task),
    Way("GET", "/campaigns/{name}/preview/task/{id:int}/answers", preview.answers),
    Way("POST", "/campaigns/{name}/preview/task/{id:int}/answers", preview.save, "answer_bytes"),
    Way("POST", "/campaigns/{name}/preview/task/{id:int}/form", preview.form),
    Way("POST", "/campaigns/{name}/preview/task/{id:int}/finish", preview.finish),
    Way("GET", "/new", pages.new),
    Way("POST", "/new", pages.take_texts, "upload_bytes"),
    Way("GET", "/new/{upload}", pages.draft_page),
    Way("POST", "/new/{upload}", pages.draft),
    Way("GET", "/protocols/{protocol}", pages.protocol),
    Way("GET", "/people", accounts.people),
    Way("POST", "/people", accounts.add),
    Way("POST", "/people/change", accounts.change),
    Way("GET", "/server", server_pages.server),
    Way("POST", "/server/copies", server_pages.back_up),
    Way("GET", "/server/copies/{copy}", server_pages.download),
    Way("POST", "/server/tokens", server_pages.tokens),
    Way("POST", "/server/webhooks", server_pages.webhooks),
    Way("GET", "/account", accounts.account),
    Way("POST", "/account", accounts.change_password),
    Way("GET", f"{ROOT}/openapi.json", openapi),
    *(Way(row.method, row.place, row.handler, row.size) for row in OPERATIONS),
)


def create_app(store: Store, *, settings: Settings | None = None) -> Starlette:
    """The app over a store. Closing the store is the caller's business."""
    site = Site(store, settings or Settings())

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.begin()
        yield
        await site.close()

    app = Starlette(
        routes=[_route(way, site.settings) for way in ROUTES],
        middleware=[
            Middleware(Watching, watched=site.watched),
            Middleware(BodyTimeout),
            Middleware(Headers),
            Middleware(Speech),
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


def _route(way: Way, settings: Settings) -> Route:
    changes = way.method != "GET"
    kinds, scope = allowed(way.method, way.path), scope_of(way.method, way.path)
    guarded = guard(way.handler, kinds, changes=changes, scope=scope)
    size: int = getattr(settings, way.size) if changes else 0
    return Route(way.path, guarded, methods=[way.method], name=way.handler.__name__, max_body_size=size)


class Server(uvicorn.Server):
    """Sends home those who only listen before it waits for those who are saving."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.app
        assert isinstance(app, Starlette)
        await app.state.site.live.send_home()
        await super().shutdown(sockets)


def server(
    store: Store,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    settings: Settings | None = None,
    root_path: str = "",
    trusted_proxies: str = "127.0.0.1",
) -> uvicorn.Server:
    """A server that is ready to run. `root_path` is where a proxy serves it, whether or not the proxy takes that off;
    `trusted_proxies` are those whose word on https and addresses is believed."""
    if "*" in trusted_proxies:
        raise LannerError(
            "Every address would be believed, so that no limit on tries would hold.",
            next_step="Name the proxy's own address: --trusted-proxies 10.0.0.2",
        )
    app = create_app(store, settings=settings)
    root_path = root_path and "/" + root_path.strip("/")
    if tells_apart(root_path, (way.path for way in ROUTES)):
        app.add_middleware(Below, root=root_path)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        root_path=root_path,
        forwarded_allow_ips=trusted_proxies,
        http=Protocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    return Server(config)


def serve(store: Store, host: str = "127.0.0.1", port: int = 8000, **options: Any) -> None:
    """Serve until told to stop; what was begun is finished first."""
    ready = server(store, host, port, **options)
    gc.collect()
    gc.freeze()  # what was loaded stays: looking through it again and again would hold up saves
    ready.run()
