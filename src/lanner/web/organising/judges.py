"""Judges of a campaign: adding them as an organiser pastes them, their links, reminders by mail, replacing them,
reopening what they finished, letting them go."""

from __future__ import annotations

import os
import smtplib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner import campaign as campaigns
from lanner.campaign import ProgressPart
from lanner.campaign.people import InvitedJudge, parse_judges
from lanner.campaign.settings import due_date
from lanner.errors import LannerError
from lanner.model import Campaign, Judge, JudgeKind, Task
from lanner.model.protocol import Wording
from lanner.monitor.snapshot import ExclusionPreview
from lanner.reports.parts import csv_text
from lanner.store import Overview, Participant, Store
from lanner.web import forms
from lanner.web.organising.campaigns import campaign_of, to_campaign
from lanner.web.problems import error_text
from lanner.web.rendering import long_page, page
from lanner.web.site import Site
from lanner.web.speech import comma, language, say


@dataclass(frozen=True, slots=True)
class JudgeLink:
    """The link of a judge; `address` is empty where it cannot be shown. `letter` is a reminder to copy or to send."""

    judge: str
    name: str
    email: str
    address: str
    letter: str = ""


async def judges(request: Request) -> Response:
    """Everyone who judges here."""
    return await _judges_page(request, await campaign_of(request))


async def _judges_page(request: Request, campaign: Campaign, problem: str = "", text: str = "") -> Response:
    site: Site = request.app.state.site

    def look() -> dict[str, object]:
        progress = {part.name: part for part in campaigns.progress(site.store, campaign.id).judges}
        participants = campaigns.participants(site.store, campaign.id)
        titles = {document.id: document.title for document in campaigns.documents(site.store, campaign.id)}
        return {
            "participants": [(participant, progress.get(participant.judge.id)) for participant in participants],
            "titles": titles,
            "working": {judge.id for judge in campaigns.working_judges(site.store, campaign.id, named=True)},
        }

    page_data = await site.read(look)
    context = {"campaign": campaign, "problem": problem, "pasted": text, **page_data}
    return await long_page(request, "judges.html", context, 422 if problem else 200)


async def add(request: Request) -> Response:
    """Judges pasted as text, with tasks by the campaign's design, and their links at once."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    text = forms.text(form, "judges")

    def work() -> list[JudgeLink]:
        present = {judge.id for judge in campaigns.judges(site.store, campaign.id)}
        coming = parse_judges(text, present, same_names=bool(forms.text(form, "same_names")))
        everyone = [entry.judge for entry in coming]
        campaigns.add_judges(site.store, campaign.id, everyone, account=request.state.visitor.account.id)
        return _issue(request, site.store, campaign, coming)

    try:
        links = await site.write(work)
    except LannerError as error:
        return await _judges_page(request, campaign, error_text(error), text)
    return await _links(request, campaign, links, form)


async def first_links(request: Request, campaign: Campaign, people: Sequence[InvitedJudge]) -> Response:
    """The links of a campaign that was just made."""
    site: Site = request.app.state.site
    issued_links = await site.write(lambda: _issue(request, site.store, campaign, people))
    return await _links_page(request, campaign, issued_links)


async def links(request: Request) -> Response:
    """Links, on a page, to print, or as CSV: new ones for one judge, for all who have none, or for all; those there are
    (`show`, `show_all`); or with a reminder for those who have not finished (`remind`), to copy or to send."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    who = forms.text(form, "who", "missing")

    if who in ("show", "show_all"):
        return await _links(
            request, campaign, await site.read(lambda: _links_of_judges(request, site.store, campaign, form)), form
        )
    if who == "remind":
        return await _remind(request, campaign, form)

    def work() -> list[JudgeLink]:
        everybody = campaigns.participants if who == "one" else campaigns.invitations.invited_people
        people = [entry for entry in everybody(site.store, campaign.id) if entry.judge.kind is JudgeKind.PERSON]
        recipients = [participant for participant in people if _is_wanted(participant, who, forms.text(form, "judge"))]
        return _issue(request, site.store, campaign, [InvitedJudge(participant.judge) for participant in recipients])

    links = await site.write(work)
    site.sessions.forget()
    return await _links(request, campaign, links, form)


def _is_wanted(participant: Participant, who: str, judge: str) -> bool:
    if who == "one":
        return participant.judge.id == judge
    return who == "all" or (who == "missing" and (not participant.has_link or participant.revoked_at is not None))


def _base(request: Request) -> str:
    """What links begin with: the server's public address, else the one this request came by."""
    site: Site = request.app.state.site
    if site.settings.public_url:
        return site.settings.public_url
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


def _links_of_judges(request: Request, store: Store, campaign: Campaign, form: FormData) -> list[JudgeLink]:
    """The links that judges have, as far as they can be shown again."""
    only = forms.text(form, "judge") if forms.text(form, "who") == "show" else ""
    people = campaigns.invitations.invited_people(store, campaign.id)
    participants = [participant for participant in people if only in ("", participant.judge.id)]
    matches = []
    for participant in participants:
        secret = campaigns.invitations.current_secret(store, campaign.id, participant.judge.id)
        address = f"{_base(request)}/j/{secret}" if secret else ""
        matches.append(JudgeLink(participant.judge.id, participant.judge.name or participant.judge.id, "", address))
    return matches


