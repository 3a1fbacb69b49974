"""What judges do: come by their link, see their work, answer, finish. Saving is the path everything else waits for."""

from __future__ import annotations

import contextlib
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from pydantic_core import from_json, to_json
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner import campaign as work
from lanner.campaign import adjudication
from lanner.campaign.people import send_message
from lanner.campaign.practice import (
    Round,
    has_reached,
    must_practise,
    practised_page,
    record_round,
    required_agreement,
    rounds,
)
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import AnswerError, CampaignError, InputError, LannerError
from lanner.model import Json, Role, Task, languages
from lanner.model.protocol import Wording
from lanner.protocols.answers import is_duration, is_moment
from lanner.protocols.prefilled import as_shown
from lanner.store import Store
from lanner.web import access, forms, speech
from lanner.web.access import SignInNeeded, Visitor
from lanner.web.judging.home import Home, JudgeRemovedError, home_page
from lanner.web.judging.page import PageSettings, StoredAnswers, TaskView, task_page, task_view
from lanner.web.judging.practice import SETTING, Practice, check, feedback, is_due, practice_of
from lanner.web.middleware import compress
from lanner.web.problems import problem_page, wants_json
from lanner.web.rendering import page, redirect
from lanner.web.site import Site

_SUBMISSION = re.compile(r"[\x20-\x7e]{8,200}")


def json_response(content: object, status: int = 200) -> Response:
    """What a page's script asked for."""
    return Response(to_json(content), status, media_type="application/json")


async def open_link(request: Request) -> Response:
    """A judge's link: a new session in a cookie, then on to the work, so that the secret leaves the address bar."""
    site: Site = request.app.state.site
    address = access.client_address(request)
    if site.addresses.wait(f"link {address}", time.monotonic()):
        raise HTTPException(429)
    secret = request.path_params["secret"]
    participant = await site.read(lambda: work.invitations.lookup(site.store, secret))
    if participant is None:
        raise HTTPException(404)
    site.addresses.forget(f"link {address}")
    known = await access.judge_visitor(request)
    number = participant.number
    token = await site.write(lambda: site.sessions.open(judge=number, may=partial(work.invitations.is_valid, secret)))
    if not token:  # revoked or replaced meanwhile
        raise HTTPException(404)
    response = redirect(request, "/work")
    access.keep_judge(request, response, token, number, known)
    return response


def _language(request: Request, judge_speaks: str = "") -> speech.Messages:
    """The interface language: asked for now, chosen before, the judge's own, the browser's."""
    header = speech.from_header(request.headers.get("accept-language", ""))
    codes = [request.query_params.get("language", ""), request.cookies.get(speech.COOKIE, ""), judge_speaks, *header]
    return speech.Messages(speech.choose(code for code in codes if code))


def _page(request: Request, template: str, words: speech.Messages, context: Mapping[str, Any]) -> Response:
    defaults = {"messages": words, "t": words.get, "languages": speech.available(), "names": languages.name}
    return compress(request, page(request, template, {**defaults, **context}))


async def _mine(request: Request) -> tuple[int, int]:
    """The task asked for and its judge's participant, if it is this visitor's. Other people's tasks do not exist."""
    site: Site = request.app.state.site
    number = request.path_params["id"]
    participants, found = request.state.visitor.participants, site.owners.cached(number)
    if found is None or found.judge not in participants:
        found = await site.read(lambda: site.owners.find(number))
    if found is None or found.judge is None or found.judge not in participants:
        raise SignInNeeded(judge=True) if wants_json(request) else HTTPException(404)
    return number, found.judge


async def _view(request: Request, number: int) -> TaskView:
    """A task of this visitor's with all that its page shows."""
    site: Site = request.app.state.site
    view = await site.read(lambda: task_view(site.store, number, site.owners.cached(number)))
    if view is None:
        raise HTTPException(404)
    return view


