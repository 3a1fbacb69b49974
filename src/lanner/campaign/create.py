"""Making campaigns: from documents, a protocol, judges, a design and a seed, always the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from unicodedata import normalize

from lanner import protocols, registry
from lanner.campaign.assignment import add_tasks, check_new, deal, write_tasks
from lanner.campaign.drawing import goal_of, score_of
from lanner.campaign.people import check_judges
from lanner.campaign.prefill import SETTING as PREFILL
from lanner.campaign.prefill import Prefilled, with_marks
from lanner.campaign.progress import still_judging
from lanner.campaign.settings import NOTES, check_main_question, check_names, check_settings
from lanner.campaign.states import Reference, lock, set_state
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.adaptive import refuse_few
from lanner.designs.prepare import with_languages
from lanner.errors import CampaignError, InputError
from lanner.formats.parsing.readings import bar_in_name
from lanner.model import Campaign, CampaignState, Document, Json, Judge, Protocol, all_systems
from lanner.protocols.context import in_contexts
from lanner.protocols.prefilled import with_prefill
from lanner.store import JUDGE_ITSELF, Store, Transaction, fingerprint
from lanner.store.rows import now
from lanner.store.tasks import to_rows

_NAME = re.compile(r"(?!\.{1,2}$)[^\s/\\\x00-\x1f\ud800-\udfff][^/\\\x00-\x1f\ud800-\udfff]{0,99}")
"""Of one or two dots alone a browser makes another address."""


def create(
    store: Store,
    name: str,
    documents: Sequence[Document],
    protocol: Protocol | str | Path,
    judges: Sequence[Judge] = (),
    *,
    design: str = "full",
    systems: Sequence[str] | None = None,
    seed: int = 0,
    options: Mapping[str, Json] | None = None,
    settings: Mapping[str, Json] | None = None,
    title: str = "",
    opened: bool = False,
    account: int | None = None,
    at: datetime | None = None,
) -> Campaign:
    """Make a draft with its tasks, or a campaign that is `opened` at once. `systems` are those to be judged (all that
    have outputs, if left out); `options` go to the design, `settings` hold what belongs to this campaign alone:
    questionnaires before and after, controls, tutorial, calibration (see `lanner.designs.prepare`), minutes until a
    pause, and so on. `wording = "published"` asks a protocol that is given by name in the words of its paper;
    `contexts` names what is shown around a sentence, as a factor that a Latin square counterbalances over judges (see
    `lanner.protocols.context`)."""
    check_names(name for name in settings or {} if name != NOTES)
    check_settings(settings or {})
    definition = with_questionnaires(protocol, settings or {})
    check_main_question(settings or {}, definition)
    texts = tuple(documents)
    check_documents(texts)
    judges = with_languages(judges, texts)
    names = tuple(systems) if systems is not None else all_systems(texts)
    documents_with_marks = _add_marks(store, settings or {}, texts, definition, seed)
    if documents_with_marks is not None:
        texts, definition = documents_with_marks.documents, with_prefill(definition)
    if design == ADAPTIVE:
        goal_of(options or {}, names)  # what makes no sense is refused before anything is made
        score_of(definition)
    moment = at or now()
    draft = Campaign(
        0,
        name,
        title or name,
        definition.name,
        definition.hash,
        CampaignState.DRAFT,
        seed,
        design,
        settings or {},
        moment,
    )
    tasks = deal(draft, texts, judges, definition, systems=names, options=options or {}) if judges else []
    if design == ADAPTIVE and judges:
        chosen = options or {}
        refuse_few(len(judges), int(chosen.get("judges_per_document") or 1), float(chosen.get("overlap") or 0.0))
    check_judges(judges)
    check_new(tasks, definition, texts, judges)
    with store.writing() as tx:
        number = add_campaign(tx, draft, definition, texts, judges, systems=list(names), options=dict(options or {}))
        write_tasks(tx, number, to_rows(tasks, tx.documents.numbers(number)), moment)
        tx.events.add("created", moment, campaign=number, account=account, tasks=len(tasks))
        if documents_with_marks is not None:
            detail = documents_with_marks.detail(draft.settings[PREFILL])
            tx.events.add("prefilled", moment, campaign=number, account=account, **detail)
        if opened:
            set_state(tx, number, CampaignState.OPEN, "opened", account=account, at=moment)
        return tx.campaigns.get(number)


def _add_marks(
    store: Store, settings: Mapping[str, Json], documents: Sequence[Document], protocol: Protocol, seed: int
) -> Prefilled | None:
    """The texts with the marks of the model that the settings name; None where they name none."""
    if not settings.get(PREFILL):
        return None
    with_prefill(protocol)  # a protocol without marks is refused before the model's answers are looked for
    with store.reading() as tx:
        return with_marks(tx, settings[PREFILL], documents, protocol, seed=seed)


def add_campaign(
    tx: Transaction,
    campaign: Campaign,
    protocol: Protocol,
    documents: Sequence[Document],
    judges: Sequence[Judge],
    **plan: Json,
) -> int:
    """Write a campaign without tasks, and return its number."""
    _refuse_name(tx, campaign.name)
    check_judges(judges)
    number = tx.campaigns.add(campaign, protocol, fingerprint(documents), **plan)
    tx.documents.add(number, [Document(JUDGE_ITSELF, ())], start=-1)
    tx.documents.add(number, documents)
    tx.judges.add(number, judges, campaign.created_at or now())
    return number


def redefine(
    store: Store,
    campaign: Reference,
    *,
    documents: Sequence[Document] | None = None,
    protocol: Protocol | str | Path | None = None,
    design: str | None = None,
    systems: Sequence[str] | None = None,
    seed: int | None = None,
    options: Mapping[str, Json] | None = None,
    at: datetime | None = None,
) -> Campaign:
    """Change what a draft is made of and assign anew. Judges and their links stay. Refused once it has been opened."""
    moment = at or now()
    with store.deleting() as tx:
        draft = lock(tx, campaign)
        refuse_frozen(draft)
        if tx.campaigns.any_answered(draft.id):
            raise CampaignError(
                f"{draft.name} has answers, and they are about its texts and tasks.",
                code="frozen",
                next_step="Duplicate it and change the copy.",
            )
        plan = tx.campaigns.plan(draft.id)
        stored = tx.campaigns.protocol(draft.id)
        definition = stored if protocol is None else with_questionnaires(protocol, draft.settings)
        check_main_question(draft.settings, definition)
        texts = tuple(documents) if documents is not None else tuple(tx.documents.all(draft.id))
        check_documents(texts)
        names = (
            list(systems) if systems is not None else plan["systems"] if documents is None else list(all_systems(texts))
        )
        number = draft.seed if seed is None else seed
        if draft.settings.get(PREFILL):
            texts = with_marks(tx, draft.settings[PREFILL], texts, definition, seed=number).documents
            definition = with_prefill(definition)
        design_options = dict(options) if options is not None else plan["options"]
        design_name = design or draft.design
        judges = [participant.judge for participant in tx.judges.all(draft.id)]
        changed = replace(draft, design=design_name, seed=number)
        tasks = deal(changed, texts, judges, definition, systems=names, options=design_options) if judges else []
        tx.tasks.remove_all(draft.id)
        tx.documents.remove_all(draft.id)
        tx.documents.add(draft.id, [Document(JUDGE_ITSELF, ())], start=-1)
        tx.documents.add(draft.id, texts)
        tx.campaigns.redefine(
            draft.id,
            definition,
            fingerprint(texts),
            design=design_name,
            seed=number,
            systems=names,
            options=design_options,
        )
        add_tasks(tx, draft.id, definition, texts, tasks, at=moment)
        tx.events.add("redefined", moment, campaign=draft.id, tasks=len(tasks))
        return tx.campaigns.get(draft.id)


def duplicate(
    store: Store,
    campaign: Reference,
    name: str,
    judges: Sequence[Judge] | None = None,
    *,
    account: int | None = None,
) -> Campaign:
    """A new draft with the same texts, protocol, design and settings; with the same judges unless others are given."""
    with store.reading() as tx:
        model = tx.campaigns.get(campaign)
        plan = tx.campaigns.plan(model.id)
        documents = tx.documents.all(model.id)
        definition = tx.campaigns.protocol(model.id)
        people = list(judges) if judges is not None else still_judging(tx, model, named=True)
    design = model.design if model.design in registry.names("designs") else "full"  # an imported one has none
    return create(
        store,
        name,
        documents,
        definition,
        people,
        design=design,
        systems=plan["systems"],
        seed=model.seed,
        options=plan["options"],
        settings={name: value for name, value in model.settings.items() if name != "archived"},
        title=model.title if model.title != model.name else "",
        account=account,
    )


def with_questionnaires(protocol: Protocol | str | Path, settings: Mapping[str, Json]) -> Protocol:
    """The protocol in the contexts that the settings name, and with the questionnaires that they put before and after
    it, unless it has them already."""
    wording = str(settings.get("wording", ""))
    definition = protocol if isinstance(protocol, Protocol) else protocols.load(protocol, wording=wording)
    if wording and definition.wording != wording:
        raise InputError(
            f"The settings ask for the {wording} wording, and the protocol has another.",
            next_step=f'Load it with wording="{wording}", or leave it out of the settings.',
        )
    if (contexts := settings.get("contexts")) and not definition.contexts:
        definition = in_contexts(definition, [str(name) for name in contexts])
    present = {stage.id for stage in definition.stages}
    before, after = (
        [
            questionnaire
            for questionnaire in map(protocols.load, settings.get(place, ()))
            if questionnaire.stages[0].id not in present
        ]
        for place in ("before", "after")
    )
    return protocols.compose(definition, before=before, after=after)


def refuse_frozen(campaign: Campaign) -> None:
    """Refuse to change what people may already have answered about."""
    if campaign.state is not CampaignState.DRAFT:
        raise CampaignError(
            f"{campaign.name} has been opened, so its texts, protocol and design are frozen.",
            code="frozen",
            next_step="Add judges or overlap to it, or duplicate it and change the copy.",
        )


def check_documents(documents: Sequence[Document]) -> None:
    """Refuse texts that could not be told apart."""
    if not documents:
        raise InputError("There are no documents.", next_step="Give at least one.")
    _refuse_twice("document", [document.id for document in documents])
    if bad := next((name for name in all_systems(documents) if "|" in name), ""):
        raise bar_in_name(bad)
    for document in documents:
        if document.id == JUDGE_ITSELF:
            raise InputError("A document has an empty id.", next_step="Give every document an id of its own.")
        _refuse_twice(f"segment of {document.id!r}", [segment.id for segment in document])
        if any(not segment.id for segment in document):
            raise InputError(f"A segment of {document.id!r} has an empty id.", next_step="Give every segment an id.")


def _refuse_twice(what: str, ids: Sequence[str]) -> None:
    # é may be one code point, or two: nobody would see the difference
    twice = next((id_ for id_, count in Counter(normalize("NFC", id_) for id_ in ids).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"The {what} {twice!r} is there twice.", next_step="Give each an id of its own.")


def _refuse_name(tx: Transaction, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise CampaignError(
            f"{name!r} cannot be the name of a campaign.",
            code="bad_name",
            next_step="Use 1 to 100 characters without slashes, not beginning with a space.",
        )
    if tx.campaigns.is_taken(name):
        raise CampaignError(
            f"There is already a campaign called {name!r}.", code="name_taken", next_step="Choose another name."
        )
