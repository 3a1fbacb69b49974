"""A campaign as files: tables with their codebook, other tools' formats, a complete copy, the report as a page."""

from __future__ import annotations

import shutil
from pathlib import Path

from lanner import campaign as campaigns
from lanner import formats
from lanner.analysis.material import from_campaign
from lanner.errors import LannerError
from lanner.reports import exchange, html
from lanner.reports import export as tables
from lanner.reports.build import build
from lanner.stats.resample import Resampling
from lanner.store import Store
from lanner.web.organiser.offered import TABLES
from lanner.web.page.speech import say


def export(store: Store, campaign: int, name: str, suffix: str, folder: str) -> str:
    """Write the current judgements into a folder; the path of the one file to send. What is several files is zipped."""
    material = from_campaign(store, campaign).pseudonymised(campaigns.pseudonyms(store, campaign))
    place = Path(folder) / "out"
    place.mkdir()
    written = place / f"judgements{suffix}"
    if name in TABLES:
        tables.export(material, written)
    else:
        exchange.write(material, "appraise_scores" if name == "appraise" else name, written)
    if not any(path.is_file() for path in place.rglob("*")):
        raise LannerError(
            say("There is nothing to export yet."), next_step=say("Come back when something has been judged.")
        )
    return shutil.make_archive(str(Path(folder) / "judgements"), "zip", place)


def keep(store: Store, campaign: int, path: str) -> str:
    """A complete copy: texts, judges, every answer ever given. Whole or not at all."""
    material = from_campaign(store, campaign)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    history = campaigns.history(store, campaign)
    given = {"name": material.name, "protocol": material.protocol.name if material.protocol else ""}
    formats.write("native", target, material.documents, history, material.judges, **given)
    return str(target)


def report(store: Store, campaign: int) -> str:
    """The report as one HTML page."""
    return html.render(build(from_campaign(store, campaign), resampling=Resampling(n=1000)))