async def home(request: Request) -> Response:
    """All my work: what is next, what is done."""
    site: Site = request.app.state.site
    visitor: Visitor = request.state.visitor
    spoken = _language(request).language

    def read_homes() -> list[Home]:
        homes = []
        for participant in visitor.participants:
            with contextlib.suppress(JudgeRemovedError):
                homes.append(home_page(site.store, participant, spoken))
        return homes

    homes = await site.read(read_homes)
    if not homes:
        raise SignInNeeded(judge=True)
    starts = [home.next for home in homes if home.next is not None]
    practices = await site.read(lambda: {task for task in starts if _begins_with_practice(request, task)})
    words = _language(request, homes[0].speaks)
    return _page(
        request, "judge/home.html", words, {"homes": homes, "practices": practices, "token": visitor.form_token}
    )


async def task(request: Request) -> Response:
    """The judging page."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    view = await _view(request, number)
    if view.gate is not None:  # nothing opens before consent, whatever address is typed
        return _to_gate(request, view)
    if view.task.finished_at is None and await site.read(lambda: _must_practise(site.store, view)):
        return redirect(request, f"/task/{number}/practice")
    token = access.form_token(request.state.visitor.token_of(participant))
    return _remembering_offer(request, show_task(request, view, token), view)


def _to_gate(request: Request, view: TaskView) -> Response:
    """To what has to be done first, where the page says why."""
    why = "?first=1" if view.asks_about_gate else ""
    return redirect(request, f"/task/{view.gate}{why}" if view.gate else "/work")


def show_task(
    request: Request,
    view: TaskView,
    token: str,
    *,
    who: str = "",
    template: str = "judge/task.html",
    practice: Mapping[str, Json] | None = None,
    preview: bool = False,
    **context: Any,
) -> Response:
    """The judging page of a task. `who` keeps answers of two people on one device apart."""
    words, row = _language(request, _speaks(view)), request.query_params.get("row")
    task_data = task_page(
        view.protocol,
        view.task,
        view.documents,
        view.given,
        words,
        who=who or f"{view.campaign.id}.{view.participant}",
        row=forms.whole_number(row) if row else None,
        whole="whole" in request.query_params,
        progress=view.progress,
        settings=_with_notes(view, words.language),
        practice=practice,
        preview=preview,
    )
    defaults = {"page": task_data, "token": token, "submission": secrets.token_hex(16), "required": None}
    defaults["comes_first"] = "first" in request.query_params
    return _page(request, template, words, {**defaults, **context})


def _with_notes(view: TaskView, language: str) -> PageSettings:
    """The campaign's guidelines, or the protocol's, with what was added to them while the campaign runs."""
    if not view.campaign.settings.get(adjudication.SETTING):
        return view.settings
    own = view.settings.guidelines or Wording(view.protocol, language).line("instructions")
    return replace(view.settings, guidelines=adjudication.with_notes(own, view.campaign.settings))


async def practice(request: Request) -> Response:
    """The practice that goes with a task; where its protocol has none, the task itself."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    view = await _view(request, number)
    if view.gate is not None:
        return _to_gate(request, view)
    turn = await site.read(lambda: len(_rounds(site.store, view)))
    must = await site.read(lambda: _must_practise(site.store, view))
    required = required_agreement(view.campaign.settings) if must else None
    lesson = _practice(request, view, turn)
    if lesson is None:
        return redirect(request, f"/task/{number}")
    shown = replace(
        view,
        task=lesson.task,
        documents=lesson.documents,
        given=tuple(StoredAnswers(earlier=earlier) for earlier in lesson.earlier),
    )
    token = access.form_token(request.state.visitor.token_of(participant))
    response = show_task(
        request,
        shown,
        token,
        who=f"practice.{view.participant}",
        template="judge/practice.html",
        practice={"asked": lesson.questions(), "turn": turn},
        required=required,
    )
    return _remembering_offer(request, response, view)


