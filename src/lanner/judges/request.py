"""One question to one model, until there is a valid answer or no sense in asking again; and how replies and answers are
written."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from lanner import campaign
from lanner.campaign import SaveResult, Submission, UnfinishedError
from lanner.campaign.submit import save_all
from lanner.campaign.tasks import finish_in
from lanner.errors import LannerError
from lanner.judges.limits import Budget, Gate, StoppedError, likely_tokens
from lanner.judges.plan import LENGTHS, Limits, Member, Plan, Totals
from lanner.judges.prompt import Prompt, PromptExample
from lanner.judges.providers import (
    WITHHELD,
    Call,
    Endpoint,
    OverloadedError,
    Provider,
    RefusedError,
    Reply,
    UnanswerableError,
    UnreadableError,
    connect,
)
from lanner.judges.replies import ReplyVerdict, weighted_means, with_weights
from lanner.model import Campaign, Item, Json, Protocol
from lanner.store import AssignedTask, LedgerEntry, NewEntry, Store, Transaction
from lanner.store.rows import dumps, loads, micros

VALID, PARTIAL, INVALID, MISSING, FAILED = "valid", "partial", "invalid", "missing", "failed"
_KEPT = 20_000  # characters of a reply that was not an answer; the rest says nothing new
_LONGEST_PAUSE = 60.0
_LONGEST_STANDSTILL = 3600.0  # seconds that a server may ask to wait before the run ends instead
_TRIES_TO_REACH = 3  # a server that was never there: more likely a wrong address than one about to start
_AGAIN = (
    "That answer cannot be used. {problem}\nAnswer the same questions again with one JSON object that fits the schema."
)


_Model = tuple[str, int]
"""A model by its name, and which of those of that name in a panel."""


class Outcome(NamedTuple):
    """What came of a question: the answers, None where they are missing, with what is unsure about them (see
    `ReplyVerdict.flags`) and the seconds it took."""

    answers: Mapping[str, Json] | None
    flags: Mapping[str, Json] = MappingProxyType({})
    seconds: float = 0.0


Judge = Callable[[str], tuple[ReplyVerdict, str]]
"""Turns a reply into a verdict, and the outcome it has if it is the last."""


class UnavailableError(Exception):
    """The server gave no answer however often it was asked. The item stays open."""


class Subject(NamedTuple):
    """What a call is about: the rows it is stored under."""

    campaign: int
    judge: int
    document: int
    item: Item
    page: str
    stages: tuple[str, ...]
    sample: int = 0
    swapped: bool = False
    twin: int = 0
    """Which of several models of the same name in a panel: the same one at two servers, say."""
    segments: tuple[str, ...] = ()
    """Where a call is about many sentences: which ones, in the order of their numbers."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A way to one model: its server's connection and gate."""

    member: Member
    provider: Provider
    gate: Gate


@dataclass(frozen=True)
class Request:
    """One prompt to one model, with what is shown before it."""

    channel: Channel
    subject: Subject
    prompt: Prompt
    before: tuple[Mapping[str, str], ...] = ()

    @property
    def seed(self) -> int | None:
        """Each sample has its own dice."""
        seed = self.channel.member.seed
        return None if seed is None else seed + self.subject.sample

    @cached_property
    def key(self) -> str:
        """Names a question to the letter: what it is about, the prompt, the model, the sample, how it is sampled."""
        about, item, member = self.subject, self.subject.item, self.channel.member
        digest = hashlib.sha256(self.prompt.hash.encode())
        for message in self.before:
            digest.update(message["content"].encode())
        parts: list[object] = [
            about.page,
            *about.stages,
            item.segment,
            *item.systems,
            item.role.value,
            member.model,
            about.sample,
            about.swapped,
            member.temperature,
            self.seed,
            member.max_tokens,
        ]
        if member.sampling:
            parts.append(dumps(member.sampling))
        if about.twin:
            parts.append(f"twin {about.twin}")
        digest.update("\x1f".join(map(str, parts)).encode())
        return digest.hexdigest()[:32]


