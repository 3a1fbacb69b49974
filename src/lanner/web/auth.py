"""Accounts of organisers: they sign in by name and password, the first of them by the code that the server printed.
Owners appoint organisers and viewers, say whose a campaign is, and switch accounts off."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner.campaign import accounts
from lanner.errors import LannerError
from lanner.store import Account, AccountRole, Transaction
from lanner.web import access, forms
from lanner.web.problems import error_text
from lanner.web.rendering import page, redirect
from lanner.web.site import Site
from lanner.web.speech import available, say

_FIRST = "/campaigns"
_OURS = re.compile(r"(/[\w-]+)+", re.ASCII)
"""Where signing in may lead to: a page of this server, never another address."""
_WRONG = "Wrong name or password."


def _form_page(request: Request, template: str, context: dict[str, Any], status: int = 200) -> Response:
    secret = access.visitor_secret(request)
    response = page(request, template, {"token": access.form_token(secret), "problem": "", **context}, status)
    access.keep(request, response, access.VISITOR_COOKIE, secret, 1)
    return response


def _redirect_to(request: Request, path: str) -> RedirectResponse:
    """To a page of ours; a language that was asked for goes along, since pages alone keep it."""
    language = request.query_params.get("language", "")
    query = f"?language={language}" if language in available() and "?" not in path else ""
    return redirect(request, path + query)


async def home(request: Request) -> Response:
    """To where the visitor belongs."""
    site: Site = request.app.state.site
    if await access.account_visitor(request):
        return _redirect_to(request, "/campaigns")
    if await access.judge_visitor(request):
        return _redirect_to(request, "/work")
    return _redirect_to(request, "/setup" if await site.query(_is_unset) else "/login")


def _is_unset(tx: Transaction) -> bool:
    return tx.accounts.count_owners() == 0


async def setup_page(request: Request) -> Response:
    """The form for the first account."""
    site: Site = request.app.state.site
    if not await site.query(_is_unset):
        return _redirect_to(request, "/login")
    return _form_page(request, "setup.html", {"code": request.query_params.get("code", ""), "name": ""})


async def setup(request: Request) -> Response:
    """The first account, which owns everything."""
    site: Site = request.app.state.site
    form = await forms.form_of(request)
    code, name, password = (forms.text(form, field) for field in ("code", "name", "password"))
    form_values = {"code": code, "name": name}
    if site.addresses.wait(f"setup {access.client_address(request)}", time.monotonic()):
        raise HTTPException(429)
    expected_code = site.settings.setup_code
    if not expected_code or not hmac.compare_digest(code.strip().encode(), expected_code.encode()):
        problem = say("That is not the code. It stands in the terminal where `lanner serve` was started.")
        return _form_page(request, "setup.html", {**form_values, "problem": problem}, 422)
    try:
        number = await site.run_slow(
            lambda: accounts.add_account(site.store, name, password, AccountRole.OWNER, first=True)
        )
    except LannerError as error:
        return _form_page(request, "setup.html", {**form_values, "problem": error_text(error)}, 422)
    return _sign_in(request, await site.write(lambda: site.sessions.open(account=number)))


async def login_page(request: Request) -> Response:
    """The form for name and password."""
    if await access.account_visitor(request):
        return _redirect_to(request, "/campaigns")
    return _form_page(request, "login.html", {"name": ""})


async def login(request: Request) -> Response:
    """Sign in."""
    site: Site = request.app.state.site
    form = await forms.form_of(request)
    name, password = accounts.normal_name(forms.text(form, "name")), forms.text(form, "password")
    now = time.monotonic()
    # by account and address together: a stranger elsewhere cannot lock the owner of an account out
    who = f"name {name.casefold()} from {access.client_address(request)}"
    wait = max(site.sign_ins.wait(who, now), site.addresses.wait(access.client_address(request), now))
    if wait:
        problem = say("Too many tries. Wait {n} seconds.", n=max(1, round(wait)))
        return _form_page(request, "login.html", {"name": name, "problem": problem}, 429)
    account = await site.run_slow(lambda: accounts.verify(site.store, name, password))
    if account is None:
        return _form_page(request, "login.html", {"name": name, "problem": say(_WRONG)}, 422)
    site.sign_ins.forget(who)
    may = partial(accounts.has_password, account)
    return _sign_in(request, await site.write(lambda: site.sessions.open(account=account.id, may=may)))


def _sign_in(request: Request, token: str, path: str = _FIRST) -> Response:
    """Sign an account in, always with a new token: one that was planted before must not become anyone's."""
    if not token:  # the password was changed, or the account switched off, while it was being checked
        return _redirect_to(request, "/login")
    response = _redirect_to(request, path)
    access.keep(request, response, access.ACCOUNT_COOKIE, token, access.ACCOUNT_DAYS)
    access.drop(request, response, access.VISITOR_COOKIE)
    return response


