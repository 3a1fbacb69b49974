"""`lanner ledger`: what a model was sent, what came back, what it cost, and why items are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lanner import campaign
from lanner.cli._output import Output
from lanner.errors import LannerError, did_you_mean
from lanner.model import JudgeKind
from lanner.store import Entry, Store


def run(name: str, judge: str | None, store_place: str, as_json: bool, limit: int, **filters: Any) -> None:
    """List every reply of a model judge, oldest first."""
    output = Output("ledger", as_json)
    with Store.open(store_place, create=False) as store:
        judges = _judges(store, name, judge)
        rows: list[dict[str, Any]] = []
        left_out = 0
        for judge_name, number in judges.items():
            texts: dict[str, Any] = {}
            for document, entry in _entries(store, number, missing=filters["missing"]):
                detail = json.loads(entry.detail)
                texts |= detail.get("texts", {})
                if filters["document"] not in ("", document) or filters["segment"] not in ("", entry.segment):
                    continue
                if len(rows) >= limit:
                    left_out += 1
                    continue
                rows.append(_row(judge_name, document, entry, detail))
                if filters["full"]:
                    rows[-1] |= {"request": _request(detail, texts), "reply": entry.raw}
                    _print_texts(output, rows[-1], detail)
        totals = [{"judge": judge_name, **_spent(store, number)} for judge_name, number in judges.items()]
    if not filters["full"] or as_json:
        output.table(rows)
    for line in totals:
        cost = "not known" if line["cost"] is None else f"{line['cost']:.4f}"
        output.note(f"{line['judge']}: {line['replies']:,} replies, {line['tokens']:,} tokens, cost {cost}.")
    if left_out:
        output.note(f"{left_out:,} more rows; --limit shows them.")
    output.end()


def _judges(store: Store, name: str, judge: str | None) -> dict[str, int]:
    entry = campaign.get(store, name)
    with store.reading() as tx:
        models = {seat.judge.id: seat.number for seat in tx.judges.all(entry.id) if seat.judge.kind is JudgeKind.MODEL}
    if judge and judge not in models:
        raise LannerError(f"No model judge is called {judge!r} here.", next_step=did_you_mean(judge, list(models)))
    return {judge: models[judge]} if judge else models


def _entries(store: Store, number: int, *, missing: bool) -> Iterator[tuple[str, Entry]]:
    with store.reading() as tx:
        entries = list(tx.ledger.of_judge(number))
    if not missing:
        yield from entries
        return
    last = {entry.key: entry for _, entry in entries}
    yield from ((document, entry) for document, entry in entries if last[entry.key] is entry and _lacks(entry))


def _lacks(entry: Entry) -> bool:
    return entry.outcome != "valid"


def _row(judge: str, document: str, entry: Entry, detail: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "judge": judge,
        "document": document,
        "segment": entry.segment,
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


def _spent(store: Store, number: int) -> dict[str, Any]:
    with store.reading() as tx:
        replies, tokens_in, tokens_out, cost = tx.ledger.spent(number)
        has_prices = all(entry.cost is not None for _, entry in tx.ledger.of_judge(number))
    return {"replies": replies, "tokens": tokens_in + tokens_out, "cost": cost if has_prices else None}
