"""Judges as somebody names them, and what is done about one: consent, left out of the results, an identity erased,
answers withdrawn."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from lanner.campaign.drawing import announcing_end
from lanner.campaign.practice import PRACTISED
from lanner.campaign.states import Reference, lock
from lanner.errors import CampaignError, InputError, Where
from lanner.model import JUDGE_GROUPS, Json, Judge, languages
from lanner.store import COUNTED_AGAIN, JUDGE_REPLACED, LEFT_OUT, Event, Participant, Store, Transaction, code_name
from lanner.store.rows import now


def id_from_name(name: str) -> str:
    """A short id made of a judge's name: letters of any script, digits and dashes."""
    plain_name = unicodedata.normalize("NFKC", name).strip().casefold()
    return re.sub(r"[\W_]+", "-", plain_name).strip("-")[:40] or "judge"


def check_judges(judges: Iterable[Judge], present: Iterable[str] = ()) -> None:
    """Refuse judges whom nobody could tell apart from each other or from those `present`, and ids and names that some
    database or page cannot hold."""
    ids_present = set(present)
    taken = {unicodedata.normalize("NFC", judge_id): judge_id for judge_id in ids_present}
    for judge in judges:
        if not judge.id.strip():
            raise InputError("A judge has an empty id.", next_step="Give every judge an id.")
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in judge.id + judge.name):
            raise InputError(
                f"The judge {judge.id!r} has a control character, or half of one, in the id or name.",
                next_step="Write it with letters, digits and signs.",
            )
        plain_id = unicodedata.normalize("NFC", judge.id)
        if plain_id in taken:
            what = "There is already a judge" if taken[plain_id] in ids_present else "There are two judges"
            written = "" if taken[plain_id] == judge.id else ", written with other code points"
            raise CampaignError(
                f"{what} called {judge.id!r}{written}.",
                code="judge_taken",
                next_step="Give each an id of its own.",
            )
        taken[plain_id] = judge.id


# Judges as an organiser names them: one per line, in any order of name, e-mail, language and remarks, or a table.

AT_ONCE = 2000
"""Judges that are added at once, at most."""
LONGEST_LINE = 1000
"""Characters a line may have: a name, an address, a language, a remark."""
_ADDRESS = re.compile(r"<?(?<![^\s<>@,;])([^\s<>@,;]++@[^\s<>@,;]+\.[^\s<>@,;]+)>?")
_MAIL = ("email", "e-mail", "mail")
_KNOWN_COLUMNS = ("id", "name", *_MAIL, "language", "target_language", "interface_language", "arm")
_EXAMPLE = "Write one judge per line, for instance: Ana, ana@example.org, ko"


@dataclass(frozen=True, slots=True)
class InvitedJudge:
    """A judge and the address to send their link to. Addresses are for the letter only: they are never stored."""

    judge: Judge
    email: str = ""


