"""What a number means, in words for people who did not compute it; and on which published scale it is read."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Result
from lanner.stats.resample import FEW


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(resources.files("lanner.stats").joinpath("scales.toml").read_text(encoding="utf-8"))


def band(value: float, scale: str) -> str:
    """The reading of a value on a published scale."""
    scales = _words()["scale"]
    if scale not in scales:
        raise StatisticError(f"There is no scale {scale!r}.", next_step=did_you_mean(scale, scales))
    if scales[scale].get("either_sign"):
        value = abs(value)
    text: str = scales[scale]["below"]
    for entry in scales[scale]["bands"]:
        if round(value, 2) >= entry["from"]:
            text = entry["reading"]
    return text


def scale_of(statistic: str) -> str | None:
    """The published scale that is customary for a statistic, if there is one."""
    return next((name for name, scale in _words()["scale"].items() if statistic in scale["for"]), None)


def meaning(result: Result) -> str:
    """What the statistic measures and what would change it, without the number's own reading."""
    words = _words()["meaning"].get(result.name, {})
    title = words.get("title", result.name)
    return " ".join(filter(None, (f"{title} is {words['says']}" if "says" in words else "", words.get("changes", ""))))


def reading(result: Result, *, scale: str | None = None, brief: bool = False) -> str:
    """What a Result says: the number and its meaning, the bands it and its interval fall in, what would change it. A
    `brief` one has the number and its bands alone, for readers who have just read the rest of another number."""
    words = _words()
    meaning = words["meaning"].get(result.name, {})
    title = meaning.get("title", result.name)
    if result.value is None:
        return f"{title}: no value. {' '.join(result.notes[:1])}".strip()
    number = (f"{result.value:.0%}" if meaning.get("share") else f"{result.value:.2f}").replace("-", "−")
    says = "says" in meaning and not brief
    sentences = [f"{title} {number}: {meaning['says']}" if says else f"{title} {number}."]
    scale = scale or scale_of(result.name)
    if scale:
        sentences.append(_on_scale(result, scale, cited=not brief))
    elif result.interval:
        sentences.append(
            f"With {result.interval.level:.0%} confidence between {_ends(result, bool(meaning.get('share')))}."
        )
    if brief:
        return " ".join(sentences)
    sentences += [meaning["changes"]] if "changes" in meaning else []
    documents = result.counts.get("documents")
    if documents is not None and documents < FEW:
        sentences.append(
            f"It rests on {documents} document{'s' if documents != 1 else ''}; more documents would narrow the "
            "interval, more sentences of the same ones hardly."
        )
    return " ".join(sentences)


def _ends(result: Result, share: bool) -> str:
    assert result.interval is not None
    ends = (result.interval.low, result.interval.high)
    return " and ".join(f"{end:.0%}" if share else f"{end:.2f}" for end in ends).replace("-", "−")


def _on_scale(result: Result, scale: str, *, cited: bool = True) -> str:
    assert result.value is not None
    here = band(result.value, scale)
    if result.interval and result.value < 0 <= result.interval.high and not _words()["scale"][scale].get("either_sign"):
        here = "no agreement beyond chance"  # a little below nought says nothing worse than nought
    on_scale = (
        f"On the scale of {_words()['scale'][scale]['citation']}: {here}" if cited else here[:1].upper() + here[1:]
    )
    if result.interval is None:
        return f"{on_scale}."
    ends = (result.interval.low, result.interval.high)
    low, high = (band(end, scale) for end in ends)
    between = f"With {result.interval.level:.0%} confidence between {_ends(result, share=False)}"
    if _words()["scale"][scale].get("either_sign") and ends[0] < 0 < ends[1]:
        return f"{on_scale}. {between}: no relation at all is possible, too."
    if low == high:
        return f"{on_scale}. {between}, all of it {here}."
    worst = low.partition(":")[0]  # the reason behind a band would break the sentence
    return f"{on_scale}. {between}: from {worst} to {high}."
