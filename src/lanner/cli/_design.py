"""`lanner design`: who would get what, how long it would take and what it would cost, before anything is created."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanner import designs, protocols
from lanner.cli._judges import judges_from
from lanner.cli._options import parse_options, typed
from lanner.cli._output import Output
from lanner.cli._settings import settings_from
from lanner.cli._source import documents_of
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.adaptive import most_tasks
from lanner.designs.plan import plan
from lanner.designs.prepare import prepare
from lanner.protocols.context import in_contexts, names_in


def run(
    texts: Path | None,
    protocol: str | None,
    judges: str,
    name: str,
    options: tuple[str, ...],
    contexts: str,
    systems: str | None,
    settings_file: Path | None,
    before: str,
    after: str,
    seed: int,
    rate: float | None,
    format_name: str | None,
    as_json: bool,
) -> None:
    """Preview the assignments of a campaign. Without --texts and --protocol, list the designs and their options."""
    output = Output("design", as_json)
    if texts is None or protocol is None:
        rows = [
            {"design": key, "what": title, "options": ", ".join(f"{k}={v}" for k, v in designs.options(key).items())}
            for key, title in designs.titles().items()
        ]
        output.table(rows)
        output.end()
        return
    documents = list(documents_of(texts, format_name))
    settings = settings_from(settings_file, before, after)
    people = judges_from(judges)
    around = {when: [protocols.load(own) for own in settings.get(when, ())] for when in ("before", "after")}
    main = protocols.load(protocol, wording=str(settings.get("wording", "")))
    if contexts or settings.get("contexts"):
        main = in_contexts(main, names_in(contexts) if contexts else settings["contexts"])
        name = "latin_square" if name == "full" else name  # nobody may meet a text in two contexts
    protocol_in_use = protocols.compose(main, **around)
    names = (
        [system.strip() for system in systems.split(",")]
        if systems
        else list(dict.fromkeys(name for document in documents for name in document.systems))
    )
    rng = np.random.default_rng(seed)
    typed_options = typed(parse_options(options))
    tasks = prepare(
        name,
        documents,
        people,
        protocol_in_use,
        rng=rng,
        systems=names,
        options=typed_options,
        settings=settings,
        seed=seed,
    )
    if name == ADAPTIVE:
        tasks += most_tasks(
            documents, protocol_in_use, systems=names, rng=rng, **{**designs.options(name), **typed_options}
        )
        output.note("At most: an adaptive campaign ends when it is enough. lanner plan says what that may save.")
    summary = plan(tasks, documents, people, protocol_in_use, hourly_rate=rate, design=name)
    for what, how_much in summary.facts:
        output.say(f"  {what:<10} {how_much}")
    output.say()
    output.table([judge.row() for judge in summary.judges])
    output.say()
    output.table([page.row() for page in summary.pages])
    output.notes.extend(summary.warnings)
    output.sign(f"{protocol_in_use.label} · design {name} · seed {seed}")
    output.end()
