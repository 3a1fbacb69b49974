"""Assignments only grow: judges, overlap and promoted units are added. Only a judge who has answered nothing can be
removed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from lanner import designs, registry
from lanner.campaign.drawing import announcing_end
from lanner.campaign.people import check_judges, refuse_no_person
from lanner.campaign.progress import still_judging
from lanner.campaign.questions import Questions, deciding_pages, questions_of, systems_of
from lanner.campaign.states import REST_ASSIGNED, Reference, awaits_rest, lock, rest_is_assigned
from lanner.campaign.tasks import finish_answered
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.prepare import Part, can_be_given, pages_behind, prepare, with_languages
from lanner.errors import CampaignError, DesignError, check_known, did_you_mean
from lanner.model import Campaign, CampaignState, Document, Item, Json, Judge, Protocol, Role, Task, Unit
from lanner.store import JUDGE_REPLACED, Store, Transaction
from lanner.store.rows import now
from lanner.store.tasks import TaskRows, to_rows


def add_tasks(
    tx: Transaction,
    campaign: int,
    protocol: Protocol,
    documents: Sequence[Document],
    tasks: Iterable[Task],
    *,
    at: datetime,
) -> int:
    """Check and append tasks, and return how many. A judge may have each item of a page once."""
    new_tasks = list(tasks)
    check_tasks(tx, campaign, protocol, documents, new_tasks)
    return write_tasks(tx, campaign, to_rows(new_tasks, tx.documents.numbers(campaign)), at)


def check_tasks(
    tx: Transaction,
    campaign: int,
    protocol: Protocol,
    documents: Sequence[Document],
    tasks: Sequence[Task],
    *,
    new_judges: Sequence[Judge] = (),
) -> None:
    """Refuse tasks that could not be worked on, also those of judges about to be added."""
    participants = {participant.judge.id: participant.number for participant in tx.judges.all(campaign)}
    had = _items_given(tx, [participants[name] for name in {task.judge for task in tasks} if name in participants])
    _check_tasks(tasks, protocol, documents, {*participants, *(judge.id for judge in new_judges)}, had)


def check_new(
    tasks: Sequence[Task], protocol: Protocol, documents: Sequence[Document], judges: Sequence[Judge]
) -> None:
    """Refuse tasks that could not be worked on in a campaign that is about to be made."""
    _check_tasks(tasks, protocol, documents, {judge.id for judge in judges}, set())


def write_tasks(tx: Transaction, campaign: int, tasks: Sequence[TaskRows], at: datetime) -> int:
    """Append tasks that were checked and laid out, before questionnaires that stand behind all texts; return how
    many."""
    participants = {participant.judge.id: participant.number for participant in tx.judges.all(campaign)}
    number = tx.tasks.add_rows(campaign, tasks, participants, at)
    places = _places(tx.campaigns.protocol(campaign))
    if any(places.values()):
        tx.tasks.put_in_order(campaign, places)
    return number


def _places(protocol: Protocol) -> dict[str, int]:
    """The order of the pages that may move: texts first, in any order, then the questionnaires behind them."""
    behind = pages_behind(protocol)
    return {
        page: int(page in behind)
        for page, stages in protocol.pages.items()
        if page in behind or stages[0].unit is not Unit.JUDGE
    }


def _plan_and_write(
    store: Store,
    campaign: Reference,
    plan: Callable[[Transaction, Campaign], list[Task]],
    write: Callable[[Transaction, Campaign, Sequence[TaskRows]], int],
) -> int:
    """Plan tasks in a reading transaction, and write them if nothing has changed meanwhile. Planning takes longer than
    writing, and on SQLite nobody can save while somebody writes. Where the campaign keeps changing, plan with it
    locked."""
    for _ in range(_TRIES):
        with store.reading() as tx:
            entry = tx.campaigns.get(campaign)
            state = _state(tx, entry)
            tasks = to_rows(plan(tx, entry), tx.documents.numbers(entry.id))
        with store.writing() as tx:
            entry = lock(tx, entry.id)
            if _state(tx, entry) == state:
                return write(tx, entry, tasks)
    with store.writing() as tx:
        entry = lock(tx, campaign)
        return write(tx, entry, to_rows(plan(tx, entry), tx.documents.numbers(entry.id)))


_TRIES = 2


def _state(tx: Transaction, campaign: Campaign) -> tuple[object, ...]:
    """A value that changes with everything a plan depends on."""
    judges = [(participant.judge, participant.revoked_at) for participant in tx.judges.all(campaign.id)]
    return (
        campaign,
        tx.campaigns.version(campaign.id),
        tx.events.last(campaign.id),
        tx.tasks.counts(campaign.id),
        judges,
    )


def assign(
    store: Store,
    campaign: Reference,
    tasks: Iterable[Task],
    *,
    only_new: bool = False,
    at: datetime | None = None,
) -> int:
    """Append tasks made elsewhere (promoted units, controls), and return how many. With `only_new` leave out items that
    a judge has already, which are refused otherwise."""
    with store.writing() as tx:
        entry = lock(tx, campaign)
        new = _lacking(tx, entry, tasks) if only_new else tasks
        return add_tasks(tx, entry.id, *_protocol_and_documents(tx, entry), new, at=at or now())


def _lacking(tx: Transaction, campaign: Campaign, tasks: Iterable[Task]) -> list[Task]:
    """The tasks without items that their judge has already."""
    numbers = {participant.judge.id: participant.number for participant in tx.judges.all(campaign.id)}
    wanted = list(tasks)
    had = _items_given(tx, {numbers[task.judge] for task in wanted if task.judge in numbers})
    new = (replace(task, items=tuple(i for i in task.items if _item_key(task, i) not in had)) for task in wanted)
    return [task for task in new if task.items]


def assign_calibration(
    store: Store,
    campaign: Reference,
    items: Mapping[str, Sequence[Item]],
    *,
    account: int | None = None,
    at: datetime | None = None,
) -> int:
    """Give items of these pages to everybody who still judges, as a calibration round that comes before their other
    texts; questionnaires between texts keep their place. Nobody gets an item again from an earlier round. Return how
    many tasks were added."""
    moment = at or now()
    with store.writing() as tx:
        entry = lock(tx, campaign)
        protocol, documents = _protocol_and_documents(tx, entry)
        tasks = _lacking(tx, entry, _calibration_tasks(tx, entry, Questions(protocol), documents, items))
        if tasks:
            add_tasks(tx, entry.id, protocol, documents, tasks, at=moment)
            tx.tasks.put_in_order(entry.id, _places(protocol), calibration_first=True)
            tx.events.add("calibration_assigned", moment, campaign=entry.id, account=account, tasks=len(tasks))
        return len(tasks)


def _calibration_tasks(
    tx: Transaction,
    campaign: Campaign,
    questions: Questions,
    documents: Sequence[Document],
    items: Mapping[str, Sequence[Item]],
) -> list[Task]:
    """A task for each judge and page, of the items that this page asks the judge about and they can read. Where another
    page decides what is asked (labels, for ratings) and is not answered yet, its items come first."""
    protocol = questions.protocol
    texts = {document.id: document for document in documents}
    numbers = tx.documents.numbers(campaign.id)
    round_ = [(page, replace(item, role=Role.CALIBRATION)) for page, entries in items.items() for item in entries]
    tasks: list[Task] = []
    for judge in still_judging(tx, campaign):
        participant = tx.judges.get(campaign, judge.id).number
        theirs = [assigned.task for assigned in tx.tasks.of_judge(participant)]
        arm = next((stage.arm for task in theirs for stage in protocol.pages[task.page] if stage.arm), None)
        own: dict[str, list[Item]] = {page: [] for page in protocol.pages}
        for page, item in round_:
            if not can_be_given(judge, protocol.pages[page], texts[item.document], arm):
                continue
            own[page].append(item)
            rows = tx.judgements.of_document(participant, numbers[item.document]).get(item.segment, [])
            if questions.waits(page, item, questions.answers(page, item, questions.heads(rows))):
                for other in deciding_pages(protocol, page):
                    own[other].append(_as_shown(protocol, other, item))
        for page, entries in own.items():
            asked = {_item_key(Task(0, judge.id, page, ()), item): item for item in entries}
            wanted = tuple(item for item in asked.values() if questions.questions(page, item))
            tasks += [Task(0, judge.id, page, wanted)] if wanted else []
    return tasks


def _as_shown(protocol: Protocol, page: str, item: Item) -> Item:
    """The item as another page shows its unit: with its outputs, or the source alone."""
    is_source = all(systems_of(stage, item) == () for stage in protocol.pages[page])
    return replace(item, systems=()) if is_source else item


def after_calibration(
    store: Store, campaign: Reference, *, account: int | None = None, at: datetime | None = None
) -> int:
    """Assign what follows a calibration round, the other documents by the campaign's design. Return how many tasks."""
    moment = at or now()

    def plan(tx: Transaction, entry: Campaign) -> list[Task]:
        if not entry.settings.get("calibration"):
            raise CampaignError(f"{entry.name} has no calibration round.", code="no_calibration")
        if entry.state is CampaignState.DRAFT:  # another draft of its tasks would leave out what was assigned here
            raise CampaignError(f"{entry.name} is a draft, so nobody is calibrated yet.", code="draft")
        if rest_is_assigned(tx, entry.id):
            raise CampaignError(
                f"What follows the calibration round of {entry.name} has been assigned already.",
                code="rest_assigned",
                next_step="Judges who join later get it too; add-overlap gives single judges more.",
            )
        protocol, documents = _protocol_and_documents(tx, entry)
        judges = still_judging(tx, entry)
        tasks = deal(entry, documents, judges, protocol, part="rest", **tx.campaigns.plan(entry.id))
        check_tasks(tx, entry.id, protocol, documents, tasks)
        return tasks

    def write(tx: Transaction, entry: Campaign, tasks: Sequence[TaskRows]) -> int:
        number = write_tasks(tx, entry.id, tasks, moment)
        with announcing_end(tx, entry, moment):  # where nothing follows
            tx.events.add(REST_ASSIGNED, moment, campaign=entry.id, account=account, tasks=number)
        return number

    return _plan_and_write(store, campaign, plan, write)


