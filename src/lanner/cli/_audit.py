"""`lanner audit`: what moves a model's judgements that should not."""

from __future__ import annotations

import asyncio
from typing import Any

from lanner import campaign
from lanner.cli._judge_settings import SETTINGS, settings_from
from lanner.cli._judging import limits_from, plans_from, price_notes, texts_and_protocol, watching
from lanner.cli._options import slug
from lanner.cli._output import Output, result_rows
from lanner.errors import LannerError
from lanner.judges.comparison import sample_documents
from lanner.judges.probes import audit_model
from lanner.store import Store


def run(
    model: str,
    source: str,
    sentences: int,
    repeats: int,
    languages: tuple[str, ...],
    assignments: tuple[str, ...],
    store_place: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Audit a model: length, pleas in the translation, wording and language of the instructions, order, range of
    scores, agreement with itself. Each has an interval over documents and a plain verdict."""
    output = Output("audit", as_json)
    values, _ = settings_from(None, assignments, dict.fromkeys(SETTINGS))
    options = given | values | {"models": (model,), "judge_name": "", "limit": None, "retry_missing": False}
    [plan] = plans_from(options)
    limits = limits_from(options, [plan])
    output.notes.extend(price_notes([plan], options))
    with Store.open(store_place) as store:
        documents, protocol = texts_and_protocol(store, source, options)
        names = [entry.name for entry in campaign.campaigns(store)]
        sample = sample_documents(documents, sentences)
        if not any(document.systems for document in sample):
            raise LannerError("There are no translations in these texts.", next_step="Give texts with outputs.")
        others = languages or tuple(code for code in ("de",) if code in protocol.text)
        with watching(output) as show:
            report = asyncio.run(
                audit_model(
                    store,
                    f"audit-{slug(model)}-{slug(protocol.name)}",
                    sample,
                    protocol,
                    plan,
                    samples=repeats,
                    languages=others,
                    limits=limits,
                    report=show,
                    people_of=source if source in names else None,
                )
            )
    rows = []
    for check, row in zip(report.checks, result_rows([check.result for check in report.checks]), strict=True):
        rows.append({"probe": check.probe, **row, "verdict": check.verdict, "in words": check.sentence})
    columns: list[str | tuple[str, str]] = [
        *("probe", "question", "statistic"),
        ("estimate", "estimate [95 %]"),
        *("n", "in words"),
    ]
    output.table(rows, columns)
    number = sum(len(document.segments) for document in sample)
    output.note(f"{len(sample):,} documents with {number:,} sentences; kept in {' and '.join(report.campaigns)}.")
    if report.totals.stopped:
        output.note(f"Stopped early: {report.totals.stopped}. The same command goes on from there.")
    if report.totals.missing or report.totals.failed:
        output.note(f"{report.totals.missing + report.totals.failed:,} items have no answer and are left out.")
    output.sign(f"{protocol.name} · {plan.attributes['template']} · context {plan.settings.context}")
    output.end()
