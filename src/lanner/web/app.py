"""The app and the server: the routes of `routes`, each behind its check, with what surrounds every request."""

from __future__ import annotations

import contextlib
import gc
import socket
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.routing import Route as StarletteRoute

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.access import guard
from lanner.web.page import problems
from lanner.web.page.headers import Headers
from lanner.web.page.speech import Speech
from lanner.web.routes import ROUTES, Route
from lanner.web.serving.hosts import AllowedHosts, allowed_hosts
from lanner.web.serving.request_counts import CountRequests
from lanner.web.serving.timeouts import BodyTimeout, Protocol
from lanner.web.serving.url_prefix import UrlPrefix, is_unambiguous
from lanner.web.site import Settings, Site


def create_app(store: Store, *, settings: Settings | None = None) -> Starlette:
    """The app over a store. Closing the store is the caller's business."""
    site = Site(store, settings or Settings())

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.begin()
        yield
        await site.close()

    app = Starlette(
        routes=[_starlette_route(route, site.settings) for route in ROUTES],
        middleware=[
            Middleware(CountRequests, counts=site.request_counts),
            Middleware(BodyTimeout),
            Middleware(Headers, framed_by=site.settings.framed_by),
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


def _starlette_route(route: Route, settings: Settings) -> StarletteRoute:
    changes = route.method != "GET"
    guarded = guard(route.handler, route.who, changes=changes, scope=route.scope, parameters=route.parameters)
    size: int = getattr(settings, route.size) if changes else 0
    return StarletteRoute(route.path, guarded, methods=[route.method], name=route.handler.__name__, max_body_size=size)


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
    hosts: tuple[str, ...] = (),
) -> uvicorn.Server:
    """A server that is ready to run. `root_path` is where a proxy serves it, whether or not the proxy takes that off;
    `trusted_proxies` are those whose word on https and addresses is believed; `hosts` are names it answers to besides
    that of its public address and the machine's own."""
    if "*" in trusted_proxies:
        raise LannerError(
            "Every address would be believed, so that no limit on tries would hold.",
            next_step="Name the proxy's own address: --trusted-proxies 10.0.0.2",
        )
    app = create_app(store, settings=settings)
    root_path = root_path and "/" + root_path.strip("/")
    if is_unambiguous(root_path, (route.path for route in ROUTES)):
        app.add_middleware(UrlPrefix, root=root_path)
    public_url = settings.public_url if settings else ""
    app.add_middleware(AllowedHosts, names=allowed_hosts(host, public_url, hosts))
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