def parse_judges(text: str, existing_ids: Collection[str] = (), *, same_names: bool = False) -> list[InvitedJudge]:
    """Everyone named in the text, with ids of their own that nobody has yet. Two of one name are asked about, unless
    `same_names` says that they are different people."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    header = table_header(lines[0][1]) if lines else []
    if len(lines) <= bool(header):
        raise InputError("Nobody is named.", code="nobody_named", next_step=_EXAMPLE)
    if len(lines) > AT_ONCE:
        raise InputError(
            f"These are {len(lines)} lines; at most {AT_ONCE} judges are added at once.",
            code="many_judges",
            names={"n": str(len(lines)), "most": str(AT_ONCE)},
        )
    for number, line in lines:
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"This line has {len(line)} characters; at most {LONGEST_LINE} are read.",
                code="long_line",
                names={"n": str(len(line)), "most": str(LONGEST_LINE)},
                where=Where(line=number),
                next_step=_EXAMPLE,
            )
    ids = _Ids(existing_ids, same_names=same_names)
    if header:
        mark = _delimiter(lines[0][1])
        return [_from_row(header, _cells(line, mark), number, ids) for number, line in lines[1:]]
    return [_from_line(line, number, ids) for number, line in lines]


def table_header(line: str) -> list[str]:
    """The columns of a table of judges, if this is its first line."""
    cells = _cells(line, _delimiter(line))
    columns = [cell.casefold() if cell.casefold() in _KNOWN_COLUMNS else cell for cell in cells]
    return columns if "name" in columns or "id" in columns else []


class _Ids:
    """The ids there are. A name that comes again is refused, unless those are different people."""

    def __init__(self, existing_ids: Collection[str], *, same_names: bool) -> None:
        self._ids, self._same_names = set(existing_ids), same_names

    def add(self, base: str, name: str, line: int) -> str:
        """The id, or another like it for another of this name."""
        if base in self._ids and not self._same_names:
            raise InputError(
                f"There is a judge called {name} already.",
                code="same_name",
                names={"name": name},
                where=Where(line=line),
                next_step="Leave the line out, or say that these are different people.",
            )
        candidate, number = base, 2
        while candidate in self._ids:
            candidate, number = f"{base}-{number}", number + 1
        self._ids.add(candidate)
        return candidate


def _delimiter(line: str) -> str:
    return "\t" if "\t" in line else ";" if ";" in line and "," not in line else ","


def _cells(line: str, mark: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]


def _from_row(header: list[str], cells: list[str], number: int, ids: _Ids) -> InvitedJudge:
    row = dict(zip(header, cells, strict=False))
    email = next((row[key] for key in _MAIL if row.get(key)), "")
    name = row.get("name") or row.get("id") or email.partition("@")[0]
    if not name:
        raise InputError("A judge has neither name nor id.", code="nameless_judge", where=Where(line=number))
    attributes = {key: value for key, value in row.items() if key and value and key not in ("id", "name", *_MAIL)}
    return InvitedJudge(
        Judge(ids.add(row.get("id") or id_from_name(name), name, number), name=name, attributes=attributes), email
    )


def _from_line(line: str, number: int, ids: _Ids) -> InvitedJudge:
    match = _ADDRESS.search(line)
    email = match[1] if match else ""
    rest = [cell for cell in _cells(_ADDRESS.sub("", line), _delimiter(line)) if cell]
    language_names = [cell for cell in rest[1:] if languages.is_known(cell)]
    other = [cell for cell in rest[1:] if cell not in language_names]
    name = rest[0] if rest else email.partition("@")[0]
    if not name or len(name) > 120:
        raise InputError("There is no name in this line.", code="no_name", where=Where(line=number))
    codes = ", ".join(dict.fromkeys(map(languages.normal, language_names)))
    attributes = {"language": codes} if codes else {}
    if other:
        attributes["note"] = ", ".join(other)[:200]
    return InvitedJudge(Judge(ids.add(id_from_name(name), name, number), name=name, attributes=attributes), email)


ERASED, WITHDREW = "judge_erased", "judge_withdrew"
"""Kinds of events: an identity was erased; answers were withdrawn as well."""

# What judges write to the organiser about a document: entries of the campaign's log that the live page shows.
KIND = "judge_message"
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class JudgeMessage:
    """One message: when, from which participant, about which task and document."""

    at: datetime
    participant: int
    task: int
    document: str
    text: str


def send_message(store: Store, task: int, text: str, *, at: datetime | None = None) -> None:
    """Keep a message of a task's judge to the organiser."""
    words = text.strip()
    if not words or len(words) > LONGEST:
        what = f"A message has 1 to {LONGEST} characters."
        raise InputError(what, code="bad_message", names={"n": str(LONGEST)})
    with store.writing() as tx:
        entry = tx.tasks.get(task)
        if entry is None or entry.judge is None:
            raise CampaignError("There is no such task.", code="unknown_task")
        document = next((item.document for item in entry.task.items if item.document), "")
        detail: dict[str, Json] = {"seat": entry.judge, "task": task, "document": document, "text": words}
        tx.events.add(KIND, at or now(), campaign=entry.campaign, **detail)


def messages_in(events: Iterable[Event]) -> list[JudgeMessage]:
    """The messages among a campaign's events, newest first."""
    return [
        JudgeMessage(
            event.at,
            int(event.detail["seat"]),
            int(event.detail["task"]),
            str(event.detail["document"]),
            str(event.detail["text"]),
        )
        for event in events
        if event.kind == KIND
    ][::-1]


_LEAVING = (JUDGE_REPLACED, ERASED, WITHDREW)


