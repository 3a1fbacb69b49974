"""One question to one model, until there is a valid answer or no sense in asking again; every reply into the ledger."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from lanner import campaign
from lanner.judges.budget import Budget
from lanner.judges.pace import Gate
from lanner.judges.plan import Limits, Member, Totals
from lanner.judges.prompt import Prompt
from lanner.judges.providers import Call, OverloadedError, Provider, RefusedError, Reply, UnanswerableError
from lanner.judges.replies import Verdict
from lanner.judges.writer import Writer
from lanner.model import Item, Json
from lanner.store import Entry, NewEntry
from lanner.store.rows import dumps, loads, micros

VALID, PARTIAL, INVALID, MISSING, FAILED = "valid", "partial", "invalid", "missing", "failed"
_KEPT = 20_000  # characters of a reply that was not an answer; the rest says nothing new
_CHARACTERS_PER_TOKEN = 3.0
_LONGEST_PAUSE = 60.0
_AGAIN = (
    "That answer cannot be used. {problem}\nAnswer the same questions again with one JSON object that fits the schema."
)


Judge = Callable[[str], tuple[Verdict, str]]
"""Turns a reply into a verdict, and the outcome it has if it is the last."""


class UnavailableError(Exception):
    """The server gave no answer however often it was asked. The item stays open."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a call is about: the rows it is stored under."""

    campaign: int
    judge: int
    document: int
    item: Item
    page: str
    stages: tuple[str, ...]
    sample: int = 0
    swapped: bool = False


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
        parts = [
            about.page, *about.stages, item.segment, *item.systems, item.role.value, member.model,
            about.sample, about.swapped, member.temperature, self.seed, member.max_tokens,
        ]  # fmt: skip
        digest.update("\x1f".join(map(str, parts)).encode())
        return digest.hexdigest()[:32]


