"""`lanner prompt`, `replay`, `ledger` and `metric`: what model judges are asked, answer and cost; automatic scores."""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lanner import campaign, formats, metrics, protocols
from lanner.analysis.material import Material, part_in_pair
from lanner.cli import chosen_pair, parse_options, reading_options
from lanner.cli.early_checks import names, refuse_shared_name
from lanner.cli.output import Output
from lanner.cli.source import documents_of, materials
from lanner.errors import ExitCode, InputError, LannerError, Where, check_known
from lanner.judges import providers
from lanner.judges import template as templates
from lanner.judges.prompt import EXAMPLE, PromptSettings, stage_prompts
from lanner.judges.providers import Endpoint
from lanner.judges.replay import replay
from lanner.judges.replies import ItemRequest, verdict
from lanner.judges.request import ask_once
from lanner.judges.run import nothing_to_judge
from lanner.judges.setup import host_of
from lanner.judges.unanswered import unanswered
from lanner.metrics import Languages, MetricRating, rate
from lanner.model import Document, Judge, JudgeKind, Judgement
from lanner.model.messages import estimate, plural
from lanner.protocols.answers import texts_of
from lanner.stats.resample import Resampling
from lanner.store import LedgerEntry, Store

# `lanner prompt`: read the prompts of model judges, check one's own, try one on a text.


def show_prompt(output: Output, name: str, variables: bool) -> None:
    """List the prompts that are there, or print the words of one."""
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


def check_prompt(output: Output, name: str, protocol: str) -> None:
    """Check a prompt: its form, its variables, and its words with every protocol that it is for."""
    template = templates.load(name)
    names = [protocol] if protocol else list(template.protocols or protocols.names())
    settings = PromptSettings(comments=False, template=template)
    prompts = sum(len(stage_prompts(protocols.load(each), settings)) for each in names)
    output.rows.append({"name": template.name, "version": template.version, "digest": template.digest})
    output.say(f"{template.label} is sound: {prompts} prompts for {len(names)} protocols were filled in.")


def try_prompt(
    output: Output,
    name: str,
    protocol: str,
    texts: Path | None,
    context: str,
    rationale: bool,
    model: str,
    provider: str,
    base_url: str,
) -> None:
    """Fill a prompt in with the first text, and show the reply where a model is named."""
    server = base_url or providers.base_url(provider)
    if model:
        host_of(server)
    template = templates.load(name)
    settings = PromptSettings(
        context, comments=False, template=replace(template, rationale=rationale or template.rationale)
    )
    what = protocols.load(protocol)
    document = next(iter(documents_of(texts, None)), None) if texts else EXAMPLE
    if document is None:
        raise LannerError("There is no text in this file.")
    prompts = stage_prompts(what, settings, document)
    if not prompts:
        raise nothing_to_judge(what)
    for stage, item, prompt in prompts:
        row: dict[str, object] = {"stage": stage.id, "system": prompt.system, "user": prompt.user}
        output.rows.append(row)
        output.say(f"Stage {stage.id}", style="bold")
        output.say(f"[system]\n{prompt.system}\n")
        for question, reply in template.examples:
            output.say(f"[user]\n{question.strip()}\n[assistant]\n{reply.strip()}\n")
        output.say(f"[user]\n{prompt.user}\n")
        if model:
            endpoint = Endpoint(server, provider)
            reply_text = asyncio.run(ask_once(endpoint, model, prompt, template.turns))
            scope = ItemRequest(what, (stage,), texts_of(document, item), {}, max(2, len(item.systems)))
            outcome = verdict(reply_text, scope, prompt.schema)
            row |= {"reply": reply_text, "valid": outcome.answers is not None, "problem": outcome.problem}
            output.say(f"[reply]\n{reply_text}\n")
            output.say("A valid answer." if outcome.answers is not None else f"Not an answer: {outcome.problem}")


# `lanner replay`: take in outputs that a model gave elsewhere, as the answers of a judge.


_MOST_NAMED = 10


def run_replay(output: Output, store: Store, name: str, files: Sequence[Path], judge_name: str) -> int:
    """Take in files of JSON lines with a model's answers, each as one judge."""
    refuse_shared_name(files, judge_name)
    rows = []
    unusable = 0
    for path in files:
        report = replay(store, name, path, judge_name)
        judge = judge_name or path.stem
        rows.append(
            {
                "judge": judge,
                "answers": report.judgements,
                "spellings mended": sum(report.repairs.values()),
                "flagged": sum(report.flags.values()),
                "not usable": len(report.unusable),
            }
        )
        output.note(*(f"{judge}: {note}" for note in report.notes))
        unusable += len(report.unusable)
        if report.unusable:
            are = plural(len(report.unusable), "output is no answer", "outputs are no answers")
            command = f"lanner ledger {shlex.quote(name)} {shlex.quote(judge)} --missing"
            output.note(*report.unusable[:_MOST_NAMED], f"{judge}: {are}, and missing. `{command}` lists them.")
    output.table(rows)
    output.say()
    output.say(f"Next: lanner agreement {shlex.quote(name)}", style="bold")
    return ExitCode.INCOMPLETE if unusable else ExitCode.DONE


