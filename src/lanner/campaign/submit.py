"""Where every answer is handed in: of people, of models, of simulated judges.

An answer is checked by the frozen protocol, then appended. A submission has an id made by the client: sent twice, it
is stored once and answered alike, even when the campaign has been closed in between. Sent again with other content, it
is refused with what is stored, and nothing of it is taken. A revision supersedes what was there; where that is not what
the client had seen (`base`), both are kept in the history, the later one counts, and the conflict is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from lanner.campaign.clock import now
from lanner.campaign.saving import save_all
from lanner.campaign.submission import Saved, Submission
from lanner.errors import LannerError
from lanner.model import Json
from lanner.store import Store


def submit(
    store: Store,
    task: int,
    item: int,
    answers: Mapping[str, Json],
    *,
    submission: str,
    elapsed: float | None = None,
    active: float | None = None,
    answered_at: datetime | None = None,
    base: Mapping[str, int | None] | None = None,
    judge: str | int | tuple[int, ...] | None = None,
    at: datetime | None = None,
) -> Saved:
    """Check and store answers about one item. When this returns, they are on disk."""
    given = Submission(task, item, answers, submission, elapsed, active, answered_at, base, judge)
    received = at or now()
    (result,) = store.write(lambda tx: save_all(store, tx, [given], received))
    if isinstance(result, LannerError):
        raise result
    return result


def submit_many(
    store: Store, submissions: Iterable[Submission], *, at: datetime | None = None
) -> list[Saved | LannerError]:
    """The same for many items in one transaction, one result for each: what is refused does not hold up the rest."""
    given = list(submissions)
    received = at or now()

    if not given:
        return []
    return [*store.write(lambda tx: save_all(store, tx, given, received))]
