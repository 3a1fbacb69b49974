"""What a model judge is: which models, asked how, how often, and how their answers become one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from lanner.errors import LannerError
from lanner.judges.prompt import PromptSettings
from lanner.judges.providers import Endpoint
from lanner.model import Json, Judge, JudgeKind
from lanner.protocols.kinds.base import Rule

Calls = Literal["stages", "pages", "skills", "documents"]
"""One call per stage of a page (as FALCON was published), per page, per document (all its sentences at once), or per
skill: what is asked for each of several labels or rows is asked about one at a time."""


LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
"""How providers call the limit on the length of a reply."""


def require_at_least(least: float, **values: float | None) -> None:
    """Refuse settings below a bound, and those that are no finite number; None is a setting that was not given."""
    for name, value in values.items():
        if value is not None and not (math.isfinite(value) and value >= least):
            raise LannerError(f"{name} = {value:g} cannot be.", next_step=f"Give {least:g} or more.")


def require_above_zero(**values: float | None) -> None:
    """Refuse settings that are not above zero, and those that are no finite number."""
    for name, value in values.items():
        if value is not None and not (math.isfinite(value) and value > 0):
            raise LannerError(f"{name} = {value:g} cannot be.", next_step="Give a number above 0.")


@dataclass(frozen=True, slots=True)
class Member:
    """A model at a server, and how it is sampled. Prices are per million tokens; None where not known."""

    model: str
    endpoint: Endpoint
    temperature: float | None = None
    seed: int | None = 0
    max_tokens: int | None = 2000
    price_in: float | None = None
    price_out: float | None = None
    price_cached: float | None = None
    top_p: float | None = None
    effort: str = ""
    """How long the model is to think, in the provider's own words."""
    weighted: bool = False
    """Whether scores are weighted by the probabilities of their tokens."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Fields of the user's own for every request."""

    def __post_init__(self) -> None:
        prices = {name: getattr(self, name) for name in ("price_in", "price_out", "price_cached")}
        require_at_least(0, temperature=self.temperature, **prices)
        require_at_least(1, max_tokens=self.max_tokens)
        require_above_zero(timeout=self.endpoint.timeout, top_p=self.top_p)
        if self.top_p is not None and self.top_p > 1:
            raise LannerError(f"top_p = {self.top_p:g} is no probability.", next_step="Give a number from 0 to 1.")

    @property
    def sampling(self) -> dict[str, Json]:
        """Settings beyond the usual ones, as far as they are given: what makes it another judge."""
        values = {"top_p": self.top_p, "effort": self.effort, "weighted": self.weighted, "extra": dict(self.extra)}
        return {name: value for name, value in values.items() if value}

    @property
    def longest_reply(self) -> int | None:
        """The most tokens that a reply is allowed to have; fields of the user's own may allow more, or several."""
        settings: list[Mapping[str, Json]] = [self.extra]
        settings += [entry for entry in self.extra.values() if isinstance(entry, Mapping)]
        own = [settings_of[name] for settings_of in settings for name in LENGTHS if name in settings_of]
        limits = [limit for limit in (self.max_tokens, *own) if isinstance(limit, int)]
        copies = self.extra.get("n")
        return max(limits) * (copies if isinstance(copies, int) and copies > 1 else 1) if limits else None

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float | None:
        """What so many tokens cost; `cached` of those sent were known to the server from an earlier request."""
        if self.price_in is None or self.price_out is None:
            return None
        cached = min(cached, tokens_in)
        price_cached = self.price_in if self.price_cached is None else self.price_cached
        return ((tokens_in - cached) * self.price_in + cached * price_cached + tokens_out * self.price_out) / 1e6