async def _remind(request: Request, campaign: Campaign, form: FormData) -> Response:
    """Who has not finished, each with a letter and their link; with addresses, sent by mail."""
    site: Site = request.app.state.site
    mailer = mailer_from_environment()

    def look() -> list[JudgeLink]:
        progress = {part.name: part for part in campaigns.progress(site.store, campaign.id).judges}
        open_judges = {name for name, part in progress.items() if part.finished < part.tasks}
        return [
            replace(
                link, letter=_letter(campaign, link, progress[link.judge]), email=forms.text(form, f"to.{link.judge}")
            )
            for link in _links_of_judges(request, site.store, campaign, form)
            if link.judge in open_judges
        ]

    reminders = await site.read(look)
    problem, count = "", 0
    recipients = [link for link in reminders if link.email.strip()]
    if forms.text(form, "do") == "send" and mailer is not None and recipients:
        subject = say("Reminder: {title}", title=campaign.title or campaign.name)
        letters = [Letter(link.email.strip(), subject, link.letter) for link in recipients]
        try:
            count = await site.read(lambda: mailer.send(letters))
            account: int = request.state.visitor.account.id
            await site.write(lambda: _note_reminders(site.store, campaign, len(recipients), account))
        except LannerError as error:
            problem = error_text(error)
    has_mail = mailer is not None
    return await _links_page(request, campaign, reminders, problem, reminding=True, mail=has_mail, sent=count)


def _note_reminders(store: Store, campaign: Campaign, judges: int, account: int) -> None:
    with store.writing() as tx:
        tx.events.add("reminded", datetime.now(UTC), campaign=campaign.id, account=account, judges=judges)


def _letter(campaign: Campaign, link: JudgeLink, part: ProgressPart) -> str:
    lines = [
        say("Hello {name},", name=link.name),
        say(
            "your part of “{title}” is not finished yet: {n} of {all} items are done.",
            title=campaign.title or campaign.name,
            n=part.done,
            all=part.items,
        ),
    ]
    if due := due_date(campaign.settings):
        lines.append(say("Please finish by {day}.", day=f"{due.day} ({due.zone})"))
    lines += [say("Your personal link:"), link.address] if link.address else []
    return "\n".join(lines)


def _is_local(request: Request) -> bool:
    """Whether links lead to this machine only."""
    return (urlsplit(_base(request)).hostname or "") in ("127.0.0.1", "localhost", "::1")


def _issue(request: Request, store: Store, campaign: Campaign, people: Sequence[InvitedJudge]) -> list[JudgeLink]:
    base = _base(request)
    names = [entry.judge.id for entry in people]
    account: int = request.state.visitor.account.id
    tokens = campaigns.invitations.issue_many(store, campaign.id, names, account=account)
    return [
        JudgeLink(entry.judge.id, entry.judge.name or entry.judge.id, entry.email, f"{base}/j/{tokens[entry.judge.id]}")
        for entry in people
    ]


async def _links(request: Request, campaign: Campaign, links: Sequence[JudgeLink], form: FormData) -> Response:
    if forms.text(form, "as") == "csv":
        rows = [{"judge": x.judge, "name": x.name, "email": x.email, "link": x.address} for x in links]
        headers = {"content-disposition": 'attachment; filename="links.csv"'}
        return Response(csv_text(rows), media_type="text/csv", headers=headers)
    return await _links_page(request, campaign, links)


async def _links_page(
    request: Request, campaign: Campaign, links: Sequence[JudgeLink], problem: str = "", **reminding: bool | int
) -> Response:
    context = {"campaign": campaign, "links": links, "problem": problem, "local": _is_local(request)}
    context |= {"reminding": False, "mail": False, "sent": 0, **reminding}
    return await long_page(request, "links.html", context, 422 if problem else 200)


