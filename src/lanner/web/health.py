"""Whether the server is alive, whether it can do its work, and its own numbers."""

from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from lanner.errors import StoreError
from lanner.web.middleware import BOUNDS, RequestCounts
from lanner.web.site import Site


async def alive(_request: Request) -> Response:
    """The process answers."""
    return PlainTextResponse("ok")


async def ready(request: Request) -> Response:
    """The database answers too, takes what is saved, and the server is not about to end."""
    site: Site = request.app.state.site
    if site.live.closing.is_set():
        return PlainTextResponse("ending", 503)
    if site.store.damage:
        return PlainTextResponse("the store is damaged, nothing is saved", 503)
    if site.intake.trouble:
        return PlainTextResponse("nothing can be saved at the moment", 503)

    def ask() -> None:
        with site.store.reading() as tx:
            tx.accounts.count_owners()

    try:
        await site.read(ask)
    except StoreError:
        return PlainTextResponse("the database does not answer", 503)
    return PlainTextResponse("ready")


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
        "lanner_saves_total": ("counter", site.saves),
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