@dataclass(frozen=True)
class RunContext:
    """What all judges of a run share."""

    store: Store
    campaign: Campaign
    protocol: Protocol
    writer: Writer
    limits: Limits
    totals: Totals
    budget: Budget
    examples: Sequence[PromptExample] = ()


class Requester:
    """Asks, checks, asks again, and records every reply. One for each judge of a run."""

    def __init__(self, shared: RunContext, plan: Plan) -> None:
        self._shared, self._reasks = shared, plan.reasks
        self._limits, self._totals, self._budget = shared.limits, shared.totals, shared.budget
        self._run_name = _run_name(shared.store, shared.campaign, plan.judge)
        self._rng = Random(0)
        self._answered: set[_Model] = set()
        self._fruitless: Counter[_Model] = Counter()
        self._recorded: set[str] = set()
        self.hopeless = ""
        """Why this judge is asked nothing more, where nothing came of its first questions."""

    @property
    def retries(self) -> bool:
        """Whether what is missing is asked again."""
        return self._limits.retry_missing

    async def ask(
        self,
        request: Request,
        known: Mapping[str, Sequence[LedgerEntry]],
        judge: Judge,
        *,
        again: bool = True,
    ) -> Outcome:
        """What comes of a question. `known` are the ledger's rows by key. Without `again` a final row stands, whatever
        the limits say of missing ones."""
        rows = sorted(known.get(request.key, ()), key=lambda row: row.attempt)
        last = rows[-1] if rows else None
        afresh = last is not None and bool(last.final)
        if last is not None and afresh and not (again and self.retries and last.outcome in (MISSING, PARTIAL)):
            self._totals.cached += 1
            return Outcome(loads(last.answers) if last.answers else None, loads(last.detail).get("flags", {}))
        wrong = [row for row in rows if row.outcome == INVALID] if not afresh else []
        left = self._reasks - len(wrong)
        mistake = (wrong[-1].raw, wrong[-1].problem) if wrong and wrong[-1].raw.strip() else None
        attempt, seconds = (last.attempt if last else 0), 0.0
        turn = sum(row.outcome != FAILED for row in rows)  # an outage changes nothing in what is asked next
        while True:
            self._refuse_hopeless()
            attempt, turn = attempt + 1, turn + 1
            call = self._call(request, turn, mistake)
            try:
                call, reply = await self._reply(request.channel, call)
                verdict, if_last = judge(reply.text)
                weights = weighted_means(reply, request.prompt.schema) if request.channel.member.weighted else {}
                if verdict.answers is not None and weights:
                    answers = with_weights(verdict.answers, weights, self._shared.protocol)
                    verdict = verdict._replace(answers=answers)
                verdict = _final_verdict(verdict, reply, call)
            except UnreadableError as error:
                reply, verdict, if_last, weights = Reply(""), ReplyVerdict(None, 0, "json", str(error)), MISSING, {}
            except UnanswerableError as error:
                outcome = MISSING if error.final else FAILED
                self._record(request, call, attempt, Reply(""), verdict=_no_verdict(error), outcome=outcome)
                if not error.final:
                    raise UnavailableError(str(error)) from error
                self._note(request, MISSING, str(error), afresh=afresh)
                return Outcome(None, seconds=seconds)
            except UnavailableError as error:
                self._record(request, call, attempt, Reply(""), verdict=_no_verdict(error), outcome=FAILED)
                raise
            seconds += reply.latency
            is_over = not verdict.step or left <= 0 or verdict.step in ("length", "refusal")
            outcome = if_last if is_over else INVALID
            self._record(request, call, attempt, reply, verdict=verdict, outcome=outcome, weights=weights)
            if is_over:
                self._note(request, outcome, verdict.problem, afresh=afresh)
                return Outcome(verdict.answers, verdict.flags, seconds)
            self._totals.reasks += 1
            left -= 1
            mistake = (reply.text[:_KEPT], verdict.problem) if reply.text.strip() else None

    def _call(self, request: Request, turn: int, mistake: tuple[str, str] | None) -> Call:
        member, seed = request.channel.member, request.seed
        return Call(
            member.model,
            _messages(request, mistake),
            request.prompt.schema,
            member.temperature,
            None if seed is None else seed + 1000 * (turn - 1),
            member.max_tokens,
            f"{self._run_name}{request.key}-{turn}",
            member.top_p,
            member.effort,
            member.weighted,
            member.extra,
        )

    async def _reply(self, channel: Channel, call: Call) -> tuple[Call, Reply]:
        """A reply, however often the server has to be asked for one. The call as it was made comes with it."""
        tokens = likely_tokens(*(message["content"] for message in call.messages))
        problem = ""
        for turn in range(self._limits.tries):
            self._budget.check()
            started = await channel.gate.enter(tokens)
            try:
                self._refuse_hopeless()
                with self._budget.holding(await self._budget.reserve(channel.member, call.messages)):
                    reply = self._count(channel.member, tokens, await channel.provider.ask(call))
            except OverloadedError as error:
                channel.gate.overload(started, error.retry_after)
                self._totals.overloads += 1
                problem = str(error)
                self._refuse_silence(channel, error)
                self._refuse_long_pause(error)
                channel.gate.reached = channel.gate.reached or not error.unreachable
                if not channel.gate.reached and turn + 1 >= _TRIES_TO_REACH:
                    break
                if error.status == 500 and call.seed is not None:  # the same dice would fall the same way
                    call = call._replace(seed=call.seed + 100_000)
                call = call._replace(name=f"{call.name.partition('~')[0]}~{turn + 1}")
                pause = error.retry_after or self._limits.backoff * 2**turn * (0.5 + self._rng.random())
                await self._budget.pause(min(pause, _LONGEST_PAUSE))
                continue
            except RefusedError as error:  # before the gate lets the next ones in
                self._budget.stop(str(error))
                channel.gate.leave()
                raise
            except BaseException:
                channel.gate.leave()
                raise
            channel.gate.silences = 0
            channel.gate.reached = True
            channel.gate.succeed(guessed=tokens, used=reply.tokens_in + reply.tokens_out)
            return call, reply
        raise UnavailableError(problem)

    def _count(self, member: Member, tokens: int, reply: Reply) -> Reply:
        """Book what a reply used, at once: while it is put aside nobody else can spend it. A server that does not say
        how many tokens it used is taken to have used what the texts have by our count. A refusal without tokens may be
        the server's own, which nobody wrote."""
        totals = self._totals
        if not reply.tokens_in or ((reply.text or reply.reasoning) and not reply.tokens_out):
            received = reply.tokens_out or likely_tokens(reply.text, reply.reasoning, reply.refusal) + 1
            reply = reply._replace(tokens_in=reply.tokens_in or tokens, tokens_out=received, counted=False)
            totals.estimated += 1
        self._budget.note_length(member, reply.tokens_out)
        cost = member.cost(reply.tokens_in, reply.tokens_out, reply.cached_tokens)
        totals.tokens_in += reply.tokens_in
        totals.tokens_out += reply.tokens_out
        totals.cost += cost or 0.0
        totals.priced = totals.priced and cost is not None
        return reply

    def _refuse_silence(self, channel: Channel, error: OverloadedError) -> None:
        """End the run where a server has let many questions in a row wait in vain: the next would wait as long."""
        channel.gate.silences = channel.gate.silences + 1 if error.silent else 0
        if channel.gate.silences >= self._limits.silences:
            self._budget.stop(str(error))
            raise LannerError(
                f"The server has stopped answering: {channel.gate.silences} questions in a row got no reply within "
                f"{channel.member.endpoint.timeout:g} seconds.",
                next_step="Check it, or give it more time with --set timeout=600; the same command goes on from there.",
            )

    def _refuse_long_pause(self, error: OverloadedError) -> None:
        """End the run where a server wants to be left alone for longer than anybody would watch it."""
        pause = error.retry_after or 0.0
        if pause > _LONGEST_STANDSTILL:
            self._budget.stop(str(error))
            raise LannerError(
                f"The server asks to wait for {pause / 3600:.1f} hours: {error}.",
                next_step="Run the same command after that; what was answered is kept.",
            )

    def _note(self, request: Request, outcome: str, problem: str, *, afresh: bool) -> None:
        """End what gets nowhere: whatever is wrong is wrong with every question to this model, and a panel without it
        is another judge. A question that had no answer before, asked again, says nothing of the others."""
        model = request.channel.member.model
        asked = (model, request.subject.twin)
        if outcome in (VALID, PARTIAL):
            self._answered.add(asked)
            return
        if afresh:
            return
        self._fruitless[asked] += 1
        number = self._fruitless[asked]
        if asked not in self._answered and number >= self._limits.hopeless and not self.hopeless:
            self.hopeless = f"the first {number} questions to {model} got no valid answer; last: {problem}"

    def _refuse_hopeless(self) -> None:
        if self.hopeless:
            raise StoppedError(self.hopeless)

    def _record(
        self,
        request: Request,
        call: Call,
        attempt: int,
        reply: Reply,
        *,
        verdict: ReplyVerdict,
        outcome: str,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        subject, prompt, member, totals = request.subject, request.prompt, request.channel.member, self._totals
        if outcome == FAILED:
            totals.problem = verdict.problem
        else:
            totals.calls += 1
        totals.repairs += verdict.repairs
        for counts, name in (
            (totals.wrong, verdict.step), (totals.means, reply.means), (totals.answered_as, reply.model),
        ):  # fmt: skip
            if name:
                counts[name] += 1
        sent = reply.sent
        totals.own_temperature += bool(sent) and call.temperature is not None and "temperature" not in sent
        row: NewEntry = {
            "campaign": subject.campaign,
            "judge": subject.judge,
            "document": subject.document,
            "segment": subject.item.segment,
            "systems": dumps(subject.item.systems),
            "role": subject.item.role.value,
            "page": subject.page,
            "key": request.key,
            "sample": subject.sample,
            "swapped": int(subject.swapped),
            "attempt": attempt,
            "final": int(outcome not in (INVALID, FAILED)),
            "outcome": outcome,
            "prompt_hash": prompt.hash,
            "schema_hash": prompt.schema_hash,
            "template": prompt.template,
            "model": member.model,
            "model_answered": _storable(reply.model),
            "fingerprint": _storable(reply.fingerprint),
            "seed": sent.get("seed") if sent else call.seed,
            "temperature": sent.get("temperature") if sent else call.temperature,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
            "repairs": verdict.repairs,
            "cost": member.cost(reply.tokens_in, reply.tokens_out, reply.cached_tokens),
            "latency": reply.latency,
            "raw": _storable(reply.text if outcome == VALID else reply.text[:_KEPT]),
            "problem": _storable(verdict.problem),
            "detail": dumps(self._detail(request, call, reply, verdict) | ({"weighted": weights} if weights else {})),
            "answers": None if verdict.answers is None else dumps(verdict.answers),
            "asked_at": micros(campaign.now()),
        }
        self._shared.writer.record(row)

    def _detail(self, request: Request, call: Call, reply: Reply, verdict: ReplyVerdict) -> dict[str, Json]:
        """The request as it was sent and what came beside the text. Instructions and schema are the same for most
        requests, so each is written once in a run and named by its hash after that."""
        prompt = request.prompt
        detail: dict[str, Json] = {
            "means": reply.means,
            "finish": reply.finish,
            "stages": request.subject.stages,
            "sent": dict(reply.sent),
            "messages": [[message["role"], message["content"]] for message in call.messages[1:]],
            "system": prompt.system_hash,
        }
        for name, text in ((prompt.system_hash, prompt.system), (prompt.schema_hash, prompt.schema)):
            if name not in self._recorded:
                self._recorded.add(name)
                detail.setdefault("texts", {})[name] = text
        optional = {
            "step": verdict.step,
            "flags": dict(verdict.flags),
            "order": prompt.order,
            "segments": request.subject.segments,
            "twin": request.subject.twin,
            "refusal": reply.refusal[:_KEPT],
            "reasoning": reply.reasoning[:_KEPT],
            "usage": "" if reply.counted else "estimated",
        }
        return detail | {name: value for name, value in optional.items() if value}


def _run_name(store: Store, campaign: Campaign, judge: str) -> str:
    """What tells the requests of this judge from those of the same texts in another store, where a server keeps them:
    a batch that another store has paid for is not ours. It begins with the second in which the judge was added."""
    with store.reading() as tx:
        participant = tx.judges.find(campaign.id, judge)
    added_at = participant.added_at if participant else None
    moment = campaign.created_at.isoformat() if campaign.created_at else ""
    digest = hashlib.sha256(f"{campaign.name}\x1f{moment}\x1f{judge}".encode()).hexdigest()
    return f"{int(added_at.timestamp()) if added_at else 0:08x}{digest[:8]}."


def _storable(text: str) -> str:
    """The text without the one character that PostgreSQL cannot store."""
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def _no_verdict(error: Exception) -> ReplyVerdict:
    return ReplyVerdict(None, 0, "", str(error))


def _final_verdict(verdict: ReplyVerdict, reply: Reply, call: Call) -> ReplyVerdict:
    """A reply that was cut off or withheld would be so again, and be paid again: say why instead."""
    if not verdict.step:
        return verdict
    if reply.refusal or reply.finish in WITHHELD:
        words = f": {reply.refusal.rstrip(' .')}" if reply.refusal else f" ({reply.finish})"
        return verdict._replace(step="refusal", problem=f"The model or its server declined to answer{words}.")
    if reply.cut_off:
        most = next((reply.sent[name] for name in LENGTHS if name in reply.sent), call.max_tokens)
        words = f"The reply reached the limit of {most:,} tokens" if most else "The reply reached its limit"
        if most and call.max_tokens and most < call.max_tokens:
            return verdict._replace(step="length", problem=f"{words}: the server takes no higher one here.")
        advice = f"give more with --set max_tokens={2 * most if most else 4000}"
        return verdict._replace(step="length", problem=f"{words}; {advice}.")
    return verdict


def _messages(request: Request, mistake: tuple[str, str] | None) -> tuple[Mapping[str, str], ...]:
    """The conversation: instructions, examples, the question; then a wrong answer and what is wrong with it."""
    prompt = request.prompt
    question = (
        {"role": "system", "content": prompt.system},
        *request.before,
        {"role": "user", "content": prompt.user},
    )
    if not mistake:
        return question
    complaint = _AGAIN.format(problem=mistake[1])
    return (*question, {"role": "assistant", "content": mistake[0]}, {"role": "user", "content": complaint})


async def ask_once(endpoint: Endpoint, model: str, prompt: Prompt, before: tuple[Mapping[str, str], ...] = ()) -> str:
    """The reply to one prompt, outside of any run."""
    connection = connect(endpoint)
    messages = ({"role": "system", "content": prompt.system}, *before, {"role": "user", "content": prompt.user})
    try:
        return (await connection.ask(Call(model, messages, prompt.schema, 0.0, 0, 2000, "try"))).text
    except (OverloadedError, UnanswerableError, UnreadableError) as error:
        raise LannerError(f"No reply came: {error}.", next_step="Is it running, and is --base-url right?") from error
    finally:
        await connection.close()


# The writing side of a run: replies into the ledger, then answers by `campaign.submit`, many in one commit.
#
# Everything goes through one thread in the order it came. What is handed in while a commit is on its way to the disk
# goes into the next one, so that the disk's pace bounds the size of a commit and not the number of replies. Ledger rows
# are committed before the answers made of them, or with them: after a crash, answers are made again from the ledger and
# nobody is asked twice.

_LINGER = 0.05  # seconds to wait for company before a commit


@dataclass(slots=True)
class _Batch:
    entries: list[NewEntry] = field(default_factory=list)
    given: list[tuple[Submission, asyncio.Future[SaveResult | LannerError]]] = field(default_factory=list)
    finished: list[tuple[AssignedTask, asyncio.Future[None]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.entries or self.given or self.finished)


class Writer:
    """Open it as a context; leaving it writes what is left."""

    def __init__(self, store: Store, *, linger: float | None = None) -> None:
        self._store = store
        self._linger = _LINGER if linger is None else linger
        self._batch = _Batch()
        self._due = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._problem: BaseException | None = None
        self._closing = False

    async def __aenter__(self) -> Writer:
        self._writer = asyncio.create_task(self._write())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._due.set()
        if self._writer is not None:
            await asyncio.shield(self._writer)
        if self._problem is not None:
            raise self._problem

    def record(self, entry: NewEntry) -> None:
        """Hand in a ledger row. It is on disk before any answer that is handed in later."""
        self._refuse()
        self._batch.entries.append(entry)
        self._due.set()

    async def submit(self, submission: Submission) -> SaveResult | LannerError:
        """Hand in answers and wait until they are on disk, or refused."""
        self._refuse()
        future: asyncio.Future[SaveResult | LannerError] = asyncio.get_running_loop().create_future()
        self._batch.given.append((submission, future))
        self._due.set()
        return await future

    async def finish(self, task: AssignedTask) -> None:
        """Finish a task, if nothing is missing in it."""
        self._refuse()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._batch.finished.append((task, future))
        self._due.set()
        await future

    def _refuse(self) -> None:
        if self._problem is not None:
            raise self._problem

    async def _write(self) -> None:
        while True:
            await self._due.wait()
            if not self._closing:
                await asyncio.sleep(self._linger)
            self._due.clear()
            batch, self._batch = self._batch, _Batch()
            if batch:
                try:
                    results = await asyncio.to_thread(self._commit, batch)
                except BaseException as problem:
                    self._problem = problem
                    self._fail(batch, problem)
                    self._fail(self._batch, problem)
                    return
                for (_, future), result in zip(batch.given, results, strict=True):
                    _settle(future, result)
                for _, finished in batch.finished:
                    _settle(finished, None)
            if self._closing and not self._batch:
                return

    def _commit(self, batch: _Batch) -> list[SaveResult | LannerError]:
        submissions = [submission for submission, _ in batch.given]
        tasks = [task for task, _ in batch.finished]
        steps: tuple[tuple[list[NewEntry], list[Submission], list[AssignedTask]], ...]
        try:
            return self._save(batch.entries, submissions, tasks)
        except LannerError:  # one of them cannot be written: the replies are paid for, and answers come before the end
            steps = ((batch.entries, [], []), ([], submissions, []), ([], [], tasks))
            return [result for step in steps for result in self._save(*step)]

    def _save(
        self, entries: list[NewEntry], submissions: list[Submission], tasks: list[AssignedTask]
    ) -> list[SaveResult | LannerError]:
        """Write all of these in one transaction, or nothing."""
        now = campaign.now()

        def work(tx: Transaction) -> list[SaveResult | LannerError]:
            if entries:
                tx.ledger.add(entries)
            results = save_all(tx, submissions, now) if submissions else []
            for task in tasks:
                with suppress(UnfinishedError):
                    finish_in(tx, task.task.id, now, known=task, takes_nothing_back=True)
            return [*results]

        return self._store.write(work) if entries or submissions or tasks else []

    def _fail(self, batch: _Batch, problem: BaseException) -> None:
        futures: list[asyncio.Future[SaveResult | LannerError] | asyncio.Future[None]] = [f for _, f in batch.given]
        for future in (*futures, *(future for _, future in batch.finished)):
            if not future.done():
                future.set_exception(problem)


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)
