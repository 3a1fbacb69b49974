"""What the library refuses, in the reader's language: by its kind, never by its sentence.

The most common refusals have a text of their own. Of the rest the reader is told in their language what kind of thing
went wrong, and then the library's own sentence, which names the place and is English.
"""

from __future__ import annotations

from collections.abc import Mapping

from lanner.errors import CampaignError, DesignError, InputError, LannerError, ProtocolError, StatisticError
from lanner.web.page import messages
from lanner.web.page.speech import language, say

BY_CODE: Mapping[str, tuple[str, str]] = {
    "name_taken": ("There is a campaign of this name already.", "Choose another name."),
    "bad_name": (
        "This cannot be the name of a campaign.",
        "Use 1 to 100 characters without slashes, not beginning with a space.",
    ),
    "frozen": (
        "The campaign has been opened, so its texts, protocol and design are frozen.",
        "Add judges or overlap to it, or duplicate it and change the copy.",
    ),
    "changed": ("Someone else has changed this meanwhile.", "Reload the page and look before you change it again."),
    "no_judges": ("There are no judges.", "Add at least one."),
    "judge_taken": ("There is a judge of this id already.", "Give the new one another name."),
    "unknown_judge": ("There is no such judge here.", ""),
    "unknown_document": ("There is no such document here.", ""),
    "unknown_campaign": ("There is no such campaign.", ""),
    "no_calibration": ("This campaign has no calibration round.", ""),
    "draft": ("The campaign is a draft and takes no answers.", "Open it first."),
    "closed": ("The campaign is closed and takes no answers.", "Open it first."),
    "unrecognised": (
        "The format of this file was not recognised.",
        "Save it as a table with a line of column names, or as one of the formats listed here.",
    ),
    "no_source_column": (
        "No column is known to hold the source text.",
        "The columns are: {columns}. Say under “Other column names” which it is, for instance source={column}.",
    ),
    "ragged": ("This row has {cells} cells, the header has {width}.", "Check its quotation marks and delimiters."),
    "no_header": ("The table has no header.", "The first row must name the columns."),
    "nameless_column": ("Column {n} has no name.", "Name every column in the first row."),
    "column_twice": ("Two columns are called {name}.", "Rename one of them."),
    "no_document": ("This row names no document.", "Fill in its document id."),
    "no_segment": ("This row has no segment id.", "Fill in its segment id."),
    "segment_twice": (
        "The segment {segment} of {document} is already on line {line_before}.",
        "Ids must differ within a document.",
    ),
    "few_judges": (
        "A document is to be judged by {n}, and there are only {judges} judges.",
        "Add judges, or ask for fewer for each document.",
    ),
    "few_readers": (
        "{document} is to be judged by {n}, and only {judges} of the judges read {language}.",
        "Add judges for this language, or ask for fewer for each document.",
    ),
    "uneven_teams": (
        "Teams of {size} cannot be made of {judges} judges.",
        "Name as many judges as make whole teams, or another number of judges for each document.",
    ),
    "several_scenarios": (
        "This would show each text to a judge in {n} scenarios: {scenarios}.",
        "Take the design “Latin square”, or tick “All scenarios” if that is wanted.",
    ),
    "not_a_number": ("{given} is not a number.", "Correct “{name}”."),
    "bad_minimum": ("The planned minimum of agreement lies between 0 and 1.", ""),
    "bad_practice": (
        "The agreement to be reached in practice lies between 0 and 1.",
        "Write 0.8 for four of five answers as the reference has them.",
    ),
    "bad_deadline": ("The deadline is not a date.", "Write it as 2026-11-18."),
    "bad_return_link": ("The return link must begin with https://", ""),
    "no_judgements": ("There are no judgements in this file.", "Texts are brought in under “New campaign”."),
    "no_reason": ("A judge is left out for a reason.", "Say why: the report will state it."),
    "same_name": (
        "There is a judge called {name} already.",
        "Leave the line out, or say that these are different people.",
    ),
    "short_password": ("The password is too short: at least {n} characters.", "Use a sentence."),
    "bad_account_name": ("An account needs a name of at most 80 characters.", ""),
    "already_set_up": ("This server has been set up already.", "Sign in."),
    "account_taken": ("There is an account called {name} already.", "Choose another name."),
    "last_owner": ("This is the last owner.", "Make someone else an owner first."),
    "bad_webhook_address": ("{given} is no address that can be told.", "Write https://host/path."),
    "no_column": ("There is no column {column}.", "The columns are: {columns}."),
}
_BY_KIND: tuple[tuple[type[LannerError], str], ...] = (
    (InputError, "The file was not taken in:"),
    (ProtocolError, "The protocol has a mistake in it:"),
    (DesignError, "The design cannot be met:"),
    (CampaignError, "The campaign does not allow this:"),
    (StatisticError, "This cannot be computed:"),
)
KINDS = tuple(text for _, text in _BY_KIND)


def parts(error: LannerError) -> tuple[str, str, str]:
    """What, where and what next."""
    where = str(error.where)
    if language() == messages.FALLBACK:
        return error.what, where, error.next_step
    known = BY_CODE.get(error.code)
    if known is not None:
        return say(known[0], **error.names), where, say(known[1], **error.names) if known[1] else ""
    kind = next((text for of, text in _BY_KIND if isinstance(error, of)), "")
    own = error.what
    if kind and not own.startswith("\u2068") and own.isascii():  # what is said in the language already stays alone
        return f"{say(kind)} {own}", where, error.next_step
    return own, where, error.next_step


def told(error: LannerError) -> str:
    """The same in a few lines."""
    what, where, next_step = parts(error)
    return "\n".join(filter(None, (f"{where}: {what}" if where else what, next_step)))