async def judge(request: Request) -> Response:
    """One judge: tasks with what is done, and what can be done about it."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    name = request.query_params.get("id", "")

    participant = await site.query(lambda tx: tx.judges.find(campaign.id, name))
    if participant is None:
        raise HTTPException(404)

    def look() -> tuple[list[Overview], dict[int, Task], dict[str, str]]:
        tasks = {task.id: task for task in campaigns.tasks(site.store, campaign.id, name) if task.items}
        protocol = campaigns.protocol(site.store, campaign.id)
        wording = Wording(protocol, language())
        stage_titles = {page: wording.stage(stages[0].id) or page for page, stages in protocol.pages.items()}
        return campaigns.overview(site.store, campaign.id, name), tasks, stage_titles

    lines, tasks, titles = await site.read(look)
    main = str(campaign.settings.get("main_question", ""))
    price: ExclusionPreview | None = await site.live.ask("leaving_out", campaign.id, name, main)
    reasons = await site.read(lambda: campaigns.left_out(site.store, campaign.id))
    about = {number: (task.items[0].document, _systems(task)) for number, task in tasks.items()}
    context = {
        "campaign": campaign,
        "participant": participant,
        "tasks": lines,
        "about": about,
        "asked": titles,
        "left_out": reasons.get(name, ""),
        "price": price,
        "answers": sum(line.done for line in lines),
    }
    return page(request, "judge.html", context)


def _systems(task: Task) -> str:
    """Whose translations a task shows, each once."""
    return comma().join(dict.fromkeys(system for item in task.items for system in item.systems))


async def act(request: Request) -> Response:
    """Something about one judge: leave out, count again, revoke, reopen, replace, remove, erase, withdraw."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    name, what = forms.text(form, "judge"), forms.text(form, "do")
    account: int = request.state.visitor.account.id
    if await site.query(lambda tx: tx.judges.find(campaign.id, name)) is None:
        raise HTTPException(404)

    def work() -> None:
        match what:
            case "leave_out":
                campaigns.leave_out(site.store, campaign.id, name, forms.text(form, "reason")[:500], account=account)
            case "count_again":
                campaigns.count_again(site.store, campaign.id, name, account=account)
            case "revoke":
                campaigns.invitations.revoke(site.store, campaign.id, name, account=account)
            case "reopen":
                _reopen(site.store, campaign, name, forms.text(form, "task"), account)
            case "replace":
                present = {judge.id for judge in campaigns.judges(site.store, campaign.id)}
                coming: Judge = parse_judges(forms.text(form, "coming"), present)[0].judge
                campaigns.replace_judge(site.store, campaign.id, name, coming, account=account)
            case "remove":
                campaigns.remove_judge(site.store, campaign.id, name, account=account)
            case "erase" | "withdraw":
                if forms.text(form, "typed") != name:
                    raise LannerError(say("The id does not match."), next_step=say("Nothing was changed."))
                change = {"erase": campaigns.erase, "withdraw": campaigns.withdraw}[what]
                change(site.store, campaign.id, name, account=account)
            case _:
                raise HTTPException(400)

    await site.write(work)
    site.sessions.forget()
    if what in ("leave_out", "count_again"):
        return to_campaign(request, campaign)
    return to_campaign(request, campaign, "/judges")


def _reopen(store: Store, campaign: Campaign, judge: str, task: str, account: int) -> None:
    own = {str(entry.id): entry.id for entry in campaigns.tasks(store, campaign.id, judge)}
    if task not in own:
        raise HTTPException(404)
    campaigns.reopen_task(store, own[task], account=account)


async def overlap(request: Request) -> Response:
    """More documents for some judges, so that more is judged twice and intervals narrow."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await forms.form_of(request)
    values = [value for value in form.getlist("judge") if isinstance(value, str)]
    documents = [value for value in form.getlist("document") if isinstance(value, str)]
    if not values or not documents:
        return await _judges_page(request, campaign, say("Choose at least one judge and one document."))
    account: int = request.state.visitor.account.id
    await site.write(lambda: campaigns.add_overlap(site.store, campaign.id, values, documents, account=account))
    return to_campaign(request, campaign)


# Letters by SMTP, where whoever runs the server has set it up. `LANNER_SMTP` is the server, as smtp://host:port or
# smtps://user:password@host:port; `LANNER_MAIL_FROM` is the sender.


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent to one address."""

    to: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Mailer:
    """A mail server and the sender's address."""

    url: str
    sender: str

    def send(self, letters: Iterable[Letter]) -> int:
        """Send letters over one connection; how many. What the server refuses is raised with its own words."""
        messages = [self._message(letter) for letter in letters]
        parts = urlsplit(self.url)
        host, port = parts.hostname or "localhost", parts.port or (465 if parts.scheme == "smtps" else 25)
        count = 0
        try:
            connect = smtplib.SMTP_SSL if parts.scheme == "smtps" else smtplib.SMTP
            with connect(host, port, timeout=20) as server:
                if parts.username:
                    if parts.scheme != "smtps":
                        server.starttls()
                    server.login(unquote(parts.username), unquote(parts.password or ""))
                for message in messages:
                    server.send_message(message)
                    count += 1
        except (OSError, smtplib.SMTPException) as error:
            raise LannerError(
                say("The mail server refused after {n} letters: {error}", n=count, error=error),
                next_step=say("Copy the texts instead, or ask whoever runs the server."),
            ) from error
        return count

    def _message(self, letter: Letter) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["Subject"] = self.sender, " ".join(letter.subject.split())
        try:
            message["To"] = letter.to
            is_address = all(part.username and part.domain for part in message["To"].addresses)
        except (ValueError, IndexError):  # what the parser of the standard library says of half an address
            is_address = False
        if not is_address:
            raise LannerError(
                say("{given} is not an e-mail address.", given=repr(letter.to[:80])), next_step=say("Nothing was sent.")
            )
        message.set_content(letter.text)
        return message


def mailer_from_environment() -> Mailer | None:
    """The mail server that was set up; None where there is none."""
    url = os.environ.get("LANNER_SMTP", "")
    return Mailer(url, os.environ.get("LANNER_MAIL_FROM", "lanner@localhost")) if url else None