async def check_practice(request: Request) -> Response:
    """Right or wrong, and why. No answer is stored; where practice must reach an agreement, how the round went is."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    body = _read_object(await request.body())
    item, given = body.get("item"), body.get("answers")
    if not isinstance(item, int) or isinstance(item, bool) or not isinstance(given, dict):
        raise HTTPException(400, "`item` must be a number and `answers` an object from question to answer.")
    view = await _view(request, number)
    turn = body.get("turn", 0)
    if view.gate is not None or not isinstance(turn, int):
        raise HTTPException(404)
    lesson = _practice(request, view, turn)
    if lesson is None:
        raise HTTPException(404)
    language = _language(request, _speaks(view)).language
    try:
        verdict = check(view.protocol, lesson, item, given, language)
    except AnswerError as error:
        return refusal(request, error, _speaks(view))
    required = required_agreement(view.campaign.settings)
    # the examples of an earlier turn, whose answers were explained, count no more
    if required is not None and turn == await site.read(lambda: len(_rounds(site.store, view))):
        verdicts = [bool(line["right"]) for line in verdict["lines"]]
        key = participant, practised_page(view.protocol, view.task.page), turn
        sums = site.practice_rounds.answered(key, item, len(lesson.task.items), verdicts)
        if sums is not None:
            entry = Round(view.task.page, *sums, datetime.now(UTC))
            await site.write(lambda: record_round(site.store, view.campaign.id, participant, entry))
            verdict["round"] = {
                "right": entry.right,
                "answers": entry.answers,
                "required": required,
                "reached": has_reached([entry], required),
            }
    return json_response(verdict)


def _rounds(store: Store, view: TaskView) -> list[Round]:
    with store.reading() as tx:
        return rounds(tx, view.campaign.id, view.participant, view.protocol, view.task.page)


def _must_practise(store: Store, view: TaskView) -> bool:
    with store.reading() as tx:
        return must_practise(tx, view.campaign, view.participant, view.protocol, view.task.page)


def _practice(request: Request, view: TaskView, turn: int = 0) -> Practice | None:
    words = _language(request, _speaks(view))
    title = words.get("practice.document")
    page, pair, number = view.task.page, _pair(view), view.task.id
    return practice_of(view.protocol, page, pair, words.language, title=title, task=number, turn=turn)


def _pair(view: TaskView) -> tuple[str, str]:
    document = next(iter(view.documents.values()), None)
    return (document.source_language, document.target_language) if document else ("", "")


_PRACTICE_COOKIE = "lanner_practice"
_BETWEEN = "~"
_MOST_OFFERED = 30


def _offer(view: TaskView) -> str:
    """The name under which a browser remembers that a judge was offered the practice of a page."""
    return f"{view.campaign.id}.{view.participant}.{practised_page(view.protocol, view.task.page)}"


def _offered(request: Request) -> list[str]:
    return [name for name in request.cookies.get(_PRACTICE_COOKIE, "").split(_BETWEEN) if name]


def _remembering_offer(request: Request, response: Response, view: TaskView) -> Response:
    """A judge who has seen the practice, or the page itself, is not led to the practice again."""
    offer, offered = _offer(view), _offered(request)
    if offer not in offered:
        names = [offer, *offered][:_MOST_OFFERED]
        access.keep(request, response, _PRACTICE_COOKIE, _BETWEEN.join(names), 365)
    return response


def _begins_with_practice(request: Request, number: int) -> bool:
    """Whether a task is to be opened by its practice: nothing of the kind was answered, and it was not offered yet."""
    store = request.app.state.site.store
    view = task_view(store, number)
    if view is None:
        return False
    if _must_practise(store, view):
        return True
    if view.campaign.settings.get(SETTING) is False:
        return False
    if _offer(view) in _offered(request):
        return False
    with store.reading() as tx:
        overview = tx.progress.overview(view.participant)
    return is_due(view.protocol, view.task.page, overview)


async def answers(request: Request) -> Response:
    """This judge's answers as they stand, for a page that comes back after a while."""
    site: Site = request.app.state.site
    number, _ = await _mine(request)

    def look() -> dict[str, Json]:
        items = work.current(site.store, number)
        finished = work.task(site.store, number).finished_at is not None
        answers_by_item = [
            {q: {"id": answer.id, "value": _for_judge(answer.value)} for q, answer in item.items()} for item in items
        ]
        return {"items": answers_by_item, "finished": finished}

    return json_response(await site.read(look))


async def session_state(request: Request) -> Response:
    """Whether this task is still open to this browser, for an open page that asks now and then: whoever's link was
    replaced or revoked gets 401. Nothing is read from the store while the session is remembered."""
    await _mine(request)
    return json_response({"open": True})


