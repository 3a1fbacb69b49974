"""Running the pages on this machine: all that the command line and the notebook use of `web`."""

from __future__ import annotations

import gc
import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette

from lanner.errors import LannerError
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.page.rendering import load_templates
from lanner.web.routes import ROUTES
from lanner.web.serving.logs import begin as begin_log
from lanner.web.serving.middleware import AllowedHosts, Protocol, UrlPrefix, allowed_hosts, is_unambiguous
from lanner.web.site import Settings
from lanner.web.verifying.server import HOST as REVIEW_HOST
from lanner.web.verifying.server import serve as serve_review

__all__ = [
    "REVIEW_HOST",
    "Settings",
    "begin_log",
    "serve",
    "serve_review",
    "server",
]


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
    load_templates(app.state.site.templates)
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
