"""What the server knows about itself: requests counted and timed by the name of what answered them, never by address,
since addresses hold judges' secrets and names. Nothing here says who asked."""

from __future__ import annotations

import logging
import os
import time
from bisect import bisect_left
from collections import Counter
from importlib import import_module
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("lanner.web.requests")
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class RequestCounts:
    """Counts since the server was started."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds: Counter[str] = Counter()
        self.slower: dict[str, list[int]] = {}
        self.running = 0

    def note(self, what: str, status: int, seconds: float) -> None:
        self.requests[what, status] += 1
        self.seconds[what] += seconds  # type: ignore[assignment]
        counts = self.slower.get(what)
        if counts is None:
            counts = self.slower[what] = [0] * (len(BOUNDS) + 1)
        counts[bisect_left(BOUNDS, seconds)] += 1

    def record(self, what: str, method: str, status: int, seconds: float) -> None:
        """Count a request, and write a line about it where such lines are wanted."""
        self.note(what, status, seconds)
        if log.isEnabledFor(logging.INFO):
            fields = {"what": what, "method": method, "status": status, "ms": round(seconds * 1e3, 2)}
            log.info("request", extra={"fields": fields})


class CountRequests:
    """Around everything else: counts, and writes a line for each request where such lines are wanted."""

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self.app = app
        self.counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self.counts.running += 1
        try:
            await self.app(scope, receive, noting)
        finally:
            self.counts.running -= 1
            what = getattr(scope.get("endpoint"), "__name__", "nothing")
            self.counts.record(what, scope["method"], status, time.perf_counter() - began)


def memory() -> int:
    """Bytes of memory this process holds now."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no such file outside Linux: the most it ever held
        try:
            resource = import_module("resource")
        except ImportError:  # Windows has none, and the figure is then left at nothing
            return 0
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


async def metrics(request: Request) -> Response:
    """The server's own numbers, in the text format of Prometheus."""
    site = request.app.state.site
    totals: RequestCounts = site.request_counts
    lines = ["# TYPE lanner_requests_total counter"]
    for (what, status), count in sorted(totals.requests.items()):
        lines.append(f'lanner_requests_total{{what="{what}",status="{status}"}} {count}')
    lines.append("# TYPE lanner_request_seconds histogram")
    for what, counts in sorted(totals.slower.items()):
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
            total += count
            lines.append(f'lanner_request_seconds_bucket{{what="{what}",le="{bound}"}} {total}')
        lines.append(f'lanner_request_seconds_sum{{what="{what}"}} {totals.seconds[what]:.6f}')
        lines.append(f'lanner_request_seconds_count{{what="{what}"}} {total}')
    single = {
        "lanner_requests_running": ("gauge", totals.running),
        "lanner_saves_total": ("counter", site.saves.count),
        "lanner_saves_waiting": ("gauge", site.intake.waiting),
        "lanner_save_batches_total": ("counter", site.intake.batches),
        "lanner_save_failures_total": ("counter", site.intake.failures),
        "lanner_saving_works": ("gauge", int(not site.intake.trouble)),
        "lanner_backup_age_seconds": ("gauge", round(site.scheduled_backups.age(), 1)),
        "process_cpu_seconds_total": ("counter", round(time.process_time(), 3)),
        "process_resident_memory_bytes": ("gauge", memory()),
    }
    for name, (kind, value) in single.items():
        lines += [f"# TYPE {name} {kind}", f"{name} {value}"]
    return PlainTextResponse("\n".join(lines) + "\n")
