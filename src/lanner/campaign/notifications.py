"""What programs outside are told: a task is finished, a campaign is. Judges go by their ids, never by their names."""

from __future__ import annotations

from datetime import datetime

from lanner.campaign.drawing import is_running
from lanner.store import Assigned, Transaction

TASK_FINISHED, CAMPAIGN_FINISHED = "task.finished", "campaign.finished"
EVENTS = (TASK_FINISHED, CAMPAIGN_FINISHED)


def announce_finished(tx: Transaction, entry: Assigned, at: datetime) -> None:
    """Tell of a finished task, and of its campaign if that was the last one, in the transaction that finished it."""
    if not tx.webhooks.all():
        return
    campaign = tx.campaigns.find(entry.campaign)
    assert campaign is not None
    told = {"campaign": campaign.name, "finished_at": at.isoformat(timespec="milliseconds")}
    tx.webhooks.announce(campaign.id, TASK_FINISHED, {**told, "task": entry.task.id, "judge": entry.task.judge}, at)
    tx.campaigns.lock(campaign.id)  # of the last two that finish at once, one sees the other
    if not tx.tasks.any_open(campaign.id) and not is_running(tx, campaign):
        tx.webhooks.announce(campaign.id, CAMPAIGN_FINISHED, told, at)
