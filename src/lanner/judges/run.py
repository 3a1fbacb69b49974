"""Running model judges over a campaign, or over some of its documents (a shard), as fast as the servers allow.

Whatever ends a run, running it again goes on where it was: an item is open until its answer is stored, and a question
with a final row in the ledger is not asked again. Shards share nothing but the database, so they may run anywhere.
"""

from __future__ import annotations

import asyncio
import gc
import json
import shlex
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from random import Random
from typing import Any

from lanner import campaign
from lanner.errors import CampaignError, LannerError
from lanner.judges import providers
from lanner.judges.limits import Budget, Gate, ServerState, StoppedError, likely_tokens
from lanner.judges.plan import Limits, Member, Plan, Totals, differences, refuse_one_name
from lanner.judges.prompt import PromptExample, find_examples, require, require_examples
from lanner.judges.providers import Call, Endpoint, Provider, Reply
from lanner.judges.providers._batches import Batches
from lanner.judges.request import Channel, RunContext, Writer
from lanner.judges.setup import note_added
from lanner.judges.worker import JudgeWorker
from lanner.model import Campaign, CampaignState, Document, Json, JudgeKind, Protocol, Unit, all_systems
from lanner.store import LedgerEntry, Store, UnfinishedTask
from lanner.store.claims import running_judges

Report = Callable[[Totals], None]
Connect = Callable[[Endpoint], Provider]
Interrupted = Callable[[int], None]
INTERRUPTED = "it was interrupted"
"""Why a run stopped that was ended by a signal."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def participant(store: Store, reference: str | int, plans: Sequence[Plan]) -> Campaign:
    """Give every judge a place in the campaign and all of its texts to judge, unless it has them. A judge of the same
    name that is no model, or was run with other settings, is refused: its answers would not be one judge's."""
    refuse_one_name(plans)
    entry = campaign.get(store, reference)
    if entry.state is not CampaignState.OPEN:
        raise CampaignError(
            f"{entry.name} is {entry.state}, so it takes no answers.", code=str(entry.state), next_step="Open it first."
        )
    present = {found.judge.id: found for found in campaign.participants(store, entry.id)}
    for plan in plans:
        if plan.judge in present and present[plan.judge].revoked_at is not None:
            raise CampaignError(
                f"The link of the judge {plan.judge!r} was revoked, so its answers are not taken.",
                code="revoked",
                next_step=f"`lanner links {shlex.join((entry.name, '--judge', plan.judge))}` makes a new one; "
                "--as gives another name.",
            )
        known = present[plan.judge].judge if plan.judge in present else None
        if known is None:
            campaign.add_judges(store, entry.id, [plan.as_judge()], design="full", options={"all_scenarios": True})
            note_added(entry.id, [plan.judge])
        elif known.kind is not JudgeKind.MODEL or "replayed" in known.attributes:
            what = "whose answers came from a file" if known.kind is JudgeKind.MODEL else f"of the kind {known.kind}"
            raise CampaignError(
                f"{plan.judge!r} is a judge {what} here.",
                code="other_judge",
                next_step="Give the model another name with --as.",
            )
        elif other := differences(known.attributes, plan.attributes):
            raise CampaignError(
                f"The judge {plan.judge!r} has answered here with other settings ({_as_options(other)}).",
                code="other_settings",
                next_step="Give this one another name with --as, or the same settings.",
            )
    return entry


def _as_options(names: Sequence[str]) -> str:
    """Settings of a plan as the command line calls them."""
    return ", ".join(_OPTIONS.get(name, name) for name in names)


_OPTIONS = {
    "models": "--model",
    "template": "--prompt",
    "shown": "--context or language",
    "sampling": "top_p, reasoning_effort, weighted or extra_body",
    "calls": "mode",
    "rule": "combine",
    "examples": "few_shot",
}


def sizes(store: Store, reference: str | int, plans: Sequence[Plan]) -> dict[str, int]:
    """How many items are open in each document, over all these judges."""
    participants = participant(store, reference, plans)
    open_: dict[str, int] = {}
    with store.reading() as tx:
        for plan in plans:
            judge = tx.judges.find(participants.id, plan.judge)
            for work in tx.ledger.open_tasks(judge.number) if judge else ():
                open_[work.document] = open_.get(work.document, 0) + work.items
    return open_