async def logout(request: Request) -> Response:
    """End this session."""
    site: Site = request.app.state.site
    await forms.form_of(request)
    token = request.state.visitor.token
    await site.write(lambda: site.sessions.close(token))
    response = _redirect_to(request, "/login")
    access.drop(request, response, access.ACCOUNT_COOKIE)
    return response


async def enter(request: Request) -> Response:
    """Sign in by the code of a demonstration, if this server has one."""
    site: Site = request.app.state.site
    code = site.settings.entry_code
    if site.addresses.wait(f"enter {access.client_address(request)}", time.monotonic()):
        raise HTTPException(429)
    if not code or not hmac.compare_digest(request.path_params["code"].encode(), code.encode()):
        raise HTTPException(404)

    def come_in() -> str:
        name = site.settings.entry_account
        with site.store.reading() as tx:
            account = tx.accounts.find(name)
        password = secrets.token_urlsafe(24)
        number = account.id if account else accounts.add_account(site.store, name, password, AccountRole.OWNER)
        return site.sessions.open(account=number)

    to = request.query_params.get("to", "")
    return _sign_in(request, await site.run_slow(come_in), to if _OURS.fullmatch(to) else _FIRST)


# Accounts: one's own, and for owners everybody's


async def people(request: Request) -> Response:
    """Everyone with an account."""
    return await _people_page(request)


async def _people_page(request: Request, problem: str = "") -> Response:
    site: Site = request.app.state.site

    def look(tx: Transaction) -> dict[str, object]:
        everyone, campaigns = tx.accounts.all(), tx.campaigns.all()
        mine = {account.id: {c.id for c in tx.campaigns.of_account(account.id)} for account in everyone}
        return {"accounts": everyone, "campaigns": campaigns, "mine": mine, "roles": list(AccountRole)}

    page_data = await site.query(look)
    return page(request, "people.html", {"problem": problem, **page_data}, 422 if problem else 200)


async def add(request: Request) -> Response:
    """A new account with a first password, which its holder should change."""
    site: Site = request.app.state.site
    form = await forms.form_of(request)
    name, password, role = (forms.text(form, field) for field in ("name", "password", "role"))
    try:
        account_role = AccountRole(role)
    except ValueError:
        raise HTTPException(400) from None
    try:
        await site.run_slow(lambda: accounts.add_account(site.store, name, password, account_role))
    except LannerError as error:
        return await _people_page(request, error_text(error))
    return _redirect_to(request, "/people")


async def change(request: Request) -> Response:
    """Another role, other campaigns, or no access any more. The last owner stays."""
    site: Site = request.app.state.site
    form = await forms.form_of(request)
    number = forms.whole_number(forms.text(form, "account"))
    if number is None:
        raise HTTPException(400)
    numbers = (forms.whole_number(value) for value in form.getlist("campaign") if isinstance(value, str))
    campaign_ids = {value for value in numbers if value is not None}

    def work() -> None:
        with site.store.writing() as tx:
            account = tx.accounts.by_number(number)
            if account is None:
                raise HTTPException(404)
            match forms.text(form, "do"):
                case "role":
                    accounts.set_role(tx, account, AccountRole(forms.text(form, "role")))
                case "off":
                    accounts.disable(tx, account)
                case "campaigns":
                    accounts.set_campaigns(tx, account, campaign_ids)
                case _:
                    raise HTTPException(400)

    try:
        await site.write(work)
    except ValueError:  # no such role
        raise HTTPException(400) from None
    except LannerError as error:
        return await _people_page(request, error_text(error))
    site.sessions.forget()
    return _redirect_to(request, "/people")


async def account(request: Request) -> Response:
    """One's own account."""
    return page(request, "account.html", {"problem": "", "changed": "changed" in request.query_params})


async def change_password(request: Request) -> Response:
    """A new password; every other session of the account ends."""
    site: Site = request.app.state.site
    own: Account = request.state.visitor.account
    form = await forms.form_of(request)
    old, new = forms.text(form, "old"), forms.text(form, "new")

    def work() -> str:
        changed = accounts.change_password(site.store, own, old, new)
        if changed is None:
            raise LannerError(say("The old password is not right."))
        site.sessions.forget()
        return site.sessions.open(account=own.id, may=partial(accounts.has_password, changed))

    try:
        token = await site.run_slow(work)
    except LannerError as error:
        return page(request, "account.html", {"problem": error_text(error), "changed": False}, 422)
    return _sign_in(request, token, "/account?changed=1")