def add_judges(
    store: Store,
    campaign: Reference,
    judges: Sequence[Judge],
    *,
    design: str | None = None,
    options: dict[str, Json] | None = None,
    account: int | None = None,
    at: datetime | None = None,
) -> int:
    """Add judges and give them tasks by the campaign's design, or another. Return how many tasks."""
    moment = at or now()
    with store.reading() as tx:
        judges = with_languages(judges, tx.documents.all(tx.campaigns.get(campaign).id))

    def plan(tx: Transaction, entry: Campaign) -> list[Task]:
        present = {participant.judge.id for participant in tx.judges.all(entry.id)}
        check_judges(judges, present)
        protocol, documents = _protocol_and_documents(tx, entry)
        others = still_judging(tx, entry)
        tasks = _deal_by_design(
            tx, entry, protocol, documents, judges, others=others, place=len(present), design=design, options=options
        )
        check_tasks(tx, entry.id, protocol, documents, tasks, new_judges=judges)
        return tasks

    def write(tx: Transaction, entry: Campaign, tasks: Sequence[TaskRows]) -> int:
        tx.judges.add(entry.id, judges, moment)
        number = write_tasks(tx, entry.id, tasks, moment)
        tx.events.add("judges_added", moment, campaign=entry.id, account=account, judges=len(judges), tasks=number)
        return number

    return _plan_and_write(store, campaign, plan, write)