def shards(store: Store, reference: str | int, plans: Sequence[Plan], number: int) -> list[list[str]]:
    """The documents with open work in so many parts, the parts about equally large. A document is never divided."""
    return divide(sizes(store, reference, plans), number)


def divide(open_items: Mapping[str, int], number: int) -> list[list[str]]:
    """Documents with so many open items each, in so many parts, about equally large."""
    parts: list[list[str]] = [[] for _ in range(max(1, min(number, len(open_items))))]
    filled = [0] * len(parts)
    for document in sorted(open_items, key=lambda key: -open_items[key]):
        place = filled.index(min(filled))
        parts[place].append(document)
        filled[place] += open_items[document]
    return parts


def run_shard(
    place: str, reference: str | int, plans: Sequence[Plan], documents: Sequence[str] | None, limits: Limits
) -> Totals:
    """Judge these documents from a process of its own: everything it needs is in its arguments and the store."""
    with Store.open(place, create=False) as store:
        return asyncio.run(run(store, reference, plans, documents=documents, limits=limits))


async def run(
    store: Store,
    reference: str | int,
    plans: Sequence[Plan],
    *,
    documents: Sequence[str] | None = None,
    limits: Limits | None = None,
    report: Report | None = None,
    examples: Sequence[PromptExample] | None = None,
    connect: Connect = providers.connect,
    interrupted: Interrupted | None = None,
) -> Totals:
    """Let these judges answer what is open, all documents or some. Answers are on disk before they are counted.
    `examples` replace those of the campaign; `connect` makes the connections. A whole campaign is for one run at a
    time; whoever gives `documents` sees to it that nobody else has the same. With `interrupted`, Ctrl+C or SIGTERM
    sends nothing more and waits for the replies under way, which are paid; it is told how many these are."""
    limits = limits or Limits()
    totals = Totals()
    budget = Budget(limits.max_cost, totals)
    connections = _Connections(limits, connect)
    try:
        if examples is None:
            examples = find_examples(store, reference) if any(plan.examples for plan in plans) else []
        wanted = max(plan.examples for plan in plans)
        require_examples(examples, wanted, campaign.documents(store, reference) if wanted else ())
        channels = [[connections.channel(member) for member in plan.members] for plan in plans]
        protocol = campaign.protocol(store, reference)
        for plan in plans:
            require(protocol, plan.settings)
        participants = await asyncio.to_thread(
            participant, store, reference, plans
        )  # nothing is made before all else is known
        if all(stage.unit is Unit.JUDGE for stage in protocol.stages):
            raise nothing_to_judge(protocol)
        numbers = judge_numbers(store, participants.id, plans)
        with running_judges(store, numbers if documents is None else {}):
            async with Writer(store) as writer, _quiet_collector(), _ended_by_signals(budget, connections, interrupted):
                shared = RunContext(store, participants, protocol, writer, limits, totals, budget, examples)
                workers = [
                    JudgeWorker(shared, plan, theirs, numbers[plan.judge])
                    for plan, theirs in zip(plans, channels, strict=True)
                ]
                await _Shift(workers, limits, totals, report).work(documents)
    finally:
        await connections.close()
    return totals


def nothing_to_judge(protocol: Protocol) -> LannerError:
    """The error where a protocol is a questionnaire and no more."""
    return LannerError(
        f"{protocol.name} asks judges about themselves and nothing about texts, so a model is not asked.",
        next_step="Name another protocol: lanner protocols lists them.",
    )


def judge_numbers(store: Store, campaign_id: int, plans: Sequence[Plan]) -> dict[str, int]:
    """The participants of these judges."""
    names = {plan.judge for plan in plans}
    with store.reading() as tx:
        return {entry.judge.id: entry.number for entry in tx.judges.all(campaign_id) if entry.judge.id in names}