class Requester:
    """Asks, checks, asks again, and books. One for a run."""

    def __init__(
        self, writer: Writer, limits: Limits, totals: Totals, budget: Budget, *, reasks: int, dice: Random | None = None
    ) -> None:
        self._writer = writer
        self._limits = limits
        self._totals = totals
        self._budget = budget
        self._reasks = reasks
        self._dice = dice or Random(0)

    @property
    def retries(self) -> bool:
        """Whether what is missing is asked again."""
        return self._limits.retry_missing

    async def ask(
        self,
        request: Request,
        known: Mapping[str, Sequence[Entry]],
        judge: Judge,
        *,
        again: bool = True,
    ) -> tuple[Mapping[str, Json] | None, float]:
        """The answers, or None where they are missing, with the seconds it took. `known` are the ledger's rows by key.
        Without `again` a final row stands, whatever the limits say of missing ones."""
        member, seed, key = request.channel.member, request.seed, request.key
        rows = sorted(known.get(key, ()), key=lambda row: row.attempt)
        retried = again and self.retries and bool(rows) and rows[-1].outcome in (MISSING, PARTIAL)
        if rows and rows[-1].final and not retried:
            self._totals.cached += 1
            answers = rows[-1].answers
            return (loads(answers) if answers else None), 0.0
        wrong = next((row for row in reversed(rows) if row.outcome == INVALID), None)
        fresh = bool(rows and rows[-1].final)
        left = self._reasks - (0 if fresh else sum(row.outcome == INVALID for row in rows))
        said = (wrong.raw, wrong.problem) if wrong and not fresh else None
        attempt, seconds = (rows[-1].attempt if rows else 0), 0.0
        while True:
            attempt += 1
            messages = _messages(request, said)
            call = Call(
                member.model, messages, request.prompt.schema, member.temperature,
                None if seed is None else seed + 1000 * (attempt - 1), member.max_tokens, f"{key}-{attempt}",
            )  # fmt: skip
            try:
                call, reply = await self._reply(request.channel, call)
            except UnanswerableError as error:
                self._post(request, call, attempt, _nothing(error), outcome=MISSING)
                return None, seconds
            except UnavailableError as error:
                self._post(request, call, attempt, _nothing(error), outcome=FAILED)
                raise
            seconds += reply.latency
            verdict, if_last = judge(reply.text)
            done = verdict.step == "" or left <= 0
            outcome = if_last if done else INVALID
            self._post(request, call, attempt, (reply, verdict), outcome=outcome)
            if done:
                return verdict.answers, seconds
            self._totals.reasks += 1
            left -= 1
            said = (reply.text[:_KEPT], verdict.problem)

    async def _reply(self, channel: Channel, call: Call) -> tuple[Call, Reply]:
        """A reply, however often the server has to be asked for one. The call as it was made comes with it."""
        guessed = int(sum(len(m["content"]) for m in call.messages) / _CHARACTERS_PER_TOKEN)
        problem = ""
        for turn in range(self._limits.tries):
            self._budget.check()
            started = await channel.gate.enter(guessed)
            try:
                price = await self._budget.reserve(channel.member, guessed)
                with self._budget.holding(price):
                    reply = await channel.provider.ask(call)
                    self._budget.paid(channel.member, channel.member.cost(reply.tokens_in, reply.tokens_out))
            except OverloadedError as error:
                channel.gate.overload(started, error.retry_after)
                self._totals.overloads += 1
                problem = str(error)
                if error.status == 500 and call.seed is not None:  # the same dice would fall the same way
                    call = replace(call, seed=call.seed + 100_000)
                call = replace(call, name=f"{call.name.partition('~')[0]}~{turn + 1}")
                pause = error.retry_after or self._limits.backoff * 2**turn * (0.5 + self._dice.random())
                await asyncio.sleep(min(pause, _LONGEST_PAUSE))
                continue
            except RefusedError as error:  # before the gate lets the next ones in
                self._budget.stop(str(error))
                channel.gate.leave()
                raise
            except BaseException:
                channel.gate.leave()
                raise
            channel.gate.succeed(guessed=guessed, used=reply.tokens_in + reply.tokens_out)
            return call, reply
        raise UnavailableError(problem)

    def _post(self, request: Request, call: Call, attempt: int, came: tuple[Reply, Verdict], *, outcome: str) -> None:
        (reply, verdict), about, prompt, member = came, request.subject, request.prompt, request.channel.member
        totals = self._totals
        cost = member.cost(reply.tokens_in, reply.tokens_out)
        if outcome == FAILED:
            totals.problem = verdict.problem
        else:
            totals.calls += 1
        totals.tokens_in += reply.tokens_in
        totals.tokens_out += reply.tokens_out
        totals.cost += cost or 0.0
        totals.priced = totals.priced and cost is not None
        totals.repairs += verdict.repairs
        if verdict.step:
            totals.wrong[verdict.step] = totals.wrong.get(verdict.step, 0) + 1
        if reply.model:
            totals.answered_as[reply.model] = totals.answered_as.get(reply.model, 0) + 1
        detail: dict[str, Json] = {"means": reply.means, "finish": reply.finish, "stages": about.stages}
        if verdict.step:
            detail["step"] = verdict.step
        if prompt.order:
            detail["order"] = prompt.order
        row: NewEntry = {
            "campaign": about.campaign, "judge": about.judge, "document": about.document,
            "segment": about.item.segment, "systems": dumps(about.item.systems), "role": about.item.role.value,
            "page": about.page, "key": request.key, "sample": about.sample, "swapped": int(about.swapped),
            "attempt": attempt, "final": int(outcome not in (INVALID, FAILED)), "outcome": outcome,
            "prompt_hash": prompt.hash, "schema_hash": prompt.schema_hash, "template": prompt.template,
            "model": member.model,
            "model_answered": reply.model, "fingerprint": reply.fingerprint, "seed": call.seed,
            "temperature": call.temperature, "tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out,
            "repairs": verdict.repairs, "cost": cost, "latency": reply.latency,
            "raw": reply.text if outcome == VALID else reply.text[:_KEPT], "problem": verdict.problem,
            "detail": dumps(detail), "answers": None if verdict.answers is None else dumps(verdict.answers),
            "asked_at": micros(campaign.now()),
        }  # fmt: skip
        self._writer.post(row)


def _nothing(error: Exception) -> tuple[Reply, Verdict]:
    return Reply(""), Verdict(None, 0, "", str(error))


def _messages(request: Request, said: tuple[str, str] | None) -> tuple[Mapping[str, str], ...]:
    prompt = request.prompt
    asked = ({"role": "system", "content": prompt.system}, *request.before, {"role": "user", "content": prompt.user})
    if not said:
        return asked
    problem = _AGAIN.format(problem=said[1])
    return (*asked, {"role": "assistant", "content": said[0] or "…"}, {"role": "user", "content": problem})
