"""The app: the routes of `routes`, each behind its check, with what surrounds every request."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.routing import Route as StarletteRoute

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.access import guard
from lanner.web.page import problems
from lanner.web.routes import ROUTES, Route
from lanner.web.serving.middleware import BodyTimeout, CountRequests, Headers, ReaderLanguage
from lanner.web.site import Settings, Site


def create_app(store: Store, *, settings: Settings | None = None) -> Starlette:
    """The app over a store. Closing the store is the caller's business."""
    site = Site(store, settings or Settings())

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        site.begin()
        await site.warm_up()
        yield
        await site.close()

    app = Starlette(
        routes=[_starlette_route(route, site.settings) for route in ROUTES],
        middleware=[
            Middleware(CountRequests, counts=site.request_counts),
            Middleware(BodyTimeout),
            Middleware(Headers, framed_by=site.settings.framed_by),
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


def _starlette_route(route: Route, settings: Settings) -> StarletteRoute:
    changes = route.method != "GET"
    handler = guard(route.handler, route.who, changes=changes, scope=route.scope, parameters=route.parameters)
    size: int = getattr(settings, route.size) if changes else 0
    return StarletteRoute(route.path, handler, methods=[route.method], name=route.handler.__name__, max_body_size=size)