def who_left(tx: Transaction, campaign: int) -> set[int]:
    """Participants who were replaced, withdrew or had their identity erased, and have no new link since: whoever makes
    links for everybody makes none for them."""
    seats = {int(event.detail["seat"]) for event in tx.events.of(campaign, kinds=_LEAVING)}
    return {entry.number for entry in tx.judges.all(campaign) if entry.revoked_at is not None and entry.number in seats}


def consent(store: Store, campaign: Reference, judge: str, version: str, *, at: datetime | None = None) -> None:
    """A judge has agreed to this version of the consent text."""
    with store.writing() as tx:
        tx.judges.set_consent(tx.judges.get(tx.campaigns.get(campaign), judge).number, version, at or now())


def leave_out(
    store: Store,
    campaign: Reference,
    judge: str,
    reason: str,
    *,
    account: int | None = None,
    at: datetime | None = None,
) -> None:
    """Count a judge in no result from now on, for a reason that reports state. Their answers are kept; what they have
    not done is not waited for any more."""
    if not reason.strip():
        raise CampaignError(
            "A judge is left out for a reason.", code="no_reason", next_step="Say why: the report will state it."
        )
    moment = at or now()
    with store.writing() as tx:
        entry = lock(tx, campaign)
        mine = tx.judges.get(entry, judge)
        detail = {"seat": mine.number, "reason": reason.strip()}
        with announcing_end(tx, entry, moment, leaving=mine.judge):
            tx.events.add(LEFT_OUT, moment, campaign=entry.id, account=account, **detail)


def count_again(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> None:
    """Count a judge who was left out as before."""
    with store.writing() as tx:
        mine = tx.judges.get(tx.campaigns.get(campaign), judge)
        tx.events.add(COUNTED_AGAIN, at or now(), campaign=mine.campaign, account=account, seat=mine.number)


def erase(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> str:
    """Forget who a judge was and keep what they answered, under a name that says nothing. The new name."""
    moment = at or now()
    with store.writing() as tx:
        mine = tx.judges.get(tx.campaigns.get(campaign), judge)
        refuse_no_person(mine.judge)
        tx.tasks.lock_of(mine.number)
        tx.tasks.free(mine.number)
        name = _erase(tx, mine, moment)
        tx.events.add(ERASED, moment, campaign=mine.campaign, account=account, seat=mine.number)
        return name


def withdraw(
    store: Store, campaign: Reference, judge: str, *, account: int | None = None, at: datetime | None = None
) -> int:
    """A judge takes back their consent: who they were and everything they answered is deleted. How many answers."""
    moment = at or now()
    with store.writing() as tx:  # by itself: from then on no save begins that would come after the deletion
        leaving = tx.judges.get(tx.campaigns.get(campaign), judge)
        refuse_no_person(leaving.judge)
        tx.judges.revoke_link(leaving.number, moment)
    with store.writing() as tx:
        mine = tx.judges.get(tx.campaigns.get(campaign), judge)
        tx.tasks.lock_of(mine.number)
        number = tx.judgements.withdraw(mine.number)
        tx.tasks.forget_progress(mine.number)
        tx.tasks.free(mine.number)
        for kind in (KIND, PRACTISED):
            tx.events.remove_of_judge(kind, mine.campaign, mine.number)
        _erase(tx, mine, moment)
        detail = {"seat": mine.number, "judgements": number}
        tx.events.add(WITHDREW, moment, campaign=mine.campaign, account=account, **detail)
        return number


def refuse_no_person(judge: Judge) -> None:
    """Refuse for models and the like what is for people alone: under a pseudonym nobody would know which model it was,
    and run once more it would be there twice."""
    if judge.kind not in JUDGE_GROUPS["people"]:
        raise CampaignError(
            f"{judge.id} is no person.",
            code="no_person",
            next_step="Leave it out of the results instead: lanner campaign leave-out.",
        )


def _erase(tx: Transaction, mine: Participant, at: datetime) -> str:
    name = code_name(mine, tx.judges.all(mine.campaign))
    tx.judges.rename(mine.number, Judge(name))
    tx.webhooks.rename_judge(mine.campaign, mine.judge.id, name)
    tx.judges.revoke_link(mine.number, at)
    tx.sessions.remove_of(judge=mine.number)
    return name