@dataclass(frozen=True, slots=True)
class Plan:
    """One judge: a model, or a panel of several whose answers are combined. `reasks` bounds how often a wrong answer
    is sent back; `swap` asks about pairs in both orders; `shuffle` shows options in another order for each sample."""

    judge: str
    members: tuple[Member, ...]
    settings: PromptSettings = field(default_factory=lambda: PromptSettings(comments=False))
    calls: Calls = "stages"
    samples: int = 1
    rule: Rule = "majority"
    swap: bool = False
    shuffle: bool = False
    examples: int = 0
    reasks: int = 2

    def __post_init__(self) -> None:
        if not self.members:
            raise LannerError("A judge needs at least one model.", next_step="Give --model.")
        require_at_least(1, samples=self.samples)
        require_at_least(0, few_shot=self.examples, reasks=self.reasks)
        if any(member.weighted for member in self.members) and self.calls == "documents":
            raise LannerError(
                "Weighted scores are for one sentence a call.", next_step="Leave out weighted or --set mode=documents."
            )
        if self.calls == "documents" and (self.swap or self.shuffle or self.examples):
            what = "Documents at once cannot be combined with swap, shuffle or examples."
            raise LannerError(what, next_step="Leave one of them out.")

    @property
    def attributes(self) -> dict[str, Json]:
        """What is kept with the judge, so that anyone can see how its answers were made. Prices and keys are not."""
        return {
            "models": [member.model for member in self.members],
            "servers": sorted({member.endpoint.base_url for member in self.members}),
            "temperature": [member.temperature for member in self.members],
            "seed": [member.seed for member in self.members],
            "providers": sorted({member.endpoint.provider for member in self.members}),
            "sampling": [member.sampling for member in self.members],
            "template": self.settings.template.label,
            "shown": {name: getattr(self.settings, name) for name in ("context", "language", "comments")},
            **{name: getattr(self, name) for name in ("calls", "samples", "rule", "swap", "shuffle", "examples")},
        }

    def as_judge(self) -> Judge:
        name = self.judge if len(self.members) == 1 else f"{self.judge} ({len(self.members)} models)"
        return Judge(self.judge, JudgeKind.MODEL, name, self.attributes)


def refuse_one_name(plans: Sequence[Plan]) -> None:
    """Refuse plans of which two would be the same judge: each would ask all of its questions."""
    for name, number in Counter(plan.judge for plan in plans).items():
        if number > 1:
            raise LannerError(
                f"{number} of these models would be the judge {name!r}.",
                next_step="Run each by itself under a name of its own, with --as, or make them one with "
                "--set panel=true.",
            )


def differences(stored: Mapping[str, Json], current: Mapping[str, Json]) -> list[str]:
    """What a judge was run with before that is not as it is now; where the server stands does not count."""
    return [
        name
        for name, value in current.items()
        if name not in ("servers", "providers") and name in stored and stored[name] != value
    ]


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run goes and how fast. `tries` bounds how often a request is repeated that got no answer at all;
    `backoff` is the first pause before that, in seconds, doubled each time."""

    in_flight: int = 64
    rpm: float | None = None
    tpm: float | None = None
    max_cost: float | None = None
    items: int | None = None
    tries: int = 6
    backoff: float = 0.5
    retry_missing: bool = False
    hopeless: int = 20
    """After so many items without one valid answer a judge is asked no more: the rest would fare no better."""
    silences: int = 8
    """After so many time-outs in a row, without a byte in between, a server counts as gone."""

    def __post_init__(self) -> None:
        require_at_least(1, in_flight=self.in_flight, tries=self.tries)
        require_at_least(0, max_cost=self.max_cost, limit=self.items)
        require_above_zero(rpm=self.rpm, tpm=self.tpm)


@dataclass(slots=True)
class Totals:
    """What a run has come to so far. `open` is how many items there were to do at its beginning; `waiting` are those
    that cannot be asked about before an earlier page is answered; `fewer` are answered by fewer models, samples or
    orders than were asked; `estimated` are replies whose tokens were counted here, since the server did not say;
    `overlong` are longer than a reply was allowed to be; `several_places` are answers with a mark whose words stand in
    the text more than once; `own_temperature` came without the temperature that was asked for, which the server does
    not take; `means` are the ways in which models were held to the schema; `problem` says why the last of those that
    failed got no answer."""

    open: int = 0
    items: int = 0
    missing: int = 0
    failed: int = 0
    waiting: int = 0
    fewer: int = 0
    calls: int = 0
    cached: int = 0
    reasks: int = 0
    repairs: int = 0
    overloads: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    priced: bool = True
    stopped: str = ""
    is_out_of_money: bool = False
    problem: str = ""
    estimated: int = 0
    overlong: int = 0
    several_places: int = 0
    own_temperature: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    means: Counter[str] = field(default_factory=Counter)
    answered_as: Counter[str] = field(default_factory=Counter)

    @property
    def settled(self) -> int:
        return self.items + self.missing + self.failed + self.waiting

    @property
    def expected_cost(self) -> float | None:
        """The cost of the whole run, if the rest costs what the beginning did."""
        return self.cost * self.open / self.settled if self.priced and self.settled else None

    def add(self, other: Totals) -> None:
        """Put the totals of another part (a shard, a worker) to these."""
        for each in fields(self):
            if each.type in ("int", "float", "Counter[str]"):
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        self.priced = self.priced and other.priced
        self.stopped = self.stopped or other.stopped
        self.is_out_of_money = self.is_out_of_money or other.is_out_of_money
        self.problem = other.problem or self.problem