async def save(request: Request) -> Response:
    """Store answers about one item. A 200 means that they are on disk."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(415)
    if wait := site.savers.wait(f"participant {participant}", time.monotonic()):  # kept by the page, which tries again
        raise HTTPException(429, headers={"Retry-After": str(max(1, round(wait)))})
    now = datetime.now(UTC)
    fields = read_save(await request.body(), now)
    try:
        outcome, received = await site.intake.submit(work.Submission(number, judge=participant, **fields))
    except AnswerError as error:
        return refusal(request, error, await site.read(lambda: _language_of(site.store, participant)))
    except CampaignError as error:
        return await _refuse(request, participant, error)
    site.saves += 1
    reply = acknowledge(outcome, received)
    if outcome.item is not None and outcome.item.role is Role.TUTORIAL and not outcome.open:
        reply["feedback"] = await site.read(lambda: _feedback(request, number, fields["item"]))
    return json_response(reply)


def _feedback(request: Request, number: int, item: int) -> dict[str, Json] | None:
    """What is right and wrong in a training item: given once its answers are stored, and not before."""
    view = task_view(request.app.state.site.store, number)
    if view is None:
        return None
    words = _language(request, _speaks(view))
    return feedback(view.protocol, view.task.items[item], view.given[item].answers, words.language)


def _speaks(view: TaskView) -> str:
    return str(view.judge.attributes.get("interface_language", ""))


def _language_of(store: Store, participant: int) -> str:
    with store.reading() as tx:
        row = tx.judges.by_number(participant)
    return str(row.judge.attributes.get("interface_language", "")) if row else ""


def acknowledge(outcome: work.SaveResult, received: datetime) -> dict[str, object]:
    """The reply about answers that are on disk: each is named by the digest of what was sent."""
    return {
        "saved": outcome.ids,
        "digests": outcome.digests,
        "conflicts": [{"question": c.question, "id": c.id, "value": _for_judge(c.value)} for c in outcome.conflicts],
        "received_at": received.isoformat(timespec="milliseconds"),
        "missing": outcome.open,
    }


def _for_judge(value: Json) -> Json:
    """An answer as its judge's page may hold it: of marks, without those that were removed or the model's name."""
    is_marks = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    return as_shown(value) if is_marks else value


_REFUSALS = {
    "draft": "home.nothing",
    "paused": "home.paused",
    "closed": "home.closed",
    "finished": "rail.finished",
    "final": "script.final",
    "gate": "home.agree_first",
    "practice": "practice.required",
}
"""Why answers are not taken now, by the key of the sentence that says so in the judge's language. What is wrong with an
answer is in the table `refusal`."""


def refusal_text(words: speech.Messages, error: LannerError) -> str:
    """Why something is refused, in the judge's language. Of what no page sends only that it is refused; in English the
    library's own sentence says more."""
    key = _REFUSALS.get(error.code)
    if key is None and words.language == speech.FALLBACK:
        return str(error) if isinstance(error, AnswerError) else error.what
    key = key or f"refusal.{error.code}"
    return words.get(key if words.has(key) else "refusal.other", **error.names)


def refusal(request: Request, error: AnswerError, judge_speaks: str) -> Response:
    """What is wrong with an answer."""
    message = refusal_text(_language(request, judge_speaks), error)
    return json_response({"errors": [{"question": error.question, "code": error.code, "message": message}]}, 422)


async def _refuse(
    request: Request, participant: int, error: AnswerError | CampaignError, *, as_json: bool = True
) -> Response:
    """409 where the campaign or task does not take answers now; 422 where they can never be taken."""
    if error.code in ("unknown_task", "not_assigned", "revoked"):
        raise SignInNeeded(judge=True)
    site: Site = request.app.state.site
    words = _language(request, await site.read(lambda: _language_of(site.store, participant)))
    message = refusal_text(words, error)
    status = 422 if error.code == "unknown_item" or isinstance(error, AnswerError) else 409
    if not as_json:
        return problem_page(request, words, message, status=status)
    next_step = error.next_step if message == error.what else ""
    reply: dict[str, Json] = {"reason": error.code, "message": message, "next": next_step}
    if status == 422:
        reply["errors"] = [{"question": "", "code": error.code, "message": message}]
    if isinstance(error, work.ReusedError):
        reply |= {"digests": error.digests, "stored": stored_answers(error)}
    return json_response(reply, status)