def add_overlap(
    store: Store,
    campaign: Reference,
    judges: Sequence[str],
    documents: Sequence[str],
    *,
    account: int | None = None,
    at: datetime | None = None,
) -> int:
    """Give judges these documents too, where they do not have them yet and did not judge them in the calibration round.
    Refused before what follows that round is assigned: this would be given twice. Return how many tasks it makes."""
    moment = at or now()

    def plan(tx: Transaction, record: Campaign) -> list[Task]:
        if tx.campaigns.plan(record.id)["options"].get("teams"):
            raise CampaignError("Teams share no documents, so there is no overlap.", code="teams_apart")
        if awaits_rest(tx, record):
            raise CampaignError(
                f"What follows the calibration round of {record.name} is not assigned yet.",
                code="rest_not_assigned",
                next_step="Assign it first: lanner campaign calibrated.",
            )
        people = [tx.judges.get(record, judge) for judge in judges]
        gone = [entry.judge.id for entry in people if entry.revoked_at is not None]
        gone += [entry.judge.id for entry in people if entry.number in tx.events.left_out(record.id)]
        if gone:
            raise CampaignError(
                f"{gone[0]} was left out of the results, or the link was revoked: nobody would count this work.",
                code="judge_left",
                names={"name": gone[0]},
                next_step="Choose other judges. Or issue a new link, or count the judge again.",
            )
        protocol, texts = _protocol_and_documents(tx, record)
        chosen_texts = [_document(texts, key) for key in documents]
        had = _items_given(tx, [entry.number for entry in people])
        place = sum(tasks for tasks, _ in tx.progress.counts(record.id).values())
        judged_by = [entry.judge for entry in people]
        repeat = {"all_scenarios": True}
        new_tasks = _deal_by_design(
            tx, record, protocol, chosen_texts, judged_by, place=place, design="full", options=repeat
        )
        new = [task for task in new_tasks if not _is_had(task, had)]
        check_tasks(tx, record.id, protocol, texts, new)
        return new

    def write(tx: Transaction, record: Campaign, tasks: Sequence[TaskRows]) -> int:
        number = write_tasks(tx, record.id, tasks, moment)
        detail = {"judges": len(judges), "documents": list(documents), "tasks": number}
        tx.events.add("overlap_added", moment, campaign=record.id, account=account, **detail)
        return number

    return _plan_and_write(store, campaign, plan, write)


