"""A judge at work on documents: from open tasks to questions, from answers to one submission per item."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from typing import NamedTuple

from lanner.campaign import Questions, Submission
from lanner.campaign.questions import fits
from lanner.campaign.tasks import reopen_task
from lanner.errors import LannerError
from lanner.judges.limits import StoppedError
from lanner.judges.plan import Plan
from lanner.judges.prompt import Prompter, PromptExamples
from lanner.judges.replies import AmbiguousError, ItemRequest, ReplyVerdict, check_reply, parse, verdict
from lanner.judges.request import (
    MISSING,
    PARTIAL,
    VALID,
    Channel,
    Judge,
    Outcome,
    Request,
    Requester,
    RunContext,
    Subject,
    UnavailableError,
)
from lanner.judges.unanswered import JudgedItem, item_of, items_with_gaps
from lanner.model import Document, Grid, Item, Json, Spans, Stage, Unit
from lanner.protocols.answers import combine, reorder, texts_of
from lanner.protocols.conditions import chosen_labels, holds
from lanner.protocols.kinds.spans import SEVERAL_PLACES
from lanner.store import AssignedTask, LedgerEntry, StoredAnswer, Transaction, UnfinishedTask
from lanner.store.rows import dumps

_PAIR = Item("", systems=("", ""))
_ORDERS = 24  # different orders of options in an audit: enough to even out, few enough to remember their prompts


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A task with what is known about it: which items are open, or to be asked about again; which of those wait for an
    answer of an earlier page; answers of other pages, texts, rows of the ledger."""

    assigned: AssignedTask
    open: frozenset[int]
    waiting: frozenset[int]
    earlier: Sequence[Mapping[str, Json]]
    documents: Mapping[str, Document]
    rows: Mapping[str, Sequence[LedgerEntry]]
    settled: set[int] = field(default_factory=set)
    """Places of items that were open and have been answered since."""

    @property
    def is_reopened(self) -> bool:
        """Whether it was finished and has something to be asked again."""
        return self.assigned.task.finished_at is not None and bool(self.open)


@dataclass(frozen=True, slots=True)
class AskingVariant:
    """One way of asking about an item: which model, which sample, in which order the outputs stand."""

    channel: Channel
    sample: int
    swapped: bool = False
    twin: int = 0
    """How many models of the same name come before it."""


class Vote(NamedTuple):
    """One complete set of answers about an item, with what is unsure about them by question."""

    answers: Mapping[str, Json]
    flags: Mapping[str, Sequence[str]]