@asynccontextmanager
async def _quiet_collector() -> AsyncIterator[None]:
    """What is in memory now stays, and what a question leaves behind is freed without cycles: looking for them as
    often as usual costs a tenth of the run."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


@asynccontextmanager
async def _ended_by_signals(
    budget: Budget, connections: _Connections, interrupted: Interrupted | None
) -> AsyncIterator[None]:
    """The first signal ends a run after the replies under way, the second at once; so does the first where these are a
    batch, which takes a day and is found again. On Windows, and beside the main thread, signals do what they do."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def end() -> None:
        under_way = connections.in_flight
        if budget.stopping == INTERRUPTED or connections.has_batches or not under_way:
            assert task is not None
            task.cancel()
            return
        budget.stop(INTERRUPTED)
        connections.turn_away(StoppedError(INTERRUPTED))
        assert interrupted is not None
        interrupted(under_way)

    heard: list[signal.Signals] = []
    if interrupted is not None:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            for each in _SIGNALS:
                loop.add_signal_handler(each, end)
                heard.append(each)
    try:
        yield
    finally:
        for each in heard:
            loop.remove_signal_handler(each)


class _Connections:
    """One connection and one gate per server, shared by all who ask there."""

    def __init__(self, limits: Limits, connect: Connect) -> None:
        self._limits = limits
        self._connect = connect
        self._open: dict[Endpoint, tuple[Provider, Gate]] = {}

    def channel(self, member: Member) -> Channel:
        endpoint = member.endpoint
        if endpoint not in self._open:
            provider = self._connect(endpoint)
            pace = ServerState(
                self._limits.in_flight, start=provider.at_once, rpm=self._limits.rpm, tpm=self._limits.tpm
            )
            self._open[endpoint] = (provider, Gate(pace))
        return Channel(member, *self._open[endpoint])

    @property
    def in_flight(self) -> int:
        return sum(gate.pace.in_flight for _, gate in self._open.values())

    @property
    def has_batches(self) -> bool:
        return any(isinstance(provider, Batches) for provider, _ in self._open.values())

    def turn_away(self, problem: Exception) -> None:
        for _, gate in self._open.values():
            gate.turn_away(problem)

    async def close(self) -> None:
        for provider, _ in self._open.values():
            await provider.close()


class _Shift:
    """Keeps enough documents under way that the servers always have something to do, and no more: memory stays flat
    however many there are."""

    def __init__(self, workers: Sequence[JudgeWorker], limits: Limits, totals: Totals, report: Report | None) -> None:
        self._workers = workers
        self._limits = limits
        self._totals = totals
        self._report = report
        self._enough = 4 * limits.in_flight + 16  # a document is in hand until its last answer is on disk
        self._in_hand = 0
        self._room = asyncio.Event()

    async def work(self, documents: Sequence[str] | None) -> None:
        only = frozenset(documents) if documents is not None else None
        queues = [await asyncio.to_thread(one.documents, only) for one in self._workers]
        jobs = [[(one, works) for _, works in queue] for one, queue in zip(self._workers, queues, strict=True)]
        turns = [job for job in chain.from_iterable(zip_longest(*jobs)) if job is not None]
        everything = sum(work.items for _, works in turns for work in works)
        left = everything if self._limits.items is None else min(everything, self._limits.items)
        self._totals.open = left
        ticker = asyncio.create_task(self._tick()) if self._report else None
        try:
            async with asyncio.TaskGroup() as group:
                for one, works in turns:
                    while self._in_hand >= self._enough:
                        self._room.clear()
                        await self._room.wait()
                    if self._totals.stopped or (left <= 0 and self._limits.items is not None):
                        break
                    if one.hopeless:
                        continue
                    number = sum(work.items for work in works)
                    most = left if self._limits.items is not None and number > left else None
                    left -= number
                    self._in_hand += number
                    group.create_task(self._one(one, works, number, most))
        except BaseExceptionGroup as problems:
            raise _first(problems) from None
        finally:
            reasons = [one.hopeless for one in self._workers if one.hopeless]
            self._totals.stopped = self._totals.stopped or "; ".join(reasons)
            if ticker:
                ticker.cancel()
            if self._report:
                self._report(self._totals)

    async def _one(self, worker: JudgeWorker, works: list[UnfinishedTask], number: int, most: int | None) -> None:
        try:
            await worker.judge(works, most)
        finally:
            self._in_hand -= number
            self._room.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            assert self._report is not None
            self._report(self._totals)


