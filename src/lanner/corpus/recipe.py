"""A recipe is a TOML file that names the steps of a preparation, in order, so that another person can repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from lanner import registry
from lanner.corpus import cleaning, difficulty, segmenters
from lanner.corpus.systems import METRICS
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.model import Json
from lanner.protocols.reading import TomlLines

SHIPPED = Path(__file__).parent / "recipes"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _among(kind: str, choices: Sequence[str]) -> AfterValidator:
    def check(names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in choices:
                raise ValueError(f"There is no {kind} {name!r}. {did_you_mean(name, choices)}")
        return names

    return AfterValidator(check)


class Normalise(_Part):
    """Composed characters, line ends, white space at the edges. `escaped_newlines` reads \\n as a line end."""

    do: Literal["normalise"]
    rules: Annotated[tuple[str, ...], _among("rule", tuple(cleaning.NORMALISATIONS))] = cleaning.DEFAULT_NORMALISATIONS
    escaped_newlines: bool = False


class Filter(_Part):
    """Flag (or drop) segments that break a rule."""

    do: Literal["filter"]
    rules: Annotated[tuple[str, ...], _among("rule", cleaning.FILTERS)]
    action: Literal["flag", "drop"] = "flag"
    domains: tuple[str, ...] = ()
    max_words: int = Field(default=200, gt=0)

    @model_validator(mode="after")
    def _names_domains(self) -> Filter:
        if "domain" in self.rules and not self.domains:
            raise ValueError("The rule 'domain' needs domains = [...] to say which.")
        return self


class Choose(_Part):
    """Keep the outputs of named systems, or of the best: by scores given here or by the caller, by scores that the
    segments carry (`column`), or by an automatic `metric` against a `reference` (the first unless named). The metric
    may be any that `lanner metric` knows, with its `options`: metric = "comet", options = { model = "FOLDER" }."""

    do: Literal["choose"]
    systems: tuple[str, ...] = ()
    best: int | None = Field(default=None, gt=0)
    scores: dict[str, float] = {}
    column: str = ""
    metric: str = ""
    options: dict[str, Json] = {}
    reference: str = ""
    higher_is_better: bool = True

    @model_validator(mode="after")
    def _one_way(self) -> Choose:
        if bool(self.systems) == bool(self.best):
            raise ValueError("Give either systems = [...] or best = N.")
        if sum(map(bool, (self.scores, self.column, self.metric))) > 1:
            raise ValueError("Give one of scores, column and metric.")
        names = list(dict.fromkeys((*METRICS, *(name.replace("_", "-") for name in registry.names("metrics")))))
        if self.metric and self.metric not in names:
            raise ValueError(f"There is no metric {self.metric!r}. {did_you_mean(self.metric, names)}")
        if self.options and not self.metric:
            raise ValueError('Options are those of a metric: name it, for instance metric = "comet".')
        return self


class Split(_Part):
    """Cut segments into sentences and align all their texts; rows below the threshold are listed as doubtful."""

    do: Literal["split"]
    segmenters: dict[str, str] = {}
    threshold: float = Field(default=0.8, ge=0, le=1)

    @model_validator(mode="after")
    def _known_segmenters(self) -> Split:
        for name in self.segmenters.values():
            if name not in segmenters.names():
                raise ValueError(f"There is no segmenter {name!r}. {did_you_mean(name, segmenters.names())}")
        return self


class Sample(_Part):
    """Draw a number of sentences with the shares of the domains kept, or with the `shares` that are stated."""

    do: Literal["sample"]
    sentences: int = Field(gt=0)
    shares: dict[str, Annotated[int, Field(gt=0)]] = {}
    clip: int | None = Field(default=None, gt=0)
    avoid: tuple[str, ...] = ()


class Difficult(_Part):
    """Draw documents that are expected to be hard or to tell systems apart (`by`), with probabilities that are kept.
    `columns` name scores that segments carry for each system; `floor` is the share of the preference that is the same
    for all documents."""

    do: Literal["difficult"]
    sentences: int = Field(gt=0)
    by: Annotated[tuple[str, ...], _among("criterion", tuple(difficulty.CRITERIA))] = ("source",)
    columns: tuple[str, ...] = ()
    floor: float = Field(default=0.3, gt=0, le=1)

    @model_validator(mode="after")
    def _names_criteria(self) -> Difficult:
        if not self.by or len(set(self.by)) != len(self.by):
            raise ValueError(f"Name each criterion once: {', '.join(difficulty.CRITERIA)}.")
        return self


Step = Annotated[Normalise | Filter | Choose | Split | Sample | Difficult, Field(discriminator="do")]
STEPS: dict[str, type[_Part]] = {
    "normalise": Normalise,
    "filter": Filter,
    "choose": Choose,
    "split": Split,
    "sample": Sample,
    "difficult": Difficult,
}


class Recipe(_Part):
    """The steps, and the languages of texts that do not say theirs."""

    name: str
    description: str = ""
    seed: int = 0
    source_language: str = ""
    target_language: str = ""
    steps: tuple[Step, ...] = Field(alias="step", min_length=1)


def with_difficult(recipe: Recipe, sentences: int, by: Sequence[str]) -> Recipe:
    """The recipe with one more step that draws hard texts."""
    try:
        step = Difficult(do="difficult", sentences=sentences, by=tuple(by))
    except ValidationError as error:
        problem = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        raise InputError(problem, next_step=f"Criteria are {', '.join(difficulty.CRITERIA)}.") from None
    return recipe.model_copy(update={"steps": (*recipe.steps, step)})


def shipped_names() -> tuple[str, ...]:
    """The names of the recipes that come with Lanner."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def find(name: str | Path) -> Path:
    """The file of a recipe: a path, or the name of one of ours."""
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError(
                f"There is no file {str(path)!r}.",
                next_step="Give the path of a recipe, or one of: " + ", ".join(shipped_names()) + ".",
            )
        return path
    own = SHIPPED / f"{name}.toml"
    if not own.is_file():
        raise LannerError(
            f"There is no recipe called {str(name)!r}.", next_step=did_you_mean(str(name), shipped_names())
        )
    return own


