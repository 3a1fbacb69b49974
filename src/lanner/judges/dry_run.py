"""A run without a server, on a copy: what would be asked, to the letter, and about how much it would come to.

The first items are answered by dice that fit the schema, so that later stages have something to ask about; nothing of
it is kept. Tokens are reckoned from characters, which is right within a third for most languages and models.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from lanner import campaign
from lanner.judges.examples import Example
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.providers import Call, Endpoint, Reply
from lanner.judges.request import CHARACTERS_PER_TOKEN
from lanner.judges.run import run
from lanner.model import CampaignState, Document, Json, Protocol, Unit
from lanner.store import Store

_TRIED = 40  # sentences: enough for a mean
_MOST = 1000  # items, where documents are long or systems many


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would come to. `cost` is None where prices are not known."""

    items: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    prompts: Sequence[Call] = ()


@dataclass(slots=True)
class Actor:
    """Plays the server: notes each question and answers it by dice."""

    calls: list[Call] = field(default_factory=list)
    dice: Random = field(default_factory=lambda: Random(0))
    at_once: int = 8

    async def ask(self, call: Call) -> Reply:
        self.calls.append(call)
        text = json.dumps(instance(call.schema, self.dice))
        tokens = int(sum(len(message["content"]) for message in call.messages) / CHARACTERS_PER_TOKEN)
        return Reply(text, call.model, tokens_in=tokens, tokens_out=max(1, int(len(text) / CHARACTERS_PER_TOKEN)))

    async def models(self) -> list[str]:
        return []

    async def close(self) -> None:
        return None


def instance(schema: Mapping[str, Any], dice: Random) -> Json:
    """A value that fits the schema; lists as short as allowed, their entries different."""
    if "anyOf" in schema:
        kinds = [entry for entry in schema["anyOf"] if entry.get("type") == "null"] or schema["anyOf"]
        return instance(kinds[0], dice)
    if "enum" in schema:
        return dice.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            return {name: instance(entry, dice) for name, entry in schema.get("properties", {}).items()}
        case "array":
            number, entries = schema.get("minItems", 0), schema["items"]
            if "enum" in entries and number <= len(entries["enum"]):
                return dice.sample(entries["enum"], number)
            return [instance(entries, dice) for _ in range(number)]
        case "integer":
            return dice.randint(int(schema.get("minimum", 0)), int(schema.get("maximum", 9)))
        case "number":
            return round(dice.uniform(schema.get("minimum", 0), schema.get("maximum", 9)), 1)
        case "boolean":
            return dice.random() < 0.5
        case "null":
            return None
        case _:
            return "…"


async def estimate(
    documents: Sequence[Document],
    protocol: Protocol,
    plans: Sequence[Plan],
    *,
    examples: Sequence[Example] = (),
    limits: Limits | None = None,
    done: int = 0,
) -> Estimate:
    """Try the first documents of a copy and reckon the whole, less what is done. Nothing is asked of anyone and
    nothing is stored."""
    most = (limits or Limits()).items
    actor = Actor()
    nowhere = Endpoint("http://nowhere/v1")
    acting = [replace(plan, members=tuple(replace(m, endpoint=nowhere) for m in plan.members)) for plan in plans]
    tried = _first(documents)
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "rehearsal.sqlite") as store:
        systems = _systems(documents)
        entry = campaign.create(store, "rehearsal", tried, protocol, systems=systems)
        with store.writing() as tx:
            tx.campaigns.set_state(entry.id, CampaignState.OPEN)
        totals = await run(
            store, entry.id, acting, limits=Limits(items=_MOST), examples=examples, connect=lambda _: actor
        )
        whole = sum(_items(store, entry.id, plan.judge, protocol, (documents, tried)) for plan in acting)
    left = max(0, whole - done)
    return _scaled(left if most is None else min(left, most), totals, actor.calls)


def _systems(documents: Sequence[Document]) -> list[str]:
    """Every system that has an output anywhere."""
    return list(dict.fromkeys(name for document in documents for name in document.systems))


def _first(documents: Sequence[Document]) -> list[Document]:
    """Whole documents, since pages and stages come in their true proportion only there."""
    selection: list[Document] = []
    for document in documents:
        selection.append(document)
        if sum(len(entry.segments) for entry in selection) >= _TRIED:
            break
    return selection


def _items(
    store: Store, number: int, judge: str, protocol: Protocol, parts: tuple[Sequence[Document], Sequence[Document]]
) -> int:
    """How many items all documents come to, page by page, from those that were tried."""
    by_documents = len(parts[0]) / len(parts[1])
    sentences = [sum(len(document.segments) for document in part) for part in parts]
    by_sentences = sentences[0] / max(1, sentences[1])
    whole = 0.0
    for task in campaign.tasks(store, number, judge):
        units = {stage.unit for stage in protocol.pages[task.page]}
        if units != {Unit.JUDGE}:
            whole += len(task.items) * (by_documents if units == {Unit.DOCUMENT} else by_sentences)
    return round(whole)


def _scaled(items: int, totals: Totals, calls: Sequence[Call]) -> Estimate:
    share = items / totals.settled if totals.settled else 0.0
    one_of_each: dict[str, Call] = {}
    for call in calls:
        one_of_each.setdefault(call.messages[0]["content"], call)
    examples = [*one_of_each.values(), *(call for call in calls if call not in one_of_each.values())][:3]
    return Estimate(
        items,
        round(totals.calls * share),
        round(totals.tokens_in * share),
        round(totals.tokens_out * share),
        totals.cost * share if totals.priced else None,
        examples,
    )
