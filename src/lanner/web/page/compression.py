"""Pages made smaller on the wire.

Compression can betray a secret that stands beside text of an attacker's choosing. A judge's page has none of that: of
the request it repeats a row number and a language it knows.
"""

from __future__ import annotations

import gzip

from starlette.requests import Request
from starlette.responses import Response

_WORTH_IT = 1400  # fits one packet anyway
_LEVEL = 4  # two thirds of the time of level 6 for a twentieth more bytes


def packed(request: Request, response: Response) -> Response:
    """The same page compressed, for a browser that says it can read that."""
    if len(response.body) < _WORTH_IT or "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    response.body = gzip.compress(bytes(response.body), _LEVEL, mtime=0)
    response.headers["content-length"] = str(len(response.body))
    response.headers["content-encoding"] = "gzip"
    response.headers["vary"] = "accept-encoding"
    return response
