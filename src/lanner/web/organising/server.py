"""What an owner looks after besides campaigns: copies of the whole store, tokens of programs, addresses that are told
what happens. The same as `lanner backup`, `verify`, `tokens` and `webhooks`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from lanner.campaign.accounts import SCOPES, issue
from lanner.campaign.webhooks import EVENTS, add_webhook
from lanner.errors import LannerError
from lanner.store import Transaction
from lanner.store.backup import StoreCheck, copies
from lanner.web import forms
from lanner.web.problems import error_text, parts
from lanner.web.rendering import page, redirect
from lanner.web.site import Site
from lanner.web.speech import say


@dataclass(frozen=True, slots=True)
class Notices:
    """What a page is told besides what is always on it: a problem, the form `about` something that was refused, a
    secret that is shown this once, what a check of a copy found."""

    problem: str = ""
    secret: str = ""
    about: str = ""
    refused: FormData = field(default_factory=FormData)
    checked: str = ""
    findings: Sequence[StoreCheck] = ()

    def sent(self, about: str, name: str, default: Sequence[str] = ()) -> Sequence[object]:
        """What a field of the form that was refused held, so that nobody has to type it again."""
        return self.refused.getlist(name) if self.about == about and name in self.refused else default


async def server(request: Request) -> Response:
    """Copies, tokens, webhooks."""
    return await _page(request, Notices())


async def _page(request: Request, notices: Notices) -> Response:
    site: Site = request.app.state.site

    def look(tx: Transaction) -> dict[str, object]:
        return {
            "tokens": tx.tokens.all(),
            "webhooks": tx.webhooks.all(),
            "waiting": tx.webhooks.waiting(),
            "accounts": {account.id: account.name for account in tx.accounts.all()},
            "campaigns": {campaign.id: campaign.name for campaign in tx.campaigns.all()},
        }

    def stored() -> list[tuple[str, int, datetime]]:
        files = [(path, path.stat()) for path in reversed(copies(site.backups))]
        return [(path.name, about.st_size, datetime.fromtimestamp(about.st_mtime, UTC)) for path, about in files]

    context = {
        **await site.query(look),
        "copies": await site.read(stored),
        "folder": site.backups.name,
        "hours": site.settings.backup_hours,
        "keep": site.settings.backup_keep,
        "scopes": SCOPES,
        "events": EVENTS,
        "now": datetime.now(UTC),
        "shown": notices,
    }
    return page(request, "server.html", context, 422 if notices.problem else 200)


async def back_up(request: Request) -> Response:
    """Make a copy now, or check one."""
    site: Site = request.app.state.site
    form = await forms.form_of(request)
    match forms.text(form, "do"):
        case "make":
            async with site.copying:  # two owners who press at once get one after the other
                if not await site.scheduled_backups.back_up():
                    problem = say("No backup could be made.") + " " + say("The reason is in the server’s log.")
                    return await _page(request, Notices(problem))
            return redirect(request, "/server")
        case "verify":
            path = _copy(site, forms.text(form, "copy")) if forms.text(form, "copy") else None
            name = path.name if path else say("the store in use")
            try:
                findings: list[StoreCheck] = await site.files.ask("verify", str(path) if path else "")
            except LannerError as error:
                return await _page(request, Notices(parts(error)[0]))
            return await _page(request, Notices(checked=name, findings=findings))
        case _:
            raise HTTPException(400)


def _copy(site: Site, name: str) -> Path:
    """A copy by its name; nothing else in that folder, or outside it, can be had."""
    copy = next((path for path in copies(site.backups) if path.name == name), None)
    if copy is None:
        raise HTTPException(404)
    return copy


async def download(request: Request) -> Response:
    """A copy as a file."""
    site: Site = request.app.state.site
    path = await site.read(lambda: _copy(site, request.path_params["copy"]))
    return FileResponse(path, filename=path.name, media_type="application/vnd.sqlite3")


async def tokens(request: Request) -> Response:
    """A new token, shown this once; or an end to one."""
    return await _add_or_end(request, "token", _issue, ("revoke", _revoke))


async def webhooks(request: Request) -> Response:
    """A new address, whose secret is shown this once; or an end to one."""
    return await _add_or_end(request, "webhook", _tell, ("remove", _remove))


async def _add_or_end(
    request: Request, about: str, add: Callable[[Site, FormData], str], end: tuple[str, Callable[[Site, int], None]]
) -> Response:
    """Add what the form describes and show its secret; or end the one whose number it has, where it says so."""
    site: Site = request.app.state.site
    form = await forms.form_of(request)
    word, stop = end
    try:
        if forms.text(form, "do") == word:
            number = forms.whole_number(forms.text(form, "number"))
            if number is None:
                raise HTTPException(400)
            await site.write(lambda: stop(site, number))
            return redirect(request, f"/server#{about}s")
        secret = await site.write(lambda: add(site, form))
    except LannerError as error:
        return await _page(request, Notices(error_text(error), about=about, refused=form))
    return await _page(request, Notices(secret=secret, about=about))


def _issue(site: Site, form: FormData) -> str:
    name = forms.text(form, "name").strip()[:80]
    scopes = [value for value in form.getlist("scope") if isinstance(value, str)]
    words = forms.text(form, "days").strip()
    days = forms.whole_number(words) if words else None
    if not name or not scopes:
        raise LannerError(say("A token needs a name and at least one permission."))
    if words and (days is None or not 0 < days < 36500):
        raise LannerError(say("{given} is not a whole number.", given=repr(words[:40])))
    until = datetime.now(UTC) + timedelta(days=days) if days else None
    filters = {key: forms.text(form, key) or None for key in ("account", "campaign")}
    return issue(site.store, name, scopes, account=filters["account"], campaign=filters["campaign"], expires_at=until)[
        1
    ]


def _revoke(site: Site, number: int) -> None:
    with site.store.writing() as tx:
        if not tx.tokens.revoke(number, datetime.now(UTC)):
            raise LannerError(say("There is no valid token of that name."))


def _tell(site: Site, form: FormData) -> str:
    url = forms.text(form, "url").strip()[:2000]
    events = [value for value in form.getlist("event") if value in EVENTS]
    with site.store.reading() as tx:
        about = tx.campaigns.get(forms.text(form, "campaign")) if forms.text(form, "campaign") else None
    return add_webhook(site.store, url, [str(event) for event in events] or EVENTS, about.id if about else None)[1]


def _remove(site: Site, number: int) -> None:
    with site.store.writing() as tx:
        if not tx.webhooks.remove(number, datetime.now(UTC)):
            raise LannerError(say("There is no such address."))
