"""What an organiser wishes for a campaign: protocols to choose from, each with a small picture of what a judge sees,
and from the fields of a form to what `campaign.create` takes."""

from __future__ import annotations

import math
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from markupsafe import Markup
from starlette.datastructures import FormData

from lanner import campaign as campaigns
from lanner import designs, formats, protocols
from lanner.campaign.people import InvitedJudge, parse_judges
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.plan import AssignmentPlan, preview
from lanner.errors import DesignError, LannerError, ProtocolError
from lanner.model import (
    Campaign,
    Choice,
    Document,
    Grid,
    Json,
    Judge,
    Labels,
    Number,
    Object,
    Protocol,
    Question,
    Rank,
    Scale,
    Spans,
    Stage,
    Unit,
    all_systems,
)
from lanner.model.protocol import Wording
from lanner.protocols.describe import EXPECTED_AGREEMENT
from lanner.store import Store
from lanner.web import forms
from lanner.web.organising.campaigns import read_settings
from lanner.web.problems import parts
from lanner.web.speech import language, say

_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")
_AMOUNTS = ("shuffled", "swapped", "degraded", "repeats")


@dataclass(frozen=True, slots=True)
class ProtocolOffer:
    """A protocol to choose from: for which purpose, where it is one of the first to think of, and how many systems a
    text must have for it."""

    name: str
    title: str
    summary: str
    when: str
    about_judges: bool
    sketch: Markup
    """What a judge sees, as a small picture."""
    purpose: str = ""
    systems_needed: int = 0
    minutes: float = 0.0
    """About how long an item takes."""
    agreement: str = ""
    """What agreement between judges was published, with where."""
    source: str = ""

    def reason_against(self, systems: int) -> str:
        """Why it cannot be used with texts of so many systems; empty where it can."""
        if systems >= self.systems_needed:
            return ""
        if self.systems_needed == 1:
            return say("It is about translations, and there are none in these texts.")
        return say("It compares translations, and these texts have fewer than two.")


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """Everything a campaign is made from but its texts."""

    name: str
    title: str
    protocol: str
    """As TOML, so that it can travel to another process and be derived from others."""
    judges: tuple[InvitedJudge, ...]
    design: str
    options: Mapping[str, Json]
    systems: tuple[str, ...]
    seed: int
    settings: Mapping[str, Json] = field(default_factory=dict)
    calibration: int = 0
    """How many of the first documents everyone judges before the rest is assigned."""

    def for_texts(self, documents: Sequence[Document]) -> dict[str, Json]:
        """The settings with what depends on the texts."""
        in_common = [document.id for document in documents[: self.calibration]]
        return {**self.settings, **({"calibration": in_common} if in_common else {})}

    def systems_of(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """The systems to be judged: those chosen, else all of the texts."""
        return self.systems or all_systems(documents)

    @property
    def people(self) -> list[Judge]:
        return [entry.judge for entry in self.judges]


@dataclass(frozen=True, slots=True)
class CourseStep:
    """After so many judgements: half the interval of a difference (or of a score), fixed and adaptive, what share of
    the pairs adaptive campaigns have settled, and what share of them is over; see `lanner.stats.savings`."""

    judgements: int
    hours: float
    fixed: float | None
    adaptive: float | None
    settled: float
    ended: float


@dataclass(frozen=True, slots=True)
class LengthForecast:
    """How long a campaign would go on, fixed and adaptive, on average over simulated campaigns. `share` is of the fixed
    one's judgements, `low` and `high` hold nine of ten campaigns; `metric` names what says how far systems are apart,
    empty where released campaigns do. `distance` is the mean distance between two of them, None where the goal is
    about the systems' scores; `course` is what is known on the way."""

    goal: str
    campaigns: int
    fixed_judgements: int
    fixed_hours: float
    adaptive_judgements: int
    adaptive_hours: float
    share: float
    low: float
    high: float
    fixed_decided: float
    adaptive_decided: float
    metric: str
    distance: float | None = None
    course: tuple[CourseStep, ...] = ()
    judges: int = 1
    """How many judge each document, in both."""


@dataclass(frozen=True, slots=True)
class PowerForecast:
    """What a plan can tell: the difference between two systems that four of five such campaigns would show (None where
    there are too few documents for any), how often others would be seen, and what that difference would be with one
    judge more for each item or with twice the documents."""

    documents: int
    systems: int
    detectable: float | None
    chances: tuple[tuple[float, float], ...]
    with_more_judges: float | None
    with_more_documents: float | None
    source: str
    by_documents: tuple[tuple[int, float | None], ...] = ()
    """The same difference with other numbers of documents like these, for a curve."""


@dataclass(frozen=True, slots=True)
class CampaignForecast:
    """Everything the plan page says: what the wishes come to, what that can tell, how long it goes on, and how many
    items each design would have judged, or why it cannot be used."""

    plan: AssignmentPlan
    ahead: LengthForecast | None
    prospects: PowerForecast | None
    sizes: Mapping[str, int | str]


def offers() -> Sequence[ProtocolOffer]:
    """Every protocol there is, with its own words; those with a purpose of their own first."""
    return _offers(tuple(protocols.names()), language())


@cache
def _offers(names: tuple[str, ...], language_code: str) -> tuple[ProtocolOffer, ...]:
    """Made once for each language: thirty protocols and their drawings, read anew for every draft, take their turn from
    saves."""
    results = []
    purposes, published_agreement = _purposes(), EXPECTED_AGREEMENT
    for name in names:
        protocol = protocols.load(name)
        words = Wording(protocol, language_code)
        about_judges = all(stage.unit is Unit.JUDGE for stage in protocol.stages)
        systems_needed = max(_SYSTEMS_NEEDED[stage.object] for stage in protocol.stages)
        lines = words.line("summary"), words.line("when_to_use")
        page = next(iter(protocol.pages))
        entry = published_agreement.get(name, {})
        results.append(
            ProtocolOffer(
                name,
                words.title,
                *lines,
                about_judges,
                sketch(protocol),
                purposes.get(name, ""),
                systems_needed,
                protocol.minutes(page),
                entry.get("short", ""),
                entry.get("source", ""),
            )
        )
    order = list(purposes)
    return tuple(sorted(results, key=lambda offer: order.index(offer.name) if offer.name in order else len(order)))


def _purposes() -> dict[str, str]:
    """The protocols to think of first, each by what one wants to know."""
    return {
        "h_falcon": say("How well does each translation handle what depends on context?"),
        "falcon": say("How much context does a text need, and which skills?"),
        "esa": say("Which system is better, with errors marked?"),
        "mqm": say("Which kinds of errors are there, and how grave?"),
        "da_sqm": say("Which system is better, as quickly as possible?"),
        "parity": say("Is one translation preferred to the other?"),
    }


_SYSTEMS_NEEDED = {Object.NONE: 0, Object.SOURCE: 0, Object.OUTPUT: 1, Object.OUTPUTS: 2}


@contextmanager
def about(control: str) -> Iterator[None]:
    """Whatever is wrong in here is about one control of the form (`error.control`), where the page says it."""
    try:
        yield
    except LannerError as error:
        error.control = error.control or control
        raise


def control_of(error: LannerError) -> str:
    """The control of the form that a mistake is about; "" where it is about none in particular."""
    default_control = _CONTROLS.get(error.code, "design" if isinstance(error, DesignError) else "")
    return error.control or default_control


_CONTROLS = {
    "name_taken": "name",
    "bad_name": "name",
    "bad_minimum": "minimum_agreement",
    "bad_deadline": "deadline",
    "bad_time_zone": "time_zone",
    "all_in_calibration": "calibration",
}
"""The controls that mistakes with these codes are about."""


def read_wishes(form: FormData) -> CampaignOptions:
    """The form as wishes; the first thing that cannot be understood is said, with the control it stands in."""
    name = forms.text(form, "name").strip()
    with about("name"):
        if not name:
            raise LannerError(
                say("The campaign needs a name."), next_step=say("Write a short one; it stands in addresses.")
            )
    text = forms.text(form, "judges").strip()
    seed = forms.text(form, "seed").strip() or "0"
    with about("seed"):
        if not seed.isdecimal() or len(seed) > 12:
            raise LannerError(say("The seed is a whole number."))
    design = forms.text(form, "design") or "full"
    with about("own_protocol" if forms.text(form, "own_protocol").strip() else "leave"):
        protocol = protocol_text(form)
    with about("judges"):
        people = tuple(parse_judges(text, same_names=bool(forms.text(form, "same_names")))) if text else ()
    with about("calibration"):
        calibration = _whole(form, "calibration")
    return CampaignOptions(
        name=name,
        title=forms.text(form, "title").strip()[:200],
        protocol=protocol,
        judges=people,
        design=design,
        options=_options(form, design),
        systems=tuple(value for value in form.getlist("system") if isinstance(value, str)),
        seed=int(seed),
        settings=_settings(form),
        calibration=calibration,
    )


def protocol_text(form: FormData) -> str:
    """The chosen protocol as TOML: one of ours, one of ours without some questions, or the organiser's own."""
    own = forms.text(form, "own_protocol").strip()
    if own:
        return refuse_paths(own)
    protocol_id = forms.text(form, "protocol")
    if not _NAME.fullmatch(protocol_id):
        raise LannerError(say("Choose a protocol."), next_step=say("Each says when it is the right one."))
    left_out = [name for name in re.split(r"[\s,;]+", forms.text(form, "leave")) if name]
    if wrong := [name for name in left_out if not _NAME.fullmatch(name)]:
        raise LannerError(
            say("{id} is not the id of a question.", id=repr(wrong[0])), next_step=say("“read it” shows them.")
        )
    own_name = f"{protocol_id}_own" if left_out else protocol_id
    lines = [f'name = "{own_name}"', f'version = "{protocols.load(protocol_id).version}"', f'extends = "{protocol_id}"']
    if left_out:
        lines.append(f"without = {left_out!r}".replace("'", '"'))
    return "\n".join(lines) if left_out else f"{_SAME}{protocol_id}"


_SAME = "# the protocol as it is: "


def parse_protocol(text: str) -> Protocol:
    """The protocol that a form names or describes."""
    if text.startswith(_SAME):
        return protocols.load(text.removeprefix(_SAME))
    return protocols.parse_toml(text, "your protocol")


def refuse_paths(text: str) -> str:
    """A protocol from the browser builds on protocols by their names only, never on files of this machine."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return text  # the reader says what is wrong, with the line
    include = table.get("include", [])
    parents = [table.get("extends", ""), *(include if isinstance(include, list) else [include])]
    for name in parents:
        if name and not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ProtocolError(
                say("A protocol builds on others by their names only."),
                next_step=say('Write for instance extends = "h_falcon".'),
            )
    return text


def _options(form: FormData, design: str) -> dict[str, Json]:
    """The options of the chosen design that differ from what it does anyway."""
    if design not in designs.titles():
        raise DesignError(say("Choose a design."), next_step=say("One of: {names}.", names=", ".join(designs.titles())))
    values: dict[str, Json] = {}
    for name, default in designs.options(design).items():
        text = forms.text(form, f"{design}.{name}").strip()
        if (design, name) == (ADAPTIVE, "goal"):
            text = _goal(form, text)
        if isinstance(default, bool):
            value: Json = bool(text)
        elif not text:
            continue
        elif isinstance(default, int | float):
            with about(f"{design}.{name}"):
                value = _number(text, default, name)
        else:
            value = text
        if value != default:
            values[name] = value
    return values


def _goal(form: FormData, kind: str) -> str:
    """When an adaptive campaign stops: one of the choices of the page, or a goal as it is written."""
    if kind == "precision":
        return f"precision:{forms.text(form, 'half_width').strip().replace(',', '.')}"
    return forms.text(form, "other_goal").strip() if kind == "other" else kind


def _number(text: str, default: float, name: str) -> float:
    try:
        value = type(default)(float(text.replace(",", ".")))
        if not math.isfinite(value):
            raise ValueError
    except (ValueError, OverflowError):
        raise DesignError(
            say("{given} is not a number.", given=repr(text)),
            next_step=say("Correct “{name}”.", name=name.replace("_", " ")),
        ) from None
    return value


def _settings(form: FormData) -> dict[str, Json]:
    settings: dict[str, Json] = {name: value for name, value in read_settings(form).items() if value is not None}
    controls = {}
    for name in _AMOUNTS:
        with about(name):
            controls[name] = _amount(forms.text(form, name))
    if any(controls.values()):
        settings["controls"] = {name: amount for name, amount in controls.items() if amount}
    for when in ("before", "after"):
        values = [value for value in form.getlist(when) if isinstance(value, str) and _NAME.fullmatch(value)]
        if values:
            settings[when] = values
    return settings


def _whole(form: FormData, name: str) -> int:
    text = forms.text(form, name).strip()
    number = forms.whole_number(text or "0")
    if number is None:
        raise DesignError(
            say("{given} is not a whole number.", given=repr(text[:40])), next_step=say("Correct “{name}”.", name=name)
        )
    return number


def _amount(text: str) -> float:
    words = text.strip().replace(",", ".").removesuffix("%").strip()
    if not words:
        return 0
    try:
        number = float(words) / (100 if "%" in text else 1)
        if not math.isfinite(number) or ("%" in text and number >= 1):
            raise ValueError
    except ValueError:
        raise DesignError(
            say("{given} is not a number of control items.", given=repr(text)), next_step=say("Write 5, or 5 %.")
        ) from None
    return int(number) if number >= 1 else number


@dataclass(frozen=True, slots=True)
class Remedy:
    """What can be done about a weakness of the plan, in words, and which field of the form does it by which value."""

    words: str
    field: str
    value: str


_REMEDIED = re.compile(r"design|same_names|shuffled|\w{1,40}\.judges_per_document")
_EXACT_ENOUGH = 0.1
"""Agreement that is known to this much either way needs no remedy."""
_FEW_CONTROLS = 6


def remedies(plan: AssignmentPlan, form: FormData) -> list[Remedy]:
    """What a button can do about the plan's weaknesses."""
    design = forms.text(form, "design") or "full"
    result = []
    if (plan.half_width is None or plan.half_width > _EXACT_ENOUGH) and design != "full":
        own = f"{design}.judges_per_document"
        if "judges_per_document" in designs.options(design):
            judges = forms.whole_number(forms.text(form, own)) or 1
            if judges < len(plan.judges):
                result.append(Remedy(say("One judge more for each document"), own, str(judges + 1)))
        result.append(Remedy(say("Everyone judges everything"), "design", "full"))
    if any(0 < judge.controls < _FEW_CONTROLS for judge in plan.judges):
        result.append(Remedy(say("10 % control items"), "shuffled", "10 %"))
    return result


def with_remedy(form: FormData) -> FormData:
    """The form as the pressed remedy changes it; then the plan is shown, and nothing made."""
    field, _, value = forms.text(form, "remedy").partition("=")
    if not _REMEDIED.fullmatch(field):
        return form
    others = [(name, entry) for name, entry in form.multi_items() if name not in (field, "remedy", "do")]
    return FormData([*others, (field, value), ("do", "plan")])


def plan_campaign(documents: Sequence[Document], wishes: CampaignOptions) -> AssignmentPlan:
    """The plan of a campaign with these wishes, before anything is made."""
    if not wishes.judges:
        raise DesignError(
            say("Without judges there is no plan."), next_step=say("Name them, or as many as you think of.")
        )
    rate = wishes.settings.get("hourly_rate")
    return preview(
        wishes.design,
        documents,
        wishes.people,
        compose_protocol(wishes),
        systems=wishes.systems_of(documents),
        options=wishes.options,
        settings=wishes.for_texts(documents),
        seed=wishes.seed,
        hourly_rate=float(rate) if rate is not None else None,
    )


def design_sizes(documents: Sequence[Document], wishes: CampaignOptions) -> dict[str, int | str]:
    """How many items judges would be given by each design, with the options it has by itself, or why it cannot be
    used. Empty where trying all of them would take long."""
    if sum(len(document.segments) for document in documents) * len(wishes.judges) > _MOST_TRIED:
        return {}
    sizes: dict[str, int | str] = {}
    for name in designs.titles():
        own = wishes if name == wishes.design else replace(wishes, design=name, options={})
        try:
            sizes[name] = sum(page.judged for page in plan_campaign(documents, own).pages)
        except LannerError as error:
            sizes[name] = parts(error)[0]
    return sizes


_MOST_TRIED = 20_000
"""Sentences times judges up to which every design is tried for the page."""


def compose_protocol(wishes: CampaignOptions) -> Protocol:
    """The protocol with the questionnaires around it."""
    around = {when: [protocols.load(name) for name in wishes.settings.get(when, ())] for when in ("before", "after")}
    return protocols.compose(parse_protocol(wishes.protocol), **around)


def create_campaign(store: Store, path: str, options: CampaignOptions, account: int) -> Campaign:
    """The campaign with the uploaded texts, which belongs to the account that made it."""
    documents = list(formats.read_documents(path, "native"))
    campaign = campaigns.create(
        store,
        options.name,
        documents,
        parse_protocol(options.protocol),
        options.people,
        design=options.design,
        systems=options.systems or None,
        seed=options.seed,
        options=options.options,
        settings=options.for_texts(documents),
        title=options.title,
        account=account,
    )
    with store.writing() as tx:
        tx.accounts.join(account, campaign.id)
    return campaign


# A small picture of what a judge sees, drawn from the questions of a protocol, so that a new one has its own

_WIDTH, _HEIGHT, _BORDER = 96, 60, 62
_TOP, _BOTTOM = 7.0, 47.0
_LEFT, _ROOM = _BORDER + 5.0, _WIDTH - _BORDER - 10.0
_LINES: Sequence[int] = (8, 14, 20, 29, 35, 44, 50)
_LENGTHS = (1.0, 0.85, 0.6, 1.0, 0.75, 0.9, 0.7)
_JUDGED = slice(3, 5)
"""Which of the lines are the sentence asked about, in its document."""
_MOST_STEPS: Final = 5


class _Pen:
    """One path for each style, which the style sheet colours: a page has many sketches, and they stay small."""

    def __init__(self) -> None:
        self._paths: defaultdict[str, str] = defaultdict(str)

    def line(self, style: str, x: float, y: float, width: float = 0) -> None:
        """A stroke to the right; a dot where it has no width."""
        self._paths[style] += f"M{x:.3g} {y:.3g}h{width:.3g}"

    def box(self, style: str, x: float, y: float, width: float, height: float) -> None:
        self._paths[style] += f"M{x:.3g} {y:.3g}h{width:.3g}v{height:.3g}h{-width:.3g}z"

    def svg(self) -> Markup:
        paths = Markup().join(Markup('<path class="{}" d="{}"/>').format(*path) for path in self._paths.items())
        return Markup('<svg class="sketch" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(
            _WIDTH, _HEIGHT, paths
        )


def sketch(protocol: Protocol) -> Markup:
    """The first page of a protocol: its texts in columns, and beside them the controls of its questions as far as they
    fit; with a dot for each page where there are several. It says nothing that the card does not say in words, and is
    hidden from screen readers."""
    stages = next(iter(protocol.pages.values()))
    pen = _Pen()
    _draw_texts(pen, stages)
    pen.box("edge", _BORDER, 0, 0, _HEIGHT)
    y = _TOP
    for stage in stages:
        for question in stage.questions:
            height, draw = _control(question, stage)
            if y + height <= _BOTTOM:
                draw(pen, y)
                y += height + 4
    pages = min(len(protocol.pages), _MOST_STEPS) if len(protocol.pages) > 1 else 0
    for place in range(pages):
        pen.line("dim" if place else "point", _LEFT + 1 + 3.5 * place, _HEIGHT - 7)
    pen.line("button", _LEFT + 3.5 * pages, _HEIGHT - 7, _ROOM - 3.5 * pages)
    return pen.svg()


def _draw_texts(pen: _Pen, stages: Sequence[Stage]) -> None:
    """A column for each text: one sentence alone, the whole document, or a document with the sentence set off."""
    stage = max(stages, key=_columns)
    columns = _columns(stage)
    if not columns:
        return
    room = (_BORDER - 4) / columns
    lines = list(zip(_LINES, _LENGTHS, strict=True))
    part = lines[_JUDGED] if stage.unit is Unit.ISOLATED else lines
    for column in range(columns):
        for place, (y, length) in enumerate(part):
            share = _LENGTHS[(place + 2 * column) % len(_LENGTHS)] if columns > 1 else length
            pen.line("text", 5 + column * room, y, (room - 5) * share)
    if stage.unit is Unit.IN_CONTEXT:
        pen.box("now", 2.5, _LINES[_JUDGED][0] - 4.5, _BORDER - 5, 15)
    span_questions = [q for stage in stages for q in stage.questions if isinstance(q, Spans)]
    for side in sorted({side for question in span_questions for side in question.sides}):
        column = 0 if side == "source" else columns - 1
        pen.line("mark", 5 + column * room + 0.2 * room, _LINES[_JUDGED][0], 0.4 * room)


def _columns(stage: Stage) -> int:
    outputs = {Object.OUTPUT: 1, Object.OUTPUTS: stage.outputs}.get(stage.object, 0)
    beside = ("source", "reference") if stage.object is not Object.NONE else ()
    return min(4, outputs + sum(side in stage.show for side in beside))


def _control(question: Question, stage: Stage) -> tuple[float, Callable[[_Pen, float], None]]:
    """How high the control of a question is, and what draws it from there."""
    match question:
        case Scale(display="slider"):
            return 4, _draw_slider
        case Scale():
            steps = round((question.max - question.min) / question.step) + 1 if question.step else _MOST_STEPS
            return 4, lambda pen, y: _draw_cells(pen, y, min(steps, _MOST_STEPS), 4)
        case Rank():
            return 8, lambda pen, y: _draw_cells(pen, y, min(stage.outputs, _MOST_STEPS), 8)
        case Grid():
            rows = min(len(question.rows), 5)
            return 4 * rows - 2, lambda pen, y: _draw_grid(pen, y, rows, min(len(question.options), 4))
        case Choice():
            rows = min(len(question.options), 3)
            return 5 * rows - 2, lambda pen, y: _draw_options(pen, y, rows)
        case Labels():
            rows = min((len(question.options) + 1) // 2, 2)
            return 5 * rows - 1, lambda pen, y: _draw_labels(pen, y, rows)
        case Spans():
            rows = 1 if question.categories else 0
            return 3 + 6 * rows, lambda pen, y: _draw_marks(pen, y, rows)
        case Number():
            return 5, lambda pen, y: pen.box("edge", _LEFT, y, _ROOM / 3, 5)
        case _:
            return 5, lambda pen, y: pen.box("edge", _LEFT, y, _ROOM, 5)


def _draw_slider(pen: _Pen, y: float) -> None:
    pen.line("edge", _LEFT, y + 2, _ROOM)
    pen.line("dot", _LEFT + 0.7 * _ROOM, y + 2)


def _draw_cells(pen: _Pen, y: float, number: int, height: float) -> None:
    """Buttons side by side, one of them chosen."""
    width = (_ROOM + 2) / number - 2
    for place in range(number):
        pen.box("chosen" if place == number // 2 else "edge", _LEFT + place * (width + 2), y, width, height)


def _draw_grid(pen: _Pen, y: float, rows: int, columns: int) -> None:
    for row in range(rows):
        pen.line("text", _LEFT, y + 4 * row + 1, 7)
        for column in range(columns):
            style = "point" if column == (row * 2 + 1) % columns else "dim"
            pen.line(style, _LEFT + _ROOM - 4 * (columns - column) + 3, y + 4 * row + 1)


def _draw_options(pen: _Pen, y: float, rows: int) -> None:
    for row in range(rows):
        pen.line("point" if row == 1 else "dim", _LEFT + 1, y + 5 * row + 1)
        pen.line("text", _LEFT + 5, y + 5 * row + 1, (_ROOM - 5) * _LENGTHS[row])


def _draw_labels(pen: _Pen, y: float, rows: int) -> None:
    width = _ROOM / 2 - 1
    for place in range(2 * rows):
        style = "chosen" if place == 1 else "edge"
        pen.box(style, _LEFT + place % 2 * (width + 2), y + 5 * (place // 2), width, 3)


def _draw_marks(pen: _Pen, y: float, rows: int) -> None:
    """A mark in the list of marks, above its categories where it has some."""
    pen.line("mark", _LEFT, y + 1.5, _ROOM / 3)
    pen.line("text", _LEFT + _ROOM / 3 + 3, y + 1.5, _ROOM / 3)
    for row in range(rows):
        for place in range(3):
            pen.box("edge", _LEFT + place * _ROOM / 3, y + 5 + 6 * row, _ROOM / 3 - 2, 4)
