"""`lanner prompt`: read the prompts of model judges, check one's own, try one on a text."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from lanner import protocols
from lanner.campaign.questions import fits, systems_of
from lanner.cli._output import Output
from lanner.cli._source import documents_of
from lanner.errors import LannerError
from lanner.judges import providers
from lanner.judges import template as templates
from lanner.judges.prompt import Prompt, Prompter, Settings
from lanner.judges.providers import Call, Endpoint
from lanner.judges.replies import Asked, verdict
from lanner.model import Document, Item, Object, Protocol, Segment, Stage, Unit
from lanner.protocols.answers import texts_of
from lanner.protocols.context import PEOPLE

EXAMPLE = Document(
    "example",
    tuple(
        Segment(str(place), source, {"system": output, "other": output}, {"reference": output})
        for place, (source, output) in enumerate(
            (
                ("The ferry was late.", "Die Fähre war zu spät."),
                ("It had met a storm.", "Sie war in einen Sturm geraten."),
            ),
            1,
        )
    ),
    "en",
    "de",
)
"""Two sentences, to fill a prompt with where no text is given."""


def show(name: str, variables: bool, as_json: bool) -> None:
    """List the prompts that are there, or print the words of one."""
    output = Output("prompt show", as_json)
    if name:
        template = templates.load(name)
        output.sign(template.label)
        output.rows.append({part: getattr(template, part) for part in ("name", "version", *templates.PARTS)})
        output.say(f"{template.label}: {template.title}", style="bold")
        if template.after:
            output.say(f"After {template.after}. In our own words.")
        output.say(f"For {', '.join(template.protocols) or 'every protocol'}.")
        for part in templates.PARTS:
            if getattr(template, part).strip():
                output.say(f"\n[{part}]\n{getattr(template, part).strip()}")
        for question, reply in template.examples:
            output.say(f"\n[example]\n{question.strip()}\n[its answer]\n{reply.strip()}")
    else:
        prompts = [templates.load(name) for name in templates.names()]
        output.table(
            [
                {
                    "prompt": prompt.name,
                    "version": prompt.version,
                    "title": prompt.title,
                    "protocols": ", ".join(prompt.protocols) or "every protocol",
                }
                for prompt in prompts
            ]
        )
    if variables:
        output.say()
        output.table(templates.shown_variables())
    output.end()


def check(name: str, protocol: str, as_json: bool) -> None:
    """Check a prompt: its form, its variables, and its words with every protocol that it is for."""
    output = Output("prompt check", as_json)
    template = templates.load(name)
    names = [protocol] if protocol else list(template.protocols or protocols.names())
    prompts = sum(len(filled(template, protocols.load(protocol_name))) for protocol_name in names)
    output.rows.append({"name": template.name, "version": template.version, "digest": template.digest})
    output.say(f"{template.label} is sound: {prompts} prompts for {len(names)} protocols were filled in.")
    output.end()


def try_(
    name: str,
    protocol: str,
    texts: Path | None,
    context: str,
    rationale: bool,
    model: str,
    provider: str,
    base_url: str,
    as_json: bool,
) -> None:
    """Fill a prompt in with the first text, and show the reply where a model is named."""
    output = Output("prompt try", as_json)
    template = replace(templates.load(name), rationale=rationale or templates.load(name).rationale)
    what = protocols.load(protocol)
    document = next(iter(documents_of(texts, None)), None) if texts else EXAMPLE
    if document is None:
        raise LannerError("There is no text in this file.")
    for stages, item, prompt in filled(template, what, document, context):
        row: dict[str, object] = {"stage": stages[0].id, "system": prompt.system, "user": prompt.user}
        output.rows.append(row)
        output.say(f"Stage {stages[0].id}", style="bold")
        output.say(f"[system]\n{prompt.system}\n")
        for question, reply in template.examples:
            output.say(f"[user]\n{question.strip()}\n[assistant]\n{reply.strip()}\n")
        output.say(f"[user]\n{prompt.user}\n")
        if model:
            endpoint = Endpoint(base_url or providers.base_url(provider), provider)
            turns = [
                {"role": role, "content": text.strip()}
                for pair in template.examples
                for role, text in zip(("user", "assistant"), pair, strict=True)
            ]
            reply_text = asyncio.run(_ask(endpoint, model, prompt, turns))
            scope = Asked(what, stages, texts_of(document, item), {}, max(2, len(item.systems)))
            outcome = verdict(reply_text, scope, prompt.schema)
            row |= {"reply": reply_text, "valid": outcome.answers is not None, "problem": outcome.problem}
            output.say(f"[reply]\n{reply_text}\n")
            output.say("A valid answer." if outcome.answers is not None else f"Not an answer: {outcome.problem}")
    output.end()


def filled(
    template: templates.Template, protocol: Protocol, document: Document = EXAMPLE, context: str = PEOPLE
) -> list[tuple[tuple[Stage, ...], Item, Prompt]]:
    """The prompt of each stage of a protocol about the first sentence; questionnaires are not for models."""
    prompter = Prompter(protocol, Settings(context, comments=False, template=template))
    systems = tuple(document.systems)
    prompts: list[tuple[tuple[Stage, ...], Item, Prompt]] = []
    for stage in prompter.asked(protocol.stages):
        if stage.unit is Unit.JUDGE:
            continue
        number = stage.outputs if stage.object is Object.OUTPUTS else 1
        names = (systems * number)[:number] if len(systems) < number else systems[:number]
        item = Item(document.id, "" if stage.unit is Unit.DOCUMENT else document.segments[0].id, names)
        if not fits(stage, item):
            continue
        item = replace(item, systems=systems_of(stage, item))
        prompts.append(((stage,), item, prompter.prompt([stage], document, item)))
    return prompts


async def _ask(endpoint: Endpoint, model: str, prompt: Prompt, turns: list[dict[str, str]]) -> str:
    connection = providers.connect(endpoint)
    messages = ({"role": "system", "content": prompt.system}, *turns, {"role": "user", "content": prompt.user})
    try:
        return (await connection.ask(Call(model, messages, prompt.schema, 0.0, 0, 2000, "try"))).text
    except (providers.OverloadedError, providers.UnanswerableError, providers.UnreadableError) as error:
        raise LannerError(f"No reply came: {error}.", next_step="Does it run, and is --base-url right?") from error
    finally:
        await connection.close()
