"""`lanner guidelines`: the guidelines of a campaign as a versioned file, with examples from its own decisions."""

from __future__ import annotations

from pathlib import Path

from lanner.cli._output import Output
from lanner.errors import InputError, Where
from lanner.reports.files import write_whole
from lanner.reports.guidelines import campaign_guidelines
from lanner.reports.html import render
from lanner.store import Store


def run(name: str, out: Path | None, language: str, store_place: str, as_json: bool) -> None:
    """Print the guidelines of a campaign as they stand: instructions, every definition, notes added while it runs, and
    each settled disagreement as a worked example. The version goes up with every note and decision, so that two
    prints can be told apart."""
    output = Output("guidelines", as_json)
    with Store.open(store_place, create=False) as store:
        text = campaign_guidelines(store, name, language=language)
    if out is not None:
        if out.suffix not in (".md", ".html"):
            raise InputError("The name must end in .md or .html.", where=Where(out))
        write_whole(out, text.markdown() if out.suffix == ".md" else render(text.report()))
        output.say(f"{out}: version {text.version}, {len(text.decisions)} decisions")
    else:
        output.say(text.markdown())
    output.rows.append(
        {"version": text.version, "digest": text.digest, "decisions": len(text.decisions), "protocol": text.protocol}
    )
    output.sign(text.byline)
    output.end()