def _first(problems: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error worth telling: a user's before a bug's."""
    first: BaseException = problems.subgroup(LannerError) or problems
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


# A run without a server, on a copy: what would be asked, to the letter, and about how much it would come to.
#
# The first items are answered by dice that fit the schema, so that later stages have something to ask about; nothing of
# it is kept.

_TRIED = 40  # sentences: enough for a mean
_MOST = 1000  # items, where documents are long or systems many
_THROWS = 50  # until the dice show an answer that has a meaning too


@dataclass(frozen=True, slots=True)
class RunEstimate:
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
        tokens = likely_tokens(*(message["content"] for message in call.messages))
        return Reply(text, call.model, tokens_in=tokens, tokens_out=max(1, likely_tokens(text)))

    async def models(self) -> list[str]:
        return []

    async def close(self) -> None:
        return None


def instance(schema: Mapping[str, Any], dice: Random) -> Json:
    """A value that fits the schema; labels are different, and lists of all else as short as allowed."""
    if "anyOf" in schema:
        return instance(dice.choice(schema["anyOf"]), dice)
    if "enum" in schema:
        return dice.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            return {name: instance(entry, dice) for name, entry in schema.get("properties", {}).items()}
        case "array":
            number, entries = schema.get("minItems", 0), schema["items"]
            if "enum" in entries:
                most = len(entries["enum"])
                return dice.sample(
                    entries["enum"], dice.randint(min(number, most), min(most, schema.get("maxItems", most)))
                )
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
    examples: Sequence[PromptExample] = (),
    limits: Limits | None = None,
    done: int = 0,
) -> RunEstimate:
    """Try the first documents of a copy and reckon the whole, less what is done. Nothing is asked of anyone and
    nothing is stored."""
    most = (limits or Limits()).items
    actor = Actor()
    nowhere = Endpoint("http://nowhere/v1")
    acting = [
        replace(plan, members=tuple(replace(m, endpoint=nowhere) for m in plan.members), reasks=_THROWS)
        for plan in plans
    ]
    tried = _first_documents(documents)
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "rehearsal.sqlite") as store:
        systems = all_systems(documents)  # with an output anywhere
        entry = campaign.create(store, "rehearsal", tried, protocol, systems=list(systems))
        with store.writing() as tx:
            tx.campaigns.set_state(entry.id, CampaignState.OPEN)
        totals = await run(
            store, entry.id, acting, limits=Limits(items=_MOST), examples=examples, connect=lambda _: actor
        )
        whole = sum(_items(store, entry.id, plan.judge, protocol, (documents, tried)) for plan in acting)
        with store.reading() as tx:  # throws of the dice without meaning are no questions
            rows = [row for n in judge_numbers(store, entry.id, acting).values() for _, row in tx.ledger.of_judge(n)]
    left = max(0, whole - done)
    return _scale_up(left if most is None else min(left, most), totals.settled, rows, actor.calls)


def _first_documents(documents: Sequence[Document]) -> list[Document]:
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


def _scale_up(items: int, tried: int, rows: Sequence[LedgerEntry], calls: Sequence[Call]) -> RunEstimate:
    share = items / tried if tried else 0.0
    first_rows = [row for row in rows if row.attempt == 1]
    costs = [row.cost for row in first_rows if row.cost is not None]
    first_calls = [call for call in calls if call.name.endswith("-1")]
    one_of_each: dict[str, Call] = {}
    for call in first_calls:
        one_of_each.setdefault(call.messages[0]["content"], call)
    examples = [*one_of_each.values(), *(call for call in first_calls if call not in one_of_each.values())][:3]
    return RunEstimate(
        items,
        round(len(first_rows) * share),
        round(sum(row.tokens_in for row in first_rows) * share),
        round(sum(row.tokens_out for row in first_rows) * share),
        sum(costs) * share if len(costs) == len(first_rows) else None,
        examples,
    )
