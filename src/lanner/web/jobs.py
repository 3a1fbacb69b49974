"""What a worker process does for the pages: live numbers, files in and out, reports, plans.

Run as a module it is the other end of `lanner.web.worker`: it answers until nobody asks any more.
"""

from __future__ import annotations

import gzip
import pickle
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from lanner import campaign as campaigns
from lanner import formats
from lanner.analysis import agreements
from lanner.analysis.agreement import (
    before_and_after,
    calibration_items,
    describe_method,
    documents_of,
    most_disputed,
    split_at,
)
from lanner.analysis.economy import look_if_due
from lanner.analysis.material import from_campaign
from lanner.campaign import imports
from lanner.campaign.assignment import assign_calibration
from lanner.campaign.imports import ImportSummary
from lanner.campaign.settings import local_time
from lanner.errors import NOWHERE, LannerError, StatisticError
from lanner.judges.replay import inspect_outputs, replay
from lanner.model import Campaign
from lanner.model.messages import estimate
from lanner.model.protocol import Wording
from lanner.monitor.live import LiveCampaigns
from lanner.reports import export as tables
from lanner.reports import rendering
from lanner.reports.build import build
from lanner.reports.guidelines import campaign_guidelines
from lanner.stats.resample import FEW
from lanner.store import Store
from lanner.store.backup import StoreCheck, verify, verify_file
from lanner.web.drafting import uploads
from lanner.web.drafting.options import CampaignForecast, CampaignOptions, create_campaign, design_sizes, plan_campaign
from lanner.web.drafting.tables import is_table, preview_table
from lanner.web.drafting.work_ahead import prospects, work_ahead
from lanner.web.organising.disagreements import AgreementChange, Training
from lanner.web.organising.files import TABLES
from lanner.web.organising.live import current_page
from lanner.web.organising.results import DecidedPage, DiagnosisPage
from lanner.web.organising.results_view import Diagnoses, decided_page
from lanner.web.rendering import environment, moment, part
from lanner.web.speech import language, say, speaking
from lanner.web.updates import Panels
from lanner.web.worker import SIZE, pack