def replace_judge(
    store: Store,
    campaign: Reference,
    leaving: str,
    coming: Judge,
    *,
    account: int | None = None,
    at: datetime | None = None,
) -> int:
    """Let a new judge take over the tasks of one who leaves (`_tasks_to_take_over`), and return how many. Documents
    that are only begun are taken over as a whole. Answers of the one who leaves stay theirs and count; their link
    stops working."""
    moment = at or now()
    with store.writing() as tx:
        old = tx.judges.get(tx.campaigns.get(campaign), leaving)
        refuse_no_person(old.judge)
        tx.tasks.lock_of(old.number)  # before the campaign, as saves do
        record = lock(tx, campaign)
        protocol, documents = _protocol_and_documents(tx, record)
        [coming] = with_languages([coming], documents)
        kept = {name: value for name, value in old.judge.attributes.items() if name in _OF_THE_SEAT}
        coming = replace(coming, attributes={**kept, **coming.attributes})
        if old.number in tx.progress.who_left(record.id):
            raise CampaignError(
                f"Someone else has taken over from {leaving} already.",
                code="replaced",
                next_step="Replace whoever took over, or give this judge a new link.",
            )
        check_judges([coming], [participant.judge.id for participant in tx.judges.all(record.id)])
        tx.judges.add(record.id, [coming], moment)
        for entry in tx.tasks.of_judge(old.number):
            if entry.task.items[0].document:
                finish_answered(tx, questions_of(tx, record.id, record.protocol_hash), entry, moment)
        goes_on = record.design == ADAPTIVE or tx.progress.free_items(record.id) > 0
        theirs = [entry.task for entry in tx.tasks.of_judge(old.number)]
        tasks = [
            Task(0, coming.id, task.page, task.items) for task in _tasks_to_take_over(protocol, theirs, goes_on=goes_on)
        ]
        number = add_tasks(tx, record.id, protocol, documents, tasks, at=moment)
        tx.judges.revoke_link(old.number, moment)
        tx.sessions.remove_of(judge=old.number)
        new = tx.judges.get(record, coming.id)
        detail = {"seat": old.number, "coming": new.number, "tasks": number}
        with announcing_end(tx, record, moment):
            tx.events.add(JUDGE_REPLACED, moment, campaign=record.id, account=account, **detail)
        return number