# `lanner ledger`: what a model was sent, what came back, what it cost, and why items are missing.


def run_ledger(output: Output, store: Store, name: str, judge: str | None, limit: int, **filters: Any) -> None:
    """List every reply of a model judge, oldest first."""
    judges = _judges(store, name, judge)
    rows: list[dict[str, Any]] = []
    left_out = 0
    for judge_name, number in judges.items():
        entries = _entries(store, number)
        texts = _texts(entries) if filters["full"] else {}
        if filters["missing"]:
            entries = [(document, entry) for document, entry, _ in unanswered(entries)]
        for document, entry in entries:
            detail = json.loads(entry.detail)
            if filters["document"] not in ("", document) or filters["segment"] not in ("", entry.segment):
                continue
            if len(rows) >= limit:
                left_out += 1
                continue
            rows.append(_row(judge_name, document, entry, detail))
            if filters["full"]:
                rows[-1] |= {"request": _request(detail, texts), "reply": entry.raw}
                _print_texts(output, rows[-1], detail)
    if not filters["full"] or output.as_json:
        output.table(rows)
    if not judges:
        output.note(f"No model judges {name}. Add one with: lanner judge {shlex.quote(name)} --model …")
    with store.reading() as tx:
        totals = {judge_name: tx.ledger.spent(number) for judge_name, number in judges.items()}
    for judge_name, spent in totals.items():
        cost = "not known" if spent.cost is None else f"{spent.cost:.4f}"
        replies = plural(spent.replies, "reply", "replies")
        output.note(f"{judge_name}: {replies}, {spent.tokens:,} tokens, cost {cost}.")
    if left_out:
        output.note(f"{plural(left_out, 'more row; --limit shows it', 'more rows; --limit shows them')}.")


def _judges(store: Store, name: str, judge: str | None) -> dict[str, int]:
    entry = campaign.get(store, name)
    with store.reading() as tx:
        models = {
            participant.judge.id: participant.number
            for participant in tx.judges.all(entry.id)
            if participant.judge.kind is JudgeKind.MODEL
        }
    if judge:
        check_known(judge, models, f"No model judge is called {judge!r} here.")
    return {judge: models[judge]} if judge else models


def _entries(store: Store, number: int) -> list[tuple[str, LedgerEntry]]:
    with store.reading() as tx:
        return list(tx.ledger.of_judge(number))


def _texts(entries: Sequence[tuple[str, LedgerEntry]]) -> dict[str, Any]:
    """Instructions and schemas by their hashes: each stands in one row of a run alone."""
    return {name: text for _, entry in entries for name, text in json.loads(entry.detail).get("texts", {}).items()}


def _row(judge: str, document: str, entry: LedgerEntry, detail: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "judge": judge,
        "document": document,
        "segment": entry.segment,
        "systems": json.loads(entry.systems),
        "page": entry.page,
        "sample": entry.sample,
        "attempt": entry.attempt,
        "outcome": entry.outcome,
        "failed at": detail.get("step", ""),
        "finish": detail.get("finish", ""),
        "tokens": entry.tokens_in + entry.tokens_out,
        "cost": entry.cost,
        "why": entry.problem,
    }


def _request(detail: Mapping[str, Any], texts: Mapping[str, Any]) -> dict[str, Any]:
    """The request as it was sent: settings, instructions, messages."""
    system = texts.get(detail.get("system", ""), "")
    return {"settings": detail.get("sent", {}), "messages": [["system", system], *detail.get("messages", [])]}


def _print_texts(output: Output, row: Mapping[str, Any], detail: Mapping[str, Any]) -> None:
    place = f"{row['document']} {row['segment']}".strip()
    output.say(f"{row['judge']} · {place} · attempt {row['attempt']} · {row['outcome']}", style="bold")
    output.say(f"settings: {json.dumps(row['request']['settings'], ensure_ascii=False)}")
    for role, text in row["request"]["messages"]:
        output.say(f"[{role}]\n{text}\n")
    for name in ("reasoning", "refusal"):
        if detail.get(name):
            output.say(f"[{name}]\n{detail[name]}\n")
    output.say(f"[reply]\n{row['reply']}\n")
    if row["why"]:
        output.say(f"Why it was no answer: {row['why']}\n")


# `lanner metric`: rate systems automatically, print their scores, keep them for all other commands.


