"""What every protocol file must do, whoever wrote it: load, say everything in words, make a schema and a prompt, answer
itself, be assigned, be stored, be scored and be analysed."""

from __future__ import annotations

from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from lanner import campaign, designs, protocols
from lanner.judges.prompt import prompt
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, Protocol, Segment, Stage, Task, Unit
from lanner.model.protocol import Wording
from lanner.protocols.answers import stage_schema
from lanner.protocols.derived import derive
from lanner.protocols.reading import mistakes
from lanner.stats.frame import frame
from lanner.store import Store

NAMES = protocols.names()
FOLDER = Path(protocols.__file__).parent
SENTENCE = "The harbour master said she would wait for the tide before the ferry left, as {n} always did."
TEXTS = [
    Document(
        f"d{d}",
        tuple(
            Segment(
                f"{n}",
                SENTENCE.format(n=f"he{n}"),
                {name: f"{name} " + SENTENCE.format(n=f"{d}{n}") for name in ("alder", "birch")},
                meta={"spans": {"alder": [{"start": 0, "end": 5, "severity": "minor"}]}},
            )
            for n in range(3)
        ),
        "en",
        "de",
        "news",
        glossary={"ferry": "Fähre"},
    )
    for d in range(4)
]
JUDGES = [Judge(f"j{n}", attributes={"target_language": "de"}) for n in range(4)]
SYSTEMS = ["alder", "birch"]


def design_of(protocol: Protocol) -> tuple[str, dict[str, Any]]:
    """A design that suits the protocol's factors."""
    if any(stage.arm for stage in protocol.stages):
        return "parity", {}
    scenarios = {stage.scenario for stage in protocol.stages if stage.scenario}
    return ("latin_square", {"rated": ["alder"]}) if len(scenarios) > 1 else ("full", {})


def setup_of(protocol: Protocol) -> tuple[list[Document], list[Judge]]:
    """As little as the design needs."""
    return (TEXTS, JUDGES) if design_of(protocol)[0] != "full" else (TEXTS[:2], JUDGES[:2])


def tasks_of(protocol: Protocol) -> list[Task]:
    design, options = design_of(protocol)
    rng = np.random.default_rng(1)
    return designs.assign(design, *setup_of(protocol), protocol, rng=rng, systems=SYSTEMS, **options)


def stages_and_languages() -> list[tuple[str, str]]:
    return [(name, language) for name in NAMES for language in protocols.load(name).text]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_sound_and_named_as_it_calls_itself(name: str) -> None:
    assert mistakes(FOLDER / f"{name}.toml") == []
    protocol = protocols.load(name)
    assert protocol.name == name
    assert Protocol.model_validate_json(protocol.model_dump_json(by_alias=True)).hash == protocol.hash


@pytest.mark.parametrize(("name", "language"), stages_and_languages())
def test_everything_a_judge_meets_has_words(name: str, language: str) -> None:
    """In a language that a protocol has, nothing falls back to English or to an id."""
    protocol = protocols.load(name)
    alone = Wording(protocol.model_copy(update={"text": {language: protocol.text[language]}}), language)
    for key in ("title", "summary"):
        assert alone.line(key), key
    asked_of_texts = any(stage.unit is not Unit.JUDGE for stage in protocol.stages)
    assert alone.line("instructions") or not asked_of_texts
    for stage, question in protocol.questions:
        assert alone.stage(stage.id), stage.id
        said = protocol.text[language]
        assert said["questions"][question.id]["label"]
        for option in question.choices:
            own = said["questions"][question.id].get("options", {})
            numeral = option.id.isdigit()
            assert numeral or option.id in own or option.id in said.get("options", {}), option.id
    for group in protocol.groups:
        assert group in protocol.text[language]["groups"]


@pytest.mark.parametrize("name", NAMES)
def test_schema_and_prompt_of_every_page(name: str) -> None:
    protocol = protocols.load(name)
    seen = {}
    for task in tasks_of(protocol):
        seen.setdefault(task.page, task.items[0])
    for page, item in seen.items():
        stages: tuple[Stage, ...] = protocol.pages[page]
        Draft202012Validator.check_schema(stage_schema(stages))
        if not item.document:
            continue
        document = next(d for d in TEXTS if d.id == item.document)
        made = prompt(protocol, stages, document, item, answers={"skills": ["style_register"]})
        Draft202012Validator.check_schema(dict(made.schema))
        for stage in stages:
            for question in stage.questions:
                assert question.id in made.system + made.user or question.id in made.schema["properties"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_assigned_answered_stored_scored_and_analysed(name: str, tmp_path: Path) -> None:
    protocol = protocols.load(name)
    design, options = design_of(protocol)
    texts, judges = setup_of(protocol)
    store = Store.open(tmp_path / "lanner.db")
    try:
        campaign.create(store, name, texts, protocol, judges, design=design, options=options, seed=1)
        campaign.open(store, name)
        answered = fill(store, name, {j.id: Temper() for j in judges}, {"alder": 0.8, "birch": 0.4}, seed=1)
        judgements = campaign.judgements(store, name)
    finally:
        store.close()
    assert answered == sum(len(task.items) for task in tasks_of(protocol))
    asked_first = {q.id for s, q in protocol.questions if q.required and not q.when and not s.when and not s.promotion}
    assert asked_first <= {judgement.question for judgement in judgements}
    scored = list(derive(protocol, judgements))
    promoted = {question.id for stage in protocol.stages if stage.promotion for question in stage.questions}
    expected = {score.id for score in protocol.scores if score.question not in promoted}
    assert expected <= {judgement.question for judgement in scored}
    table = frame([*judgements, *scored], protocol, texts, judges)
    assert set(table["question"]) >= asked_first | expected
    assert set(table["judge"]) == {judge.id for judge in judges}


@pytest.mark.parametrize("name", NAMES)
def test_the_analysis_plan_names_statistics_that_exist(name: str) -> None:
    for analysis in protocols.load(name).analyses:
        family, _, statistic = analysis.statistic.partition(".")
        if util.find_spec(f"lanner.stats.{family}") is None:
            assert family in COMING, f"{analysis.statistic}: there is no lanner.stats.{family}"
            continue
        assert hasattr(import_module(f"lanner.stats.{family}"), statistic), analysis.statistic


COMING: set[str] = set()
"""Families of statistics that plans name before they are built."""


def places(table: dict[str, object], above: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    inner = [places(value, (*above, key)) for key, value in table.items() if isinstance(value, dict)]
    return {(*above, key) for key, value in table.items() if not isinstance(value, dict)}.union(*inner)


@pytest.mark.parametrize("name", NAMES)
def test_every_protocol_speaks_the_eight_languages_of_the_pages(name: str) -> None:
    """A judge whose page is Korean meets no English sentence, in no protocol and no questionnaire."""
    text = protocols.load(name).text
    assert set(text) == {"en", "ko", "de", "es", "pt", "zh", "ja", "ar"}
    for language in text:
        assert places(text[language]) == places(text["en"]), language


@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_translation_is_left_in_english(name: str) -> None:
    text = protocols.load(name).text
    for language in set(text) - {"en"}:
        for key in ("summary", "instructions", "when_to_use"):
            if key in text["en"]:
                assert text[language][key] != text["en"][key], (language, key)