class JudgeWorker:
    """One judge of one campaign, for as long as a run lasts."""

    def __init__(self, shared: RunContext, plan: Plan, channels: Sequence[Channel], participant: int) -> None:
        self._store, self._campaign, self._participant = shared.store, shared.campaign.id, participant
        self._protocol, self._plan, self._channels = shared.protocol, plan, channels
        self._requester, self._writer, self._totals = Requester(shared, plan), shared.writer, shared.totals
        self._asking = Questions(self._protocol)
        self._prompter = Prompter(self._protocol, plan.settings)
        self._examples = PromptExamples(shared.examples, self._prompter, plan.examples)
        self._pages = {
            page: place
            for place, (page, stages) in enumerate(self._protocol.pages.items())
            if any(stage.unit is not Unit.JUDGE for stage in stages)
        }
        names = [channel.member.model for channel in channels]
        self._twins = [names[:place].count(name) for place, name in enumerate(names)]
        self.failed_in_row = 0

    @property
    def hopeless(self) -> str:
        """Why this judge is asked nothing more; "" where it is."""
        return self._requester.hopeless

    def documents(self, only: frozenset[str] | None = None) -> list[tuple[str, list[UnfinishedTask]]]:
        """Open work by document; questionnaires are not for models."""
        with self._store.reading() as tx:
            works = tx.ledger.open_tasks(self._participant)
            if self._fills_gaps:
                works = self._with_gaps(tx, works)
        groups = groupby((work for work in works if work.page in self._pages), key=lambda work: work.document)
        return [(key, list(works_of_document)) for key, works_of_document in groups if only is None or key in only]

    @property
    def _fills_gaps(self) -> bool:
        """Whether items are asked about again that have an answer, but not by every model, sample and order."""
        return self._requester.retries and len(self._votes(_PAIR)) > 1

    def _with_gaps(self, tx: Transaction, works: Sequence[UnfinishedTask]) -> list[UnfinishedTask]:
        """Open work with the tasks that have items to be asked about again. Beside one of these every page is looked
        at: a later one may ask about what is answered otherwise then."""
        gaps = items_with_gaps(tx.ledger.of_judge(self._participant))
        numbers: Counter[int] = Counter()
        for assigned in tx.tasks.of_judge(self._participant) if gaps else ():
            places = [n for n, item in enumerate(assigned.task.items) if item_of(assigned.task.page, item) in gaps]
            done = [entry.done for entry in tx.tasks.item_progress(assigned.task.id)] if places else []
            numbers[assigned.task.id] = sum(bool(done[place]) for place in places)
        every = tx.ledger.open_tasks(self._participant, finished=True)
        documents = {work.document for work in every if numbers[work.task]}
        unfinished = {work.task for work in works}
        return [
            work._replace(items=work.items + numbers[work.task])
            for work in every
            if work.task in unfinished or work.document in documents
        ]

    async def judge(self, works: Sequence[UnfinishedTask], most: int | None = None) -> None:
        """All open items of one document, page after page, since later pages may ask about earlier answers."""
        by_page = sorted(works, key=lambda work: self._pages[work.page])
        for _, same_page in groupby(by_page, key=lambda work: work.page):
            tasks = [await asyncio.to_thread(self._load, work.task) for work in same_page]
            for task in tasks:
                if task.is_reopened:
                    await asyncio.to_thread(reopen_task, self._store, task.assigned.task.id)
            ready = [(task, place) for task in tasks for place in sorted(task.open - task.waiting)]
            steps = ready[:most]
            most = None if most is None else most - len(steps)
            self._totals.waiting += sum(len(task.waiting) for task in tasks)
            async with asyncio.TaskGroup() as group:
                sentences = []
                for task, place in steps:
                    if self._plan.calls == "documents" and task.assigned.task.items[place].segment:
                        sentences.append((task, place))
                    else:
                        group.create_task(self._judge_item(task, place))
                for task, places in group_items(tasks, sentences):
                    group.create_task(self._judge_sentences(task, places))
            for task in tasks:
                if task.open <= task.settled:
                    await self._writer.finish(task.assigned)

    def _load(self, number: int) -> LoadedTask:
        rows: dict[str, list[LedgerEntry]] = defaultdict(list)
        gaps: set[JudgedItem] = set()
        answers_by_place: dict[tuple[int, str], Sequence[StoredAnswer]] = {}
        with self._store.reading() as tx:
            assigned = tx.tasks.get(number)
            assert assigned is not None
            saved = [item.saved_at is not None for item in tx.tasks.item_progress(number)]
            keys = {number: item.document for number, item in zip(assigned.documents, assigned.task.items, strict=True)}
            for document, key in keys.items():
                entries = tx.ledger.of_document(self._participant, document)
                gaps |= items_with_gaps((key, row) for row in entries) if self._fills_gaps else set()
                for row in entries:
                    rows[row.key].append(row)
                for segment, answers in tx.judgements.of_document(self._participant, document).items():
                    answers_by_place[document, segment] = answers
            documents = {key: tx.documents.find(self._campaign, key) for key in keys.values()}
        page, items = assigned.task.page, assigned.task.items
        known = [
            self._asking.answers(page, item, self._asking.heads(answers_by_place.get((document, item.segment), ())))
            for item, document in zip(items, assigned.documents, strict=True)
        ]
        open_ = frozenset(
            n
            for n, item in enumerate(items)
            if item_of(page, item) in gaps or self._asking.open(page, item, known[n], saved=saved[n])
        )
        waiting = frozenset(n for n in open_ if self._asking.waits(page, items[n], known[n]))
        here = {question.id for stage in self._protocol.pages[page] for question in stage.questions}
        earlier = [{name: value for name, value in answers.items() if name not in here} for answers in known]
        texts = {key: document for key, document in documents.items() if document}
        return LoadedTask(assigned, open_, waiting, earlier, texts, rows)

    async def _judge_item(self, task: LoadedTask, place: int) -> None:
        item = task.assigned.task.items[place]
        votes = self._votes(item)
        outcomes: Sequence[tuple[Vote | None, float] | BaseException]
        if len(votes) == 1:  # the usual case, without tasks of its own
            try:
                outcomes = [await self._vote(task, place, votes[0])]
            except (StoppedError, UnavailableError) as problem:
                outcomes = [problem]
        else:
            outcomes = await asyncio.gather(*(self._vote(task, place, vote) for vote in votes), return_exceptions=True)
        if self._stays_open(outcomes):
            return
        replies = [entry for entry in outcomes if not isinstance(entry, BaseException)]
        complete = _in_both_orders(votes, [vote for vote, _ in replies])
        await self._submit(task, place, complete, sum(seconds for _, seconds in replies))

    def _votes(self, item: Item) -> list[AskingVariant]:
        orders = (False, True) if self._plan.swap and len(item.systems) == 2 else (False,)
        samples = range(self._plan.samples)
        return [
            AskingVariant(channel, sample, order, twin)
            for channel, twin in zip(self._channels, self._twins, strict=True)
            for sample in samples
            for order in orders
        ]

    def _stays_open(self, outcomes: Sequence[object], items: int = 1) -> bool:
        """Whether the items stay open, because the server gave no answer or the run is ending."""
        problems = [entry for entry in outcomes if isinstance(entry, BaseException)]
        for problem in problems:
            if not isinstance(problem, StoppedError | UnavailableError):
                raise problem
        if any(isinstance(problem, UnavailableError) for problem in problems):
            self._totals.failed += items
            self.failed_in_row += 1
            if self.failed_in_row >= 8:
                if not any(channel.gate.reached for channel in self._channels):
                    raise LannerError(
                        f"The server cannot be reached: {problems[0]}.",
                        next_step="Check that it runs and that --base-url is its address, then run the same command.",
                    )
                raise LannerError(
                    f"The server has stopped answering: {problems[0]}.",
                    next_step="Check it, then run the same command again: what was answered is kept.",
                )
        elif not problems:
            self.failed_in_row = 0
        return bool(problems)

    async def _vote(self, task: LoadedTask, place: int, vote: AskingVariant) -> tuple[Vote | None, float]:
        """One complete set of answers about an item, stage by stage or all at once, and the seconds it took; None where
        one of them is missing."""
        plain = task.assigned.task.items[place]
        item = replace(plain, systems=plain.systems[::-1]) if vote.swapped else plain
        page, document = task.assigned.task.page, task.documents[item.document]
        stages = self._prompter.asked([s for s in self._protocol.pages[page] if fits(s, item)])
        is_plain = self._asking.sheet(page, item).plain  # whatever was answered, everything is asked
        earlier_answers: dict[str, Json] = dict(task.earlier[place])
        answers: dict[str, Json] = {}
        flags: dict[str, Sequence[str]] = {}
        spent = 0.0
        together = self._plan.calls in ("pages", "documents")  # what is asked of a whole document is one call as well
        parts: Iterable[Sequence[Stage]] = [stages] if together else [(stage,) for stage in stages]
        for group, only in self._calls(parts, earlier_answers):
            if not (is_plain or any(self._applies(stage, earlier_answers, group) for stage in group)):
                continue
            shuffle = self._order(item, vote) if self._plan.shuffle else None
            context_answers = {**earlier_answers, **only}
            prompt = self._prompter.prompt(group, document, item, answers=context_answers, shuffle=shuffle)
            marks = any(isinstance(question, Spans) for stage in group for question in stage.questions)
            texts = texts_of(document, item) if marks else None  # needed to find what was quoted
            scope = ItemRequest(self._protocol, group, texts, context_answers, max(2, len(item.systems)))
            request = Request(
                vote.channel,
                self._subject(task, place, item, group, vote),
                prompt,
                self._prompter.turns + self._examples.messages(group, document),
            )

            def judge(
                text: str, asked: ItemRequest = scope, schema: Mapping[str, Json] = prompt.schema
            ) -> tuple[ReplyVerdict, str]:
                outcome = verdict(text, asked, schema)
                return outcome, MISSING if outcome.answers is None else VALID

            outcome = await self._requester.ask(request, task.rows, judge)
            spent += outcome.seconds
            if outcome.answers is None:
                return None, spent
            flags |= outcome.flags
            for name, value in outcome.answers.items():
                answers[name] = earlier_answers[name] = _merge_answers(answers.get(name), value)
        return Vote(self._unswap(answers) if vote.swapped else answers, flags), spent

    def _calls(
        self, parts: Iterable[Sequence[Stage]], earlier_answers: Mapping[str, Json]
    ) -> Iterator[tuple[Sequence[Stage], Mapping[str, Json]]]:
        """The stages that each call asks, and earlier answers that it sees instead of the known ones. With one skill a
        call, a question that is asked for each of several labels, or row by row, becomes as many calls.
        `earlier_answers` grows while the calls are made."""
        for group in parts:
            if self._plan.calls != "skills":
                yield group, {}
                continue
            for stage in group:
                others = []
                for question in stage.questions:
                    alone = stage.model_copy(update={"questions": (question,)})
                    if question.for_each:
                        for label in chosen_labels(self._protocol, question, earlier_answers):
                            yield (alone,), {question.for_each: [label]}
                    elif isinstance(question, Grid):
                        for row in question.rows:
                            one = question.model_copy(update={"rows": (row,)})
                            yield (stage.model_copy(update={"questions": (one,)}),), {}
                    else:
                        others.append(question)
                if others:
                    yield (stage.model_copy(update={"questions": tuple(others)}),), {}

    def _applies(self, stage: Stage, earlier_answers: Mapping[str, Json], together: Sequence[Stage]) -> bool:
        if stage.when and any(q.id == stage.when.question for other in together for q in other.questions):
            return True  # decided by an answer of the same call
        return any(
            self._asking.applies((stage, question), earlier_answers) or (question.for_each and len(together) > 1)
            for question in stage.questions
        )

    def _subject(
        self, task: LoadedTask, place: int, item: Item, stages: Sequence[Stage], vote: AskingVariant
    ) -> Subject:
        assigned = task.assigned
        ids = tuple(stage.id for stage in stages)
        number = assigned.documents[place]
        page = assigned.task.page
        return Subject(self._campaign, self._participant, number, item, page, ids, vote.sample, vote.swapped, vote.twin)

    def _order(self, item: Item, vote: AskingVariant) -> int:
        text = "\x1f".join((item.document, item.segment, *item.systems, str(vote.sample)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % _ORDERS

    def _unswap(self, answers: Mapping[str, Json]) -> dict[str, Json]:
        """Rewrite answers about a swapped pair for the order in which it stands in the task."""
        straight: dict[str, Json] = {}
        for name, value in answers.items():
            place = self._protocol.find(name)
            straight[name] = reorder(*place, value, (1, 0)) if place else value
        return straight

    async def _submit(self, task: LoadedTask, place: int, votes: Sequence[Vote | None], seconds: float) -> None:
        """Combine the votes about an item into one answer and submit it."""
        complete = [vote for vote in votes if vote is not None]
        if not complete:
            self._totals.missing += 1
            return
        answers = self._combine_votes(task, place, [vote.answers for vote in complete])
        flags = {name: found for name, value in answers.items() if (found := _flags_of(name, value, complete))}
        item = task.assigned.task.items[place]
        number = task.assigned.task.id
        content = dumps([number, place, item.segment, answers, len(complete)])
        name = hashlib.sha256(content.encode()).hexdigest()[:24]
        outcome = await self._writer.submit(
            Submission(
                number,
                place,
                answers,
                f"judge-{name}",
                elapsed=seconds or None,
                judge=self._participant,
                flags=flags,
            )
        )
        if isinstance(outcome, LannerError):
            if getattr(outcome, "code", "") in ("draft", "paused", "closed", "revoked"):
                raise outcome
            self._totals.missing += 1
            self._totals.wrong["refused"] += 1
        else:
            self._totals.items += 1
            self._totals.fewer += len(complete) < len(votes)
            self._totals.several_places += sum(SEVERAL_PLACES in found for found in flags.values())
            task.settled.add(place)

    def _combine_votes(self, task: LoadedTask, place: int, votes: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        if len(votes) == 1:
            return dict(votes[0])
        answers: dict[str, Json] = {}
        earlier_answers: dict[str, Json] = dict(task.earlier[place])
        for stage, question in self._asking.questions(task.assigned.task.page, task.assigned.task.items[place]):
            if not (holds(stage.when, earlier_answers) and holds(question.when, earlier_answers)):
                continue
            value = combine(question, [vote.get(question.id) for vote in votes], self._plan.rule)
            if question.for_each and isinstance(value, dict):
                labels = earlier_answers.get(question.for_each) or ()
                value = {label: entry for label, entry in value.items() if label in labels}
            if value is not None:
                answers[question.id] = earlier_answers[question.id] = value
        return answers

    async def _judge_sentences(self, task: LoadedTask, places: Sequence[int]) -> None:
        """Judge many sentences of one document in one call. Valid answers are stored, whatever becomes of the others.
        Sentences that were asked about before without a valid answer stay missing unless retries are wanted."""
        votes = self._votes(Item(""))
        outcomes = await asyncio.gather(*(self._ask_sentences(task, places, v) for v in votes), return_exceptions=True)
        still = [place for place in places if place in task.open]
        if self._stays_open(outcomes, len(still)):
            return
        replies = [entry for entry in outcomes if not isinstance(entry, BaseException)]
        seconds = sum(spent for _, spent in replies) / len(places)
        async with asyncio.TaskGroup() as group:
            for place in still:
                group.create_task(self._submit(task, place, [votes.get(place) for votes, _ in replies], seconds))

    async def _ask_sentences(
        self, task: LoadedTask, places: Sequence[int], vote: AskingVariant
    ) -> tuple[Mapping[int, Vote], float]:
        """Answers by place, and the seconds they took. A call of an earlier run counts for all it asked about, even if
        that run ended before the last of its answers was stored; without such a call, ask about what is open."""
        request, judge = self._sentences_request(task, places, vote)
        if request.key not in task.rows:
            places = [place for place in places if place in task.open]
            request, judge = self._sentences_request(task, places, vote)
        before = request.key in task.rows
        outcome = await self._requester.ask(request, task.rows, judge, again=False)
        answers, seconds = by_place(places, outcome), outcome.seconds
        lacking = [place for place in places if place in task.open and place not in answers]
        if before and lacking:
            request, judge = self._sentences_request(task, lacking, vote)
            if request.key in task.rows or self._requester.retries:
                outcome = await self._requester.ask(request, task.rows, judge)
                answers, seconds = {**answers, **by_place(lacking, outcome)}, seconds + outcome.seconds
        return answers, seconds

    def _sentences_request(self, task: LoadedTask, places: Sequence[int], vote: AskingVariant) -> tuple[Request, Judge]:
        items = [task.assigned.task.items[place] for place in places]
        document = task.documents[items[0].document]
        stages = self._prompter.asked([s for s in self._protocol.pages[task.assigned.task.page] if fits(s, items[0])])
        earlier = [task.earlier[place] for place in places]
        prompt = self._prompter.sentences(stages, document, items, answers=earlier)
        outputs = max(2, len(items[0].systems))
        scopes = [
            ItemRequest(self._protocol, stages, texts_of(document, item), dict(earlier_answers), outputs)
            for item, earlier_answers in zip(items, earlier, strict=True)
        ]
        whole = replace(items[0], segment="")
        segments = tuple(item.segment for item in items)
        subject = self._subject(task, places[0], whole, stages, vote)._replace(segments=segments)
        request = Request(vote.channel, subject, prompt, self._prompter.turns)
        good: dict[str, ReplyVerdict] = {}

        def judge(text: str) -> tuple[ReplyVerdict, str]:
            return judge_sentences(text, scopes, prompt.schema["properties"], good)

        return request, judge


def _merge_answers(earlier: Json, value: Json) -> Json:
    """Add an answer about one skill or row to those about the others."""
    return {**earlier, **value} if isinstance(earlier, dict) and isinstance(value, dict) else value


def _flags_of(question: str, value: Json, votes: Sequence[Vote]) -> list[str]:
    """What is unsure about a combined answer: what was about the votes that it is, or about any where it is none."""
    same = [vote for vote in votes if vote.answers.get(question) == value]
    return list(dict.fromkeys(flag for vote in same or votes for flag in vote.flags.get(question, ())))


def _in_both_orders(votes: Sequence[AskingVariant], answers: Sequence[Vote | None]) -> list[Vote | None]:
    """The answers of votes that were given in both orders of a pair, None in place of others: one order alone says as
    much about the order as about the pair."""
    keys = [(vote.channel.member.model, vote.twin, vote.sample) for vote in votes]
    lacking = {key for key, answer in zip(keys, answers, strict=True) if answer is None}
    return [None if key in lacking else answer for key, answer in zip(keys, answers, strict=True)]


def group_items(
    tasks: Sequence[LoadedTask], steps: Sequence[tuple[LoadedTask, int]]
) -> list[tuple[LoadedTask, list[int]]]:
    """Group the items that one call asks about: of one task, one document, the same outputs and role. A group needs one
    item among the steps and then has all of its items, open or not, except those that wait for an earlier page: after
    a crash it is the same call again. Items about whole documents are in no group."""
    places_wanted = {(task.assigned.task.id, place) for task, place in steps}
    groups_of_calls = []
    for task in tasks:
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, item in enumerate(task.assigned.task.items):
            if place in task.waiting or not item.segment:
                continue
            groups.setdefault((item.document, item.systems, item.role), []).append(place)
        number = task.assigned.task.id
        groups_of_calls += [
            (task, places) for places in groups.values() if any((number, place) in places_wanted for place in places)
        ]
    return groups_of_calls


def by_place(places: Sequence[int], outcome: Outcome) -> dict[int, Vote]:
    """Map answers from the sentence's number in the call to the item's place in its task."""
    values, flags = outcome.answers or {}, outcome.flags
    numbers = {place: str(number) for place, number in zip(places, count(1), strict=False)}
    return {place: Vote(values[n], flags.get(n, {})) for place, n in numbers.items() if n in values}


def judge_sentences(
    text: str,
    questions: Sequence[ItemRequest],
    schemas: Mapping[str, Mapping[str, Json]],
    good: dict[str, ReplyVerdict],
) -> tuple[ReplyVerdict, str]:
    """Check a reply sentence by sentence. Answers that were right stay in `good` when the rest is asked again."""
    try:
        value, repairs = parse(text)
    except AmbiguousError as error:
        value, repairs, wrong = {}, 0, [("schema", str(error))]
    except (ValueError, RecursionError) as error:
        value, repairs, wrong = {}, 0, [("json", f"The reply is not JSON: {error}.")]
    else:
        wrong = []
    if not isinstance(value, dict):
        value, wrong = {}, [("schema", "The reply is not a JSON object.")]
    elif strange := [number for number in value if number.isdigit() and number not in schemas]:
        what = f"There is no sentence {strange[0]}: they are numbered from 1 to {len(schemas)}."
        value, wrong = {}, [("schema", what)]  # counted from 0, every answer would be another sentence's
    for (number, schema), about in zip(schemas.items(), questions, strict=True):
        entry = value.get(number)
        if not isinstance(entry, dict):
            if number not in good and not (wrong and wrong[0][0] == "json"):
                wrong.append(("schema", f"Sentence {number} has no answer."))
            continue
        verdict_of_sentence = check_reply(entry, about, schema)
        repairs += verdict_of_sentence.repairs
        if verdict_of_sentence.answers is not None:
            good[number] = verdict_of_sentence
        elif number not in good:
            wrong.append((verdict_of_sentence.step, f"Sentence {number}: {verdict_of_sentence.problem}"))
    step = "" if len(good) == len(schemas) else wrong[0][0] if wrong else "schema"
    problem = " ".join(problem for _, problem in wrong[:10]) if step else ""
    outcome = VALID if not step else PARTIAL if good else MISSING
    answers = {number: entry.answers for number, entry in good.items()}
    flags = {number: dict(entry.flags) for number, entry in good.items() if entry.flags}
    return ReplyVerdict(answers or None, repairs, step, problem, flags), outcome  # type: ignore[arg-type]