def stored_answers(error: work.ReusedError) -> dict[str, Json]:
    """The answers that a submission's id stands for."""
    return {question: {"id": number, "value": value} for question, (number, value) in error.stored.items()}


def read_save(body: bytes, now: datetime) -> dict[str, Any]:
    """The fields of a save; what is not as agreed is a bad request, whatever it is."""
    fields = _read_object(body)
    submission, item, answers_by_question = (fields.get(name) for name in ("submission", "item", "answers"))
    if not isinstance(submission, str) or not _SUBMISSION.fullmatch(submission):
        raise HTTPException(400, "`submission` must be an id of 8 to 200 plain characters.")
    if not isinstance(item, int) or isinstance(item, bool):
        raise HTTPException(400, "`item` must be the number of an item.")
    if not isinstance(answers_by_question, dict) or not answers_by_question:
        raise HTTPException(400, "`answers` must be an object from question to answer.")
    return {
        "item": item,
        "answers": answers_by_question,
        "id": submission,
        "base": _base(fields.get("base")),
        "elapsed": _seconds(fields.get("elapsed")),
        "active": _seconds(fields.get("active")),
        "answered_at": answered_at(fields.get("answered_at"), fields.get("sent_at"), now, fields.get("ahead")),
    }


def _read_object(body: bytes) -> dict[str, Json]:
    try:
        fields = from_json(body)
    except ValueError:
        raise HTTPException(400, "This is not JSON.") from None
    if not isinstance(fields, dict):
        raise HTTPException(400, "An object is expected.")
    return fields


def _base(value: Json) -> dict[str, int | None] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not all(v is None or (type(v) is int and abs(v) < 2**63) for v in value.values()):
        raise HTTPException(400, "`base` must be an object from question to judgement.")
    return value


def _seconds(value: Json) -> float | None:
    """Times are a courtesy of the page: what is none is left out, an answer is not lost for it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and is_duration(value) else None


def answered_at(answered: Json, sent: Json, now: datetime, ahead: Json = None) -> datetime:
    """When it was answered by the server's clock: the page's own clock may be wrong. How many milliseconds it was
    `ahead` when the answer was given tells most, since it may be set until the answer is sent; where that is not known,
    the time from one of its readings to the other. An answer is never from the future."""
    answer_time, send_time = _moment(answered), _moment(sent)
    if answer_time is None:
        return now
    try:
        if isinstance(ahead, int | float) and not isinstance(ahead, bool):
            skew = timedelta(milliseconds=-ahead)
        else:
            skew = now - send_time if send_time is not None else timedelta(0)
        moment = min(answer_time + skew, now)
    except (OverflowError, ValueError):  # infinite, or no number at all
        return now
    return moment if is_moment(moment) else now


def _moment(value: Json) -> datetime | None:
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)) if is_moment(read) else None


async def form(request: Request) -> Response:
    """Take one item's answers from a plain form, without JavaScript, then show the next row."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    fields = await forms.read(request)
    access.check_form(forms.text(fields, access.FORM_FIELD), request.state.visitor.token_of(participant))
    item = forms.whole_number(forms.text(fields, "item"))
    if item is None:
        raise HTTPException(400)
    view = await _view(request, number)
    if (
        view.gate is None
        and view.task.finished_at is None
        and await site.read(lambda: _must_practise(site.store, view))
    ):
        return redirect(request, f"/task/{number}/practice")
    answers_by_question = forms.answers(view.protocol, view.task.page, fields)
    now = datetime.now(UTC)
    form_id = forms.text(fields, "submission")
    if answers_by_question:
        # sent twice, it is stored once; sent again with other answers, from a page that was gone back to, it is new
        names = [form_id] if _SUBMISSION.fullmatch(form_id) else []
        for unique in (*names, secrets.token_hex(16)):
            submission = work.Submission(number, item, answers_by_question, unique, answered_at=now, judge=participant)
            try:
                await site.intake.submit(submission)
                break
            except work.ReusedError:
                continue
            except (AnswerError, CampaignError) as error:
                return await _refuse(request, participant, error, as_json=False)
        site.saves += 1
    if forms.text(fields, "finish"):  # a questionnaire is one page: saving it finishes it, unless something is missing
        with contextlib.suppress(work.UnfinishedError):
            await finish_task(site, number)
            return redirect(request, "/work")
    return redirect(request, f"/task/{number}{next_row(fields)}")


