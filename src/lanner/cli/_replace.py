"""`lanner replace`: can this model replace a judge here, and what does it save?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from lanner.analysis import GROUPS
from lanner.analysis.material import Material
from lanner.analysis.scores import keep_on_scale, score_bounds
from lanner.cli._output import Output
from lanner.cli._source import Source
from lanner.errors import InputError, did_you_mean
from lanner.figures.typeset import estimate, p_value, percent
from lanner.model import Json, Result
from lanner.stats.replacement import replacement

_VERDICTS = {
    "replace": "{model} may replace a person here: it is as close to people as they are to each other.",
    "assist": "{model} may not replace a person here, but it helps: let it judge what people do not, and correct it.",
    "neither": "{model} may not replace a person here, and it saves little.",
    "unknown": "Nothing can be said about {model}: too few items were judged by it and by two people.",
}


def run(source: Source, model: str, question: str | None, epsilon: float, as_json: bool) -> None:
    """Say whether a model can replace a judge, how its scores differ from people's, and what it saves."""
    if not 0 <= epsilon < 1:
        raise InputError(
            "Epsilon lies between 0 and 1.", next_step="0.2 for experts, 0.15 for trained people, 0.1 else."
        )
    output = Output("replace", as_json)
    parts = [source.part_that_asks(question)] if question else source.parts()
    for part in parts:
        table = part.counted(of=tuple(GROUPS)).table
        for name in _questions(part, table, model, question):
            result = replacement(table, name, model=model, epsilon=epsilon)
            result = keep_on_scale(result, score_bounds(part.protocol, name, {}))
            _print(output, result, part.name, name)
    output.end()


def _questions(part: Material, table: pl.DataFrame, model: str, question: str | None) -> list[str]:
    judges = table["judge"].unique().sort().to_list()
    if model not in judges:
        raise InputError(f"There is no judge {model!r} in {part.name}.", next_step=did_you_mean(model, judges))
    answers = table.filter(pl.col("label").is_not_null() | pl.col("score").is_not_null())
    own = set(answers.filter(pl.col("judge") == model)["question"])
    names = [name for name in answers["question"].unique(maintain_order=True) if name in own]
    if question is None:
        return names
    if question not in names:
        raise InputError(f"{model} did not answer {question!r}.", next_step=did_you_mean(question, names))
    return [question]


def _print(output: Output, result: Result, part: str, question: str) -> None:
    output.notes.extend(note for note in result.notes if note not in output.notes)
    output.sign(result.signature)
    kinds: dict[str, list[dict[str, Json]]] = {}
    for row in result.rows:
        about = {"part": part, "question": question, "signature": str(result.signature or "")}
        kinds.setdefault(row["kind"], []).append({**about, **row, **_texts(row)})
    tables: tuple[tuple[str, list[str | tuple[str, str]], str], ...] = (
        ("person", ["person", "items", ("closer", "model as close"), ("p_text", "p (corrected)"), "beaten"],
         "Left out in turn: is the model as close to the others?"),
        ("line", ["term", ("estimate", "people's score on the model's [95 %]"), ("p_text", "p")], "Calibration"),
        ("bias", [("estimate", "model less people [95 %]"), ("p_text", "p")], ""),
        ("system", ["system", ("estimate", "people and model [95 %]"), ("people_text", "people alone [95 %]"),
                    ("gain_text", "worth")], "Means of systems, corrected by people"),
        ("label", ["label", ("estimate", "share, put right [95 %]"), ("model_text", "model"),
                   ("people_text", "people, where they judged")], "Shares of labels"),
    )  # fmt: skip
    output.say(f"{part} · {question}", style="bold")
    for sentence in _words(kinds["verdict"][0]):
        output.say(sentence)
    output.rows.extend(kinds["verdict"])
    for kind, columns, heading in tables:
        if kinds.get(kind):
            output.say()
            output.table(kinds[kind], columns, title=heading)
    output.say()


def _texts(row: Mapping[str, Json]) -> dict[str, Json]:
    """Numbers of a row as they are printed."""
    shown: dict[str, Json] = {}
    if row["kind"] in ("line", "bias", "system"):
        shown["estimate"] = estimate(row["value"], row["low"], row["high"], 2, bounded=False)
    if row["kind"] in ("line", "bias"):
        shown["p_text"] = p_value(row["p"])
    if row["kind"] == "person":
        shown |= {"closer": percent(row["advantage"], 0), "p_text": p_value(row["p_corrected"])}
    if row["kind"] == "system":
        shown["people_text"] = estimate(row["people"], row["people_low"], row["people_high"], 2, bounded=False)
        shown["gain_text"] = f"{row['gain']:.1f} × people's answers" if row["gain"] else None
    if row["kind"] == "label":
        shown["estimate"] = estimate(row["value"], row["low"], row["high"], 2)
        shown |= {"model_text": percent(row["model"], 0), "people_text": percent(row["people"], 0)}
    return shown


def _words(verdict: Mapping[str, Json]) -> Iterator[str]:
    yield _VERDICTS[verdict["verdict"]].format(model=verdict["model"])
    if verdict["winning_rate"] is not None:
        yield f"It beats {percent(verdict['winning_rate'], 0)} of {verdict['people']} people; half are enough."
    if verdict["saves"] is not None and verdict["saves_measured"]:
        yield f"At the same precision it saves {percent(verdict['saves'], 0)} of the human judgements."
    elif verdict["saves"] is not None:
        yield (
            f"If it judges much more than people do, it can save up to {percent(verdict['saves'], 0)} of the human "
            "judgements at the same precision."
        )
