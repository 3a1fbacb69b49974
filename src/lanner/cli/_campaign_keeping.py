"""`lanner campaign`, what happens to a campaign as a whole: its settings, the archive, a copy of it, its end."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from lanner import campaign
from lanner.campaign.files import write_copy
from lanner.campaign.prefill import SETTING
from lanner.campaign.settings import check_names, check_settings
from lanner.cli._campaign_judges import typed_out
from lanner.cli._judges import judges_from
from lanner.cli._output import Output
from lanner.errors import CampaignError, InputError
from lanner.model import Json
from lanner.store import Store


def settings(name: str, changes: tuple[str, ...], title: str | None, store_place: str, as_json: bool) -> None:
    """Show a campaign's settings, or change some: minimum_agreement, control_limit, deadline, hourly_rate,
    currency, budget, main_question, guidelines, practice_agreement … An empty value removes a setting."""
    output = Output("campaign settings", as_json)
    values = dict(_change(words) for words in changes)
    check_names((setting for setting, value in values.items() if value is not None), running=True)
    check_settings(values)
    with Store.open(store_place, create=False) as store:
        if values or title is not None:
            campaign.configure(store, name, title=title, settings=values)
        entry = campaign.get(store, name)
    rows: list[dict[str, Json]] = [{"setting": "title", "value": entry.title}]
    rows += [{"setting": key, "value": value} for key, value in sorted(entry.settings.items())]
    output.table(rows)
    output.end()


def prefill(name: str, model: str, source: str, unassisted: float, store_place: str, as_json: bool) -> None:
    """Offer the marks of a model judge to the people of a campaign in which no person has judged yet."""
    output = Output("campaign prefill", as_json)
    check_settings({SETTING: {"model": model, "from": source, "unassisted": unassisted}})
    with Store.open(store_place, create=False) as store:
        result = campaign.prefill(store, name, model, source=source, unassisted=unassisted)
    texts = len(result.unassisted)
    output.rows.append({"name": name, "model": model, "marks": result.marks, "unassisted": texts})
    output.say(f"{result.marks:,} marks of {model} are offered; {texts:,} outputs of documents are judged without.")
    if result.left_out:
        output.note(f"{result.left_out:,} marks do not fit the question or the text and are left out.")
    output.end()


def _change(words: str) -> tuple[str, Json]:
    """`NAME=VALUE`: a number where it is one, true and false, else the text as it is."""
    name, equals, value = words.partition("=")
    if not equals or not name.strip():
        raise InputError(f"{words!r} changes no setting.", next_step="Write it as SETTING=VALUE.")
    if not value.strip():
        return name.strip(), None
    if value in ("true", "false"):
        return name.strip(), value == "true"
    try:
        number = float(value)
    except ValueError:
        return name.strip(), value
    return name.strip(), int(number) if number.is_integer() else number


def archive(name: str, take_out: bool, store_place: str, as_json: bool) -> None:
    """Archive a campaign: it no longer appears in the list."""
    output = Output("campaign archive", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.configure(store, name, settings={"archived": None if take_out else True})
    output.rows.append({"name": name, "archived": not take_out})
    output.say(f"{name} is {'out of' if take_out else 'in'} the archive.")
    output.end()


def duplicate(name: str, as_name: str, judges: str | None, no_judges: bool, store_place: str, as_json: bool) -> None:
    """Create a draft like an existing campaign, without its judgements."""
    output = Output("campaign duplicate", as_json)
    others = [] if no_judges else judges_from(judges) if judges else None
    with Store.open(store_place, create=False) as store:
        copy = campaign.duplicate(store, name, as_name, others)
    output.rows.append({"name": copy.name, "state": copy.state.value})
    output.say(f"{copy.name} is a draft. Next: lanner links {copy.name}; lanner campaign set {copy.name} open")
    output.end()


def delete(name: str, typed: str | None, folder: Path, store_place: str, as_json: bool) -> None:
    """Delete a campaign."""
    output = Output("campaign delete", as_json)
    with Store.open(store_place, create=False) as store:
        entry = campaign.get(store, name)
        typed_out(typed, entry.name, "the campaign's name")
        copy = folder / f"{entry.id}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl"
        try:
            write_copy(store, entry.id, copy)
        except OSError as error:
            raise CampaignError(
                f"Nothing was deleted, because no copy could be kept first: {error}", code="no_backup"
            ) from error
        campaign.remove(store, entry.id, name=entry.name)
    output.rows.append({"name": entry.name, "copy": str(copy)})
    output.say(f"{entry.name} is deleted. A copy of everything in it: {copy}")
    output.end()