def next_row(fields: FormData) -> str:
    """How an address leads to the row after the one that a form was about."""
    row = forms.whole_number(forms.text(fields, "row"))
    return "" if row is None else f"?row={row + 1}"


async def finish_task(site: Site, number: int) -> Task:
    """Finish a task. In an adaptive campaign a worker then takes the look that may be due."""
    task, adaptive_campaign = await site.write(lambda: _finish(site.store, number))
    if adaptive_campaign is not None:
        await site.files.ask("look_if_due", adaptive_campaign)
    return task


def _finish(store: Store, number: int) -> tuple[Task, int | None]:
    """Finish a task, and which adaptive campaign it belongs to."""
    task = work.finish(store, number)
    view = task_view(store, number)
    return task, view.campaign.id if view and view.campaign.design == ADAPTIVE else None


async def _wants_json(request: Request, participant: int) -> bool:
    """Whether a script asks; a form that is sent without one has to carry its token."""
    if wants_json(request):
        return True
    fields = await forms.read(request)
    access.check_form(forms.text(fields, access.FORM_FIELD), request.state.visitor.token_of(participant))
    return False


async def finish(request: Request) -> Response:
    """No more changes to this task. What is missing is said, item by item."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    as_json = await _wants_json(request, participant)
    try:
        finished_task = await finish_task(site, number)
    except work.UnfinishedError as error:
        if not as_json:
            return redirect(request, f"/task/{number}")
        missing = [{"item": entry.item, "questions": entry.questions} for entry in error.missing]
        return json_response({"missing": missing, "message": error.what, "next": error.next_step}, 422)
    except CampaignError as error:
        return await _refuse(request, participant, error, as_json=as_json)
    site.saves += 1
    if not as_json:
        return redirect(request, "/work")
    following = await site.read(lambda: _following(site.store, participant))
    finish_time = finished_task.finished_at.isoformat() if finished_task.finished_at else None
    to_practise = following is not None and await site.read(lambda: _begins_with_practice(request, following))
    return json_response({"finished_at": finish_time, "next": following, "practice": to_practise})


def _following(store: Store, participant: int) -> int | None:
    """The task that a judge opens next."""
    with store.reading() as tx:
        judge = tx.judges.by_number(participant)
    task = work.next_task(store, judge.campaign, judge.judge.id) if judge else None
    return task.id if task else None


async def message(request: Request) -> Response:
    """Something a judge needs to say to the organiser about this document."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    if wait := site.savers.wait(f"participant {participant}", time.monotonic()):
        raise HTTPException(429, headers={"Retry-After": str(max(1, round(wait)))})
    text = _read_object(await request.body()).get("text")
    if not isinstance(text, str):
        raise HTTPException(400, "`text` must be the message.")
    try:
        await site.write(lambda: send_message(site.store, number, text))
    except InputError as error:
        words = _language(request, await site.read(lambda: _language_of(site.store, participant)))
        return json_response({"message": refusal_text(words, error)}, 422)
    site.saves += 1
    return json_response({"sent": True})


async def reopen(request: Request) -> Response:
    """Take back that a task is finished, while that is possible."""
    site: Site = request.app.state.site
    number, participant = await _mine(request)
    as_json = await _wants_json(request, participant)
    try:
        await site.write(lambda: work.take_back_finish(site.store, number))
    except CampaignError as error:
        return await _refuse(request, participant, error, as_json=as_json)
    site.saves += 1
    return json_response({"reopened": True}) if as_json else redirect(request, f"/task/{number}")