def run_metric(
    output: Output,
    given: tuple[str, ...],
    references: str | None,
    systems: str | None,
    options: tuple[str, ...],
    out: Path | None,
    save: str | None,
    listed: bool,
    seed: int,
    format_name: str | None,
    store_place: str,
) -> None:
    """Score every system with one or more metrics, with confidence intervals over documents."""
    if listed or not given:
        output.table([{"metric": name, "what": title} for name, title in metrics.titles().items()])
        return
    *words, source = given
    if not words or source in metrics.names():
        hint = "For instance: lanner metric bleu chrf texts.jsonl"
        raise LannerError("Name one metric or more, and last the file or campaign.", next_step=hint)
    documents, judges, judgements = _texts_to_rate(
        source, store_place, format_name, chosen_pair(), scored=bool(out or save)
    )
    tongues = Languages(documents[0].source_language, documents[0].target_language)
    with _NotesFromLog(output):
        parts = [
            rate(
                documents,
                metrics.make(name, tongues, **parse_options(options)),
                systems=names(systems),
                references=names(references),
                resampling=Resampling(seed=seed),
            )
            for name in words
        ]
    for rating in parts:
        _print(output, rating)
    raters = [*judges, *(rating.judge for rating in parts)]
    scores = [*judgements, *(judgement for rating in parts for judgement in rating.judgements)]
    if out:
        _keep(out, documents, raters, scores)
        judge = parts[0].judge.id
        after = (
            f"lanner scores {shlex.quote(str(out))} --question score --judges {shlex.quote(judge)}"
            if out.suffix == ".jsonl"
            else f"lanner metaeval {shlex.quote(str(out))}"
        )
        output.say(f"Kept in {out}. Next: {after}")
    if save:
        number = _store(store_place, save, documents, raters, scores)
        output.say(
            f"Stored {plural(number, 'score')} as the campaign {save}. "
            f"Next: lanner metaeval {shlex.quote(save)} --gold JUDGE"
        )


class _NotesFromLog(logging.Handler):
    """What metrics log (contexts that were trimmed, say) becomes notes of the output."""

    def __init__(self, output: Output) -> None:
        super().__init__(logging.WARNING)
        self.output = output

    def emit(self, record: logging.LogRecord) -> None:
        self.output.note(record.getMessage())

    def __enter__(self) -> None:
        logging.getLogger("lanner.metrics").addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("lanner.metrics").removeHandler(self)


def _texts_to_rate(
    source: str, store_place: str, format_name: str | None, pair: str | None, *, scored: bool
) -> tuple[list[Document], list[Judge], list[Judgement]]:
    """The documents of one language pair, and the scores that came with them where they are to be kept (`scored`):
    a folder of a shared task holds a hundred files of scores."""
    if not Path(source).exists():
        parts = materials(source, store_place, format_name)
    elif scored or not _has_texts_alone(source, format_name):
        readings = formats.read(source, format_name, **reading_options())
        parts = [Material(r.name, None, r.documents, r.judges, r.judgements) for r in readings]
    else:
        documents = tuple(formats.read_documents(source, format_name, **reading_options()))
        parts = [Material(source, None, documents, (), ())]
    pairs = list(dict.fromkeys(document.language_pair for part in parts for document in part.documents))
    if pair is None and len(pairs) > 1:
        hint = f"Say which with --languages: {', '.join(pairs)}."
        raise InputError(f"There are {len(pairs)} language pairs.", where=Where(source), next_step=hint)
    parts = [part for part in parts if part.documents]
    if not parts:
        raise InputError("There are no texts in it.", where=Where(source))
    part = part_in_pair(parts, None, pair) if pair else parts[0]
    return list(part.documents), list(part.judges), list(part.judgements)


def _has_texts_alone(source: str, format_name: str | None) -> bool:
    """Whether texts can be read without the scores beside them."""
    name = format_name or formats.recognise(source, **reading_options())
    return formats.load(name).read_documents is not None


def _print(output: Output, rating: MetricRating) -> None:
    rows = [
        {
            "metric": rating.judge.id,
            **row,
            "value": row["score"],
            "unit": "document",
            "signature": str(rating.result.signature),
            "estimate": estimate(row["score"], row["low"], row["high"], 2, bounded=False),
        }
        for row in rating.result.rows
    ]
    output.table(rows, ["system", ("estimate", f"{rating.judge.id} [95 %]"), ("n", "documents")])
    output.say(str(rating.result.signature), style="dim")
    output.note(*rating.result.notes)


def _keep(out: Path, documents: list[Document], judges: list[Judge], judgements: list[Judgement]) -> None:
    """An earlier score of the same metric is replaced, all else is kept beside the new scores."""
    latest = {(j.judge, j.stage, j.question, j.document, j.segment, j.systems, j.role): j for j in judgements}
    judges_by_id = {judge.id: judge for judge in judges}
    form = "native" if out.suffix == ".jsonl" else "mtme"
    formats.write(form, out, documents, list(latest.values()), list(judges_by_id.values()))


def _store(place: str, name: str, documents: list[Document], judges: list[Judge], judgements: list[Judgement]) -> int:
    """How many scores there are in the new campaign; judges whose answers are no scores stay out of it."""
    answers = metrics.answers(judgements)
    judge_ids = {judgement.judge for judgement in answers}
    active = [judge for judge in judges if judge.id in judge_ids]
    with Store.open(place) as store:
        summary = campaign.import_campaign(store, name, answers, metrics.protocol(), documents=documents, judges=active)
    return summary.judgements
