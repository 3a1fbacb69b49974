"""Accounts: owners appoint organisers and viewers, say whose a campaign is, and switch accounts off."""

from __future__ import annotations

import contextlib

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner.campaign import accounts
from lanner.errors import LannerError
from lanner.store import Account, AccountRole, Store
from lanner.web import access, auth, forms
from lanner.web.problems import error_text
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import say


async def people(request: Request) -> Response:
    """Everyone with an account."""
    return await _page(request)


async def _page(request: Request, problem: str = "") -> Response:
    site: Site = request.app.state.site

    def look() -> dict[str, object]:
        with site.store.reading() as tx:
            everyone, campaigns = tx.accounts.all(), tx.campaigns.all()
            mine = {account.id: {c.id for c in tx.campaigns.of_account(account.id)} for account in everyone}
        return {"accounts": everyone, "campaigns": campaigns, "mine": mine, "roles": list(AccountRole)}

    page_data = await site.read(look)
    return page(request, "people.html", {"problem": problem, **page_data}, 422 if problem else 200)


async def add(request: Request) -> Response:
    """A new account with a first password, which its holder should change."""
    site: Site = request.app.state.site
    form = await auth.form_of(request)
    name, password, role = (forms.text(form, field) for field in ("name", "password", "role"))
    try:
        account_role = AccountRole(role)
    except ValueError:
        raise HTTPException(400) from None
    try:
        await site.run_slow(lambda: accounts.add_account(site.store, name, password, account_role))
    except LannerError as error:
        return await _page(request, error_text(error))
    return _back(request, "/people")


async def change(request: Request) -> Response:
    """Another role, other campaigns, or no access any more. The last owner stays."""
    site: Site = request.app.state.site
    form = await auth.form_of(request)
    number = forms.whole_number(forms.text(form, "account"))
    if number is None:
        raise HTTPException(400)
    numbers = (forms.whole_number(value) for value in form.getlist("campaign") if isinstance(value, str))
    campaign_ids = {value for value in numbers if value is not None}

    def work() -> None:
        with site.store.writing() as tx:
            account = tx.accounts.numbered(number)
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

    with contextlib.suppress(ValueError):
        try:
            await site.write(work)
        except LannerError as error:
            return await _page(request, error_text(error))
        site.sessions.forget()
        return _back(request, "/people")
    raise HTTPException(400)


async def account(request: Request) -> Response:
    """One's own account."""
    return page(request, "account.html", {"problem": "", "changed": "changed" in request.query_params})


async def change_password(request: Request) -> Response:
    """A new password; every other session of the account ends."""
    site: Site = request.app.state.site
    own: Account = request.state.visitor.account
    form = await auth.form_of(request)
    old, new = forms.text(form, "old"), forms.text(form, "new")

    def work() -> str:
        _change(site.store, own, old, new)
        site.sessions.close_all(account=own.id)
        return site.sessions.open(account=own.id)

    try:
        token = await site.run_slow(work)
    except LannerError as error:
        return page(request, "account.html", {"problem": error_text(error), "changed": False}, 422)
    response = _back(request, "/account?changed=1")
    access.keep(request, response, access.ACCOUNT_COOKIE, token, access.ACCOUNT_DAYS)
    return response


def _change(store: Store, own: Account, old: str, new: str) -> None:
    if accounts.verify(store, own.name, old) is None:
        raise LannerError(say("The old password is not right."))
    secret = accounts.hash_password(new)
    with store.writing() as tx:
        tx.accounts.set_password(own.id, secret)


def _back(request: Request, path: str) -> RedirectResponse:
    return RedirectResponse(request.scope.get("root_path", "") + path, 303)