_OF_THE_SEAT = ("target_language", "arm")
"""Attributes by which texts are given to a judge: they go to whoever takes over, unless theirs are others."""


def _tasks_to_take_over(protocol: Protocol, tasks: Sequence[Task], *, goes_on: bool) -> list[Task]:
    """The tasks of a judge that somebody else is to do, in their order: unfinished texts; finished ones whose answers
    decide what the unfinished ask (labels, for ratings); and what every judge begins with, such as consent,
    questionnaires, a tutorial and a calibration round. `goes_on` says that more texts will come than are here."""
    left = [task for task in tasks if task.items[0].document and task.finished_at is None]
    if not left and not goes_on:
        return []
    needed = {
        (page, item.document, item.segment)
        for task in left
        for page in deciding_pages(protocol, task.page)
        for item in task.items
    }

    def is_taken_over(task: Task) -> bool:
        first = task.items[0]
        if task.finished_at is None or not first.document or first.role in (Role.TUTORIAL, Role.CALIBRATION):
            return True
        return any((task.page, item.document, item.segment) in needed for item in task.items)

    return [task for task in tasks if is_taken_over(task)]


def remove_judge(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks; those taken from a pool are free again."""
    moment = at or now()
    with store.deleting() as tx:
        entry = lock(tx, campaign)
        leaving = tx.judges.get(entry, judge)
        answered = tx.judgements.has_answered(leaving.number)
        if not answered and tx.tasks.any_answered(entry.id, leaving.number):
            raise CampaignError(
                f"{judge} has taken over tasks on which someone has answered, and answers are kept.",
                code="has_answered",
                next_step="Let someone else take over, or leave the judge out of the results.",
            )
        spent = tx.ledger.spent(leaving.number)  # attempts that no server answered cost nothing
        if answered or tx.tasks.any_saved(leaving.number) or spent.tokens or spent.priced:
            raise CampaignError(
                f"{judge} has answered already, and answers are kept.",
                code="has_answered",
                next_step="Leave the judge out of the results, let someone else take over, or erase the identity.",
            )
        tx.sessions.remove_of(judge=leaving.number)
        tx.ledger.remove_of(leaving.number)
        with announcing_end(tx, entry, moment, leaving=leaving.judge):
            tx.tasks.remove_of(leaving.number)
        tx.judges.remove(leaving.number)
        tx.events.add("judge_removed", moment, campaign=entry.id, account=account, seat=leaving.number)


def deal(
    campaign: Campaign,
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    systems: Sequence[str],
    options: Mapping[str, Json],
    rng: np.random.Generator | None = None,
    part: Part = "first",
) -> list[Task]:
    """Tasks by the campaign's design, settings and seed."""
    return prepare(
        campaign.design,
        documents,
        judges,
        protocol,
        rng=np.random.default_rng(campaign.seed) if rng is None else rng,
        systems=systems,
        options=options,
        settings=campaign.settings,
        seed=campaign.seed,
        part=part,
    )


def _protocol_and_documents(tx: Transaction, campaign: Campaign) -> tuple[Protocol, list[Document]]:
    protocol = tx.campaigns.protocol(campaign.id)
    return protocol, tx.documents.all(campaign.id)


def _deal_by_design(
    tx: Transaction,
    campaign: Campaign,
    protocol: Protocol,
    documents: Sequence[Document],
    judges: Sequence[Judge],
    *,
    place: int,
    design: str | None,
    options: dict[str, Json] | None,
    others: Sequence[Judge] = (),
) -> list[Task]:
    """Tasks of new judges by a design, with chance that depends on the seed and on how far the campaign has grown."""
    plan = tx.campaigns.plan(campaign.id)
    name = design or (campaign.design if campaign.design in registry.names("designs") else "full")
    values = options if options is not None else plan["options"] if name == campaign.design else {}
    if design is not None or name != campaign.design:
        rng = np.random.default_rng([campaign.seed, place])
        return designs.assign(name, documents, judges, protocol, rng=rng, systems=plan["systems"], **values)
    # Where the calibration round is over, those who come later get it and what follows it.
    over = campaign.settings.get("calibration") and rest_is_assigned(tx, campaign.id)
    parts: tuple[Part, ...] = ("first", "rest") if over else ("first",)

    def deal_to(people: Sequence[Judge]) -> list[Task]:
        rng = np.random.default_rng([campaign.seed, place])
        chosen = {"systems": plan["systems"], "options": values}
        return [
            task for part in parts for task in deal(campaign, documents, people, protocol, rng=rng, part=part, **chosen)
        ]

    return deal_to(judges) if name in _ALONE or not others else _shares(judges, others, deal_to)


_ALONE = ("full", ADAPTIVE)
"""Designs in which what a judge gets at first does not depend on the others; new teams must be whole in themselves."""


def _shares(judges: Sequence[Judge], others: Sequence[Judge], deal: Callable[[list[Judge]], list[Task]]) -> list[Task]:
    """The tasks of new judges when everything is dealt to everybody, so that they get as much as the others have. What
    the others would get, and what lies in a pool, is there already. Where a design needs a certain number of judges
    (whole teams), deal to the new ones and to as many of the others as it takes."""
    names = {judge.id for judge in judges}
    refusal: DesignError | None = None
    for number in range(len(others), -1, -1):
        try:
            return [task for task in deal([*others[:number], *judges]) if task.judge in names]
        except DesignError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _item_key(task: Task, item: Item) -> tuple[object, ...]:
    return (task.judge, task.page, item.document, item.segment, tuple(sorted(item.systems)), item.role)


def _items_given(tx: Transaction, judges: Iterable[int]) -> set[tuple[object, ...]]:
    """The keys of all items that these judges have."""
    tasks = [entry.task for judge in judges for entry in tx.tasks.of_judge(judge)]
    return {_item_key(task, item) for task in tasks for item in task.items}


def _is_had(task: Task, had: Collection[tuple[object, ...]]) -> bool:
    """Whether a judge has something of a task already, or has had all of it in a calibration round."""
    in_round = [replace(item, role=Role.CALIBRATION) for item in task.items]
    has_some = any(_item_key(task, item) in had for item in task.items)
    return has_some or all(_item_key(task, item) in had for item in in_round)


def _document(documents: Sequence[Document], key: str) -> Document:
    match = next((document for document in documents if document.id == key), None)
    if match is None:
        names = [document.id for document in documents]
        raise CampaignError(
            f"There is no document {key!r}.", code="unknown_document", next_step=did_you_mean(key, names)
        )
    return match


def _check_tasks(
    tasks: Sequence[Task],
    protocol: Protocol,
    documents: Sequence[Document],
    judges: Collection[str],
    had: set[tuple[object, ...]],
) -> None:
    """Refuse tasks that could not be worked on: a design's mistake, found before anyone meets it."""
    questions = Questions(protocol)
    segments = {document.id: {segment.id: segment for segment in document} for document in documents}
    for task in tasks:
        if task.judge:
            check_known(task.judge, judges, f"A task is for {task.judge!r}, who is no judge here.", DesignError)
        check_known(task.page, protocol.pages, f"{protocol.name} has no page {task.page!r}.", DesignError)
        if not task.items:
            raise DesignError(f"A task of {task.judge or 'nobody'} on page {task.page!r} is empty.")
        for item in task.items:
            if item.document and item.document not in segments:
                raise DesignError(f"A task is about the document {item.document!r}, which is not there.")
            if item.segment and item.segment not in segments[item.document]:
                raise DesignError(f"{item.document!r} has no segment {item.segment!r}.")
            if not questions.questions(task.page, item):
                raise DesignError(f"The page {task.page!r} asks nothing about such an item: {item}.")
            key = _item_key(task, item)
            if task.judge and key in had:
                raise DesignError(
                    f"{task.judge!r} would get {item.document!r} {item.segment or ''} twice on page {task.page!r}.",
                    next_step="Give the second one another role, such as repeat.",
                )
            had.add(key)