class Jobs(LiveCampaigns):
    """Everything a worker can be asked for, by name."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._diagnoses = Diagnoses()

    def ready(self) -> bool:
        """Everything that takes long to load is loaded."""
        return True

    def panels(self, campaign: int, main: str, question: str, root: str) -> Panels:
        """The panels of a live page with the numbers made last."""
        snapshots = self.latest(campaign, main), self.latest(campaign, question)
        live = current_page(self._store, campaigns.get(self._store, campaign), *snapshots)
        body = part(environment(), "live.html", root, {"live": live}).encode()
        return Panels(body, gzip.compress(body, 4, mtime=0), moment(live.made_at))

    def export(self, campaign: int, name: str, suffix: str, folder: str) -> str:
        """Write the current judgements into a folder; the path of the one file to send. What is several is zipped."""
        material = from_campaign(self._store, campaign)
        material = material.pseudonymised(material.code_names)
        target = Path(folder) / "out"
        target.mkdir()
        path = target / f"judgements{suffix}"
        try:
            if name in TABLES:
                tables.export(material, path)
            else:
                tables.export_as(material, "appraise_scores" if name == "appraise" else name, path)
        except LannerError as error:
            error.where = NOWHERE  # the folder is the server's own
            raise
        if not any(entry.is_file() for entry in target.rglob("*")):
            raise LannerError(
                say("There is nothing to export yet."), next_step=say("Come back when something has been judged.")
            )
        return shutil.make_archive(str(Path(folder) / "judgements"), "zip", target)

    def agreement(self, campaign: int) -> list[dict[str, Any]]:
        """How far people agree on each question, as rows; a grid with its weakest row."""
        material = from_campaign(self._store, campaign)
        rows = material.counted()
        assert material.protocol is not None
        return [
            {
                "question": entry.plan.id,
                "coefficient": entry.plan.headline.sign,
                "group": rows.selection.groups[0],
                "value": entry.headline.value,
                "low": entry.headline.low,
                "high": entry.headline.high,
                "items": entry.headline.counts.get("items", 0),
                "documents": entry.headline.counts.get("documents", 0),
                "judges": entry.headline.counts.get("judges", 0),
                "weakest": entry.weakest.measure.row if entry.weakest else None,
                "weakest_value": entry.weakest.result.value if entry.weakest else None,
                "aided": entry.unaided is not None,
                "unaided": entry.unaided.value if entry.unaided else None,
                "unaided_items": entry.unaided.counts.get("items", 0) if entry.unaided else None,
                "signature": str(entry.headline.signature or ""),
            }
            for entry in agreements(rows, material.protocol)
        ]

    def report(self, campaign: int) -> str:
        """The report as one HTML page, with headings in the reader's language."""
        return rendering.render(build(from_campaign(self._store, campaign).under_code_names()), say, language())

    def diagnosis(self, campaign: int, question: str, cell: str) -> DiagnosisPage:
        """What each system should improve, with the sentences behind one cell."""
        return self._diagnoses.page(self._store, campaign, question, cell)

    def disputed(self, campaign: int, number: int) -> list[tuple[str, str, str]]:
        """The units on which people are furthest apart."""
        material = from_campaign(self._store, campaign)
        assert material.protocol is not None
        units = most_disputed(material.counted(), material.protocol, number)
        return [(unit.document, unit.segment, unit.system) for unit in units]

    def calibrate(self, campaign: int, number: int, account: int) -> int:
        """Give the most disputed units to every person again. How many tasks were assigned."""
        material = from_campaign(self._store, campaign)
        assert material.protocol is not None
        units = most_disputed(material.counted(), material.protocol, number)
        return assign_calibration(self._store, campaign, calibration_items(material.protocol, units), account=account)

    def training(self, campaign: int, day: str) -> Training:
        """Agreement before a day and from it on, in words."""
        material = from_campaign(self._store, campaign)
        assert material.protocol is not None
        begins = local_time(material.settings, datetime.fromisoformat(day))
        early, late, units_on_both_sides = split_at(material.counted(), begins)
        if early.table.is_empty() or late.table.is_empty():
            raise StatisticError(
                say("Nothing was answered before that day, or nothing after it."), next_step=say("Name another day.")
            )
        wording = Wording(material.protocol, language())
        changes = before_and_after(early, late, material.protocol)
        return Training(
            tuple(
                AgreementChange(
                    (
                        wording.option(change.question, change.part)
                        if change.part
                        else wording.question(change.question)
                    ).label,
                    bool(change.part),
                    estimate(change.before.value, change.before.low, change.before.high),
                    estimate(change.after.value, change.after.low, change.after.high),
                    estimate(change.difference, change.low, change.high) if change.enough else "",
                )
                for change in changes
            ),
            units_on_both_sides,
            documents if min(documents := documents_of(changes)) < FEW else None,
            describe_method(changes),
        )

    def guidelines(self, campaign: int) -> str:
        """The guidelines with every decision as a worked example, as one HTML page."""
        guidelines = campaign_guidelines(self._store, campaign, language=language(), say=say)
        return rendering.render(guidelines.report(), say, language())

    def decided(self, campaign: int) -> DecidedPage:
        """What an adaptive campaign has settled, what is open, and whether it is enough."""
        return decided_page(self._store, campaign)

    def look_if_due(self, campaign: int) -> bool:
        """Take the look of an adaptive campaign for which enough has been judged; whether one was taken."""
        return look_if_due(self._store, campaign)

    # What needs no store is done as it stands.
    read_texts = staticmethod(uploads.take_in)
    demo_texts = staticmethod(uploads.demo)
    is_table = staticmethod(is_table)
    preview_table = staticmethod(preview_table)

    def inspect_file(self, campaign: int, path: str, model: str) -> ImportSummary:
        """What a file of answers would bring; with `model`, outputs of that model."""
        if model:
            incoming = inspect_outputs(self._store, campaign, Path(path), model)
            return replace(incoming, format=say("outputs of a model"))
        return imports.inspect_file(self._store, campaign, Path(path))

    def import_file(self, campaign: int, path: str, model: str, account: int) -> campaigns.Imported:
        """The answers in a file, taken into a campaign by an account."""
        if model:
            return replay(self._store, campaign, Path(path), model, account=account)
        return imports.import_file(self._store, campaign, Path(path), account=account)

    def remove(self, campaign: int, name: str, copy: str, account: int) -> None:
        """Delete a campaign, once there is a copy of it."""
        campaigns.remove(self._store, campaign, name=name, copy=Path(copy), account=account)

    def verify(self, path: str) -> list[StoreCheck]:
        """Every check of a backup; without a path, of the store in use."""
        return verify_file(Path(path)) if path else verify(self._store)

    def create_campaign(self, path: str, options: CampaignOptions, account: int) -> Campaign:
        """A campaign with these texts and options. The writer of saves has nothing to do with it."""
        return create_campaign(self._store, path, options, account)

    def forecast(self, path: str, options: CampaignOptions) -> CampaignForecast:
        """What a campaign with these texts and options would come to, and what it could tell."""
        documents = list(formats.read_documents(path, "native"))
        plan = plan_campaign(documents, options)
        ahead = work_ahead(documents, options, plan.main_items)
        return CampaignForecast(plan, ahead, prospects(documents, options), design_sizes(documents, options))


def read(stream: BinaryIO) -> Any:
    """What the server sent next; None when it has gone."""
    head = stream.read(SIZE.size)
    return pickle.loads(stream.read(SIZE.unpack(head)[0])) if len(head) == SIZE.size else None


def run(requests: BinaryIO, results: BinaryIO, jobs_of: Callable[[Store], Any] = Jobs) -> None:
    """Do jobs until nobody asks any more."""
    with Store.open(read(requests), create=False) as store:
        jobs = jobs_of(store)
        while (request := read(requests)) is not None:
            language_code, job, *arguments = request
            try:
                with speaking(language_code):
                    result = pack(getattr(jobs, job)(*arguments))
            except LannerError as error:
                result = pack(error)
            except Exception as error:  # what we did not foresee must not end the process for all other campaigns
                result = pack(RuntimeError(f"{type(error).__name__}: {error}"))
            results.write(result)
            results.flush()


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the server was killed: nobody waits for the rest
        run(sys.stdin.buffer, sys.stdout.buffer)
