"""Create, assign, answer, revise, finish, import: the only writer of judgements.

Everything that has an answer to give, a page, a model, a file, gives it here. Functions take the store first and a
campaign by its id or name.
"""

from __future__ import annotations

from lanner.campaign import invitations
from lanner.campaign.adjudication import answer_of, answers_from, settle
from lanner.campaign.assignment import add_judges, add_overlap, after_calibration, assign, remove_judge, replace_judge
from lanner.campaign.create import create, duplicate, redefine
from lanner.campaign.imports import CampaignContent, Imported, import_campaign, import_campaigns, import_judgements
from lanner.campaign.people import consent, count_again, erase, leave_out, withdraw
from lanner.campaign.prefill import Prefilled, prefill
from lanner.campaign.progress import (
    CampaignProgress,
    ProgressPart,
    campaigns,
    chain_head,
    documents,
    events,
    get,
    history,
    judgements,
    judges,
    left_out,
    participants,
    progress,
    protocol,
    pseudonyms,
    working_judges,
)
from lanner.campaign.questions import CurrentAnswer, Questions
from lanner.campaign.states import archive, close, configure, open, pause, remove, reopen  # noqa: A004
from lanner.campaign.submit import Conflict, ReusedError, SaveQueue, SaveResult, Submission, digest, submit, submit_many
from lanner.campaign.tasks import (
    OpenItem,
    UnfinishedError,
    current,
    earlier,
    finish,
    missing,
    next_task,
    overview,
    reopen_task,
    take_back_finish,
    task,
    tasks,
)
from lanner.store.rows import now

__all__ = [
    "CampaignContent",
    "CampaignProgress",
    "Conflict",
    "CurrentAnswer",
    "Imported",
    "OpenItem",
    "Prefilled",
    "ProgressPart",
    "Questions",
    "ReusedError",
    "SaveQueue",
    "SaveResult",
    "Submission",
    "UnfinishedError",
    "add_judges",
    "add_overlap",
    "after_calibration",
    "answer_of",
    "answers_from",
    "archive",
    "assign",
    "campaigns",
    "chain_head",
    "close",
    "configure",
    "consent",
    "count_again",
    "create",
    "current",
    "digest",
    "documents",
    "duplicate",
    "earlier",
    "erase",
    "events",
    "finish",
    "get",
    "history",
    "import_campaign",
    "import_campaigns",
    "import_judgements",
    "invitations",
    "judgements",
    "judges",
    "leave_out",
    "left_out",
    "missing",
    "next_task",
    "now",
    "open",
    "overview",
    "participants",
    "pause",
    "prefill",
    "progress",
    "protocol",
    "pseudonyms",
    "redefine",
    "remove",
    "remove_judge",
    "reopen",
    "reopen_task",
    "replace_judge",
    "settle",
    "submit",
    "submit_many",
    "take_back_finish",
    "task",
    "tasks",
    "withdraw",
    "working_judges",
]