def load(name: str | Path) -> Recipe:
    """A recipe from a file or from ours, by name."""
    path = find(name)
    try:
        return parse(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise InputError("This file is not UTF-8 text.", where=Where(path), next_step="Save it as UTF-8.") from error


def parse(text: str, file: str | Path | None = None) -> Recipe:
    """A recipe from its text. The first mistake is shown with its line and what was probably meant."""
    table = registry.toml_table(text, file)
    try:
        return Recipe.model_validate(table)
    except ValidationError as error:
        raise _mistake(text, file, error.errors()[0]) from error


def _mistake(text: str, file: str | Path | None, error: Any) -> InputError:
    place = [part for part in error["loc"] if part not in STEPS]
    key = next((str(part) for part in reversed(place) if isinstance(part, str) and part != "step"), "")
    where = Where(file, TomlLines(text).find(place))
    step_name = next((part for part in error["loc"] if part in STEPS), None)
    fields = list((STEPS[step_name] if step_name else Recipe).model_fields)
    if error["type"] == "extra_forbidden":
        names = ["step" if name == "steps" else name for name in fields]
        return InputError(f"Unknown key {key!r}.", where=where, next_step=did_you_mean(key, names))
    if error["type"] == "union_tag_invalid":
        tag = error["ctx"]["tag"]
        return InputError(f"There is no step {tag!r}.", where=where, next_step=did_you_mean(tag, STEPS))
    if error["type"] == "union_tag_not_found":
        return InputError(
            "This step does not say what to do.",
            where=where,
            next_step=f'Add do = "..." with one of: {", ".join(STEPS)}.',
        )
    if error["type"] == "missing":
        return InputError(
            f"{key or 'step'!r} is missing.",
            where=where,
            next_step=f"Add {'[[step]]' if key in ('', 'step') else key + ' = ...'}.",
        )
    what, _, hint = error["msg"].removeprefix("Value error, ").partition(". ")
    return InputError(
        f"{key}: {what}." if key and error["type"] != "value_error" else f"{what.rstrip('.')}.",
        where=where,
        next_step=hint,
    )
