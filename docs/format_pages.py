"""The pages of the formats: what the code says of each, what `formats.toml` says, and what trying it out shows.

The example of a page is read, and texts and answers are written and read again, when the page is made: what it says of
reading and of losses is what happened.
"""

from __future__ import annotations

import inspect
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from lanner import formats, protocols
from lanner.cli import slug
from lanner.errors import LannerError
from lanner.formats import Reading
from lanner.model import Document, Judge, JudgeKind, Judgement, Role, Segment

DOCS = Path(__file__).resolve().parent
_LONGEST = 160

# what is written and read again

Read = list[Reading]
_TEXTS = Document(
    "ferry",
    (
        Segment("0", "The ferry is late.", {"oak": "배가 늦습니다."}),
        Segment("1", "We waited.", {"oak": "기다렸습니다."}),
    ),
    "en",
    "ko",
)
_ANA = Judge("ana")
_SCORE = Judgement("ana", "rating", "score", "ferry", "0", ("oak",), 80)
_SPAN = {"side": "target", "start": 0, "end": 2, "text": "배가", "severity": "minor", "category": "accuracy"}
_MARKS = replace(_SCORE, stage="marking", question="errors", value=[_SPAN])
_ANSWERED = {"wmt_mqm": _MARKS, "appraise_scores": _SCORE}
"""Formats of judgements alone: texts come back as far as somebody answered about them."""
_NAMES = {"table": "t.csv", "native": "t.jsonl", "tmx": "t.tmx", "xliff": "t.xlf", "wmt_xml": "t.xml"}
_NAMES |= {"wmt24pp": "t.jsonl", "wmt_mqm": "t.tsv", "appraise_scores": "t.csv", "appraise_batches": "t.json"}
_NAMES |= {"pearmut": "t.json"}


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to be kept: how texts or an answer have it, and how to see it in what is read again."""

    words: str
    seen: Callable[[Read], Any]
    texts: Callable[[Document], Document] | None = None
    answer: Callable[[Judgement], Judgement] | None = None
    judge: Judge = _ANA


def _each(document: Document, **changes: Any) -> Document:
    return replace(document, segments=tuple(replace(segment, **changes) for segment in document))


def _first(read: Read) -> Document:
    return next(document for reading in read for document in reading.documents)


def _words(segment: Segment) -> list[str]:
    return [segment.source, *segment.outputs.values(), *segment.references.values()]


def _answers(read: Read) -> list[Judgement]:
    return [judgement for reading in read for judgement in reading.judgements]


def _judges(read: Read) -> list[Judge]:
    return [judge for reading in read for judge in reading.judges]


def _line(document: Document, text: str) -> Document:
    first, *rest = document.segments
    return replace(document, segments=(replace(first, source=text), *rest))


_WHEN = datetime(2026, 3, 1, 10, tzinfo=UTC)
_TEXT_TRIALS = (
    Trial("the texts", lambda read: [_words(segment) for segment in _first(read)], lambda d: d),
    Trial("the name of the system", lambda read: _first(read).systems, lambda d: d),
    Trial(
        "outputs of two systems",
        lambda read: [dict(s.outputs) for s in _first(read)],
        lambda d: _each(d, outputs={"oak": "하나.", "elm": "둘."}),
    ),
    Trial(
        "a reference",
        lambda read: [list(segment.references.values()) for segment in _first(read)],
        lambda d: _each(d, references={"A": "참."}),
    ),
    Trial("ids of documents", lambda read: _first(read).id, lambda d: replace(d, id="letter-7")),
    Trial(
        "ids of segments",
        lambda r: [s.id for s in _first(r)],
        lambda d: replace(d, segments=(replace(d.segments[0], id="s7"),)),
    ),
    Trial("the language pair", lambda read: _first(read).language_pair, lambda d: d),
    Trial("domain", lambda read: _first(read).domain, lambda d: replace(d, domain="news")),
    Trial("title", lambda read: _first(read).title, lambda d: replace(d, title="On the pier")),
    Trial("paragraphs", lambda r: [s.paragraph for s in _first(r)], lambda d: _each(d, paragraph=1)),
    Trial("line breaks in texts", lambda r: _first(r).segments[0].source, lambda d: _line(d, "The ferry\nis late.")),
    Trial(
        "text that is shown and not judged", lambda r: [s.judged for s in _first(r)], lambda d: _each(d, judged=False)
    ),
    Trial(
        "further fields of segments",
        lambda r: [dict(s.meta) for s in _first(r)],
        lambda d: _each(d, meta={"mood": "calm"}),
    ),
)
_ANSWER_TRIALS = (
    Trial(
        "scores",
        lambda read: [float(j.value) for j in _answers(read) if j.question == "score" and j.value is not None],
        answer=lambda _: _SCORE,
    ),
    Trial(
        "marks of errors",
        lambda r: [
            [(s["start"], s["end"], s["severity"]) for s in j.value] for j in _answers(r) if j.question == "errors"
        ],
        answer=lambda _: _MARKS,
    ),
    Trial(
        "choices",
        lambda read: [j.value for j in _answers(read) if j.question == "context"],
        answer=lambda j: replace(j, question="context", value="local"),
    ),
    Trial(
        "comments",
        lambda read: [j.value for j in _answers(read) if j.question == "comment"],
        answer=lambda j: replace(j, question="comment", value="odd"),
    ),
    Trial(
        "seconds spent",
        lambda r: [j.elapsed_seconds for j in _answers(r)],
        answer=lambda j: replace(j, elapsed_seconds=9.5, answered_at=_WHEN),
    ),
    Trial(
        "when it was answered",
        lambda r: [j.answered_at for j in _answers(r)],
        answer=lambda j: replace(j, answered_at=_WHEN),
    ),
    Trial(
        "controls and repeats", lambda r: [j.role for j in _answers(r)], answer=lambda j: replace(j, role=Role.CONTROL)
    ),
    Trial("who judged", lambda read: [j.judge for j in _answers(read)], answer=lambda j: j),
    Trial(
        "that a judge is a model",
        lambda read: [judge.kind for judge in _judges(read)],
        answer=lambda j: j,
        judge=Judge("ana", JudgeKind.MODEL),
    ),
)


def _original(document: Document, answers: list[Judgement], judge: Judge) -> Read:
    return [Reading("", (document,), (judge,), tuple(answers))]


def _tried(name: str, trial: Trial) -> str:
    """`kept`, `lost`, or why it was refused."""
    texts = _each(_TEXTS, outputs={}, references={"target": "배가 늦습니다."}) if name == "wmt24pp" else _TEXTS
    answer = _ANSWERED.get(name, _SCORE)
    document = trial.texts(texts) if trial.texts else texts
    answers = [trial.answer(answer)] if trial.answer else []
    if name == "mtme":  # its scores are of segments, documents or systems
        answers = [replace(each, stage="segment") if each.question == "score" else each for each in answers]
    if name in _ANSWERED and trial.texts:
        about = [(segment.id, (system,)) for segment in document for system in segment.outputs]
        answers = [replace(answer, document=document.id, segment=at, systems=whose) for at, whose in about]
    judges = [trial.judge] if answers else []
    given = {"protocol": protocols.load("esa")} if name == "label_studio" and trial.answer else {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _NAMES.get(name, "t")
        try:
            formats.write(name, path, [document], answers, judges, **given)
            read = formats.read(path, name)
            same = trial.seen(read) == trial.seen(_original(document, answers, trial.judge))
        except LannerError as error:
            return f"refused: {error.what}"
        except StopIteration:  # nothing came back
            same = False
    return "kept" if same else "lost"


def losses(name: str) -> dict[str, str]:
    """What becomes of each thing that is written in a format and read again."""
    trials = [*_TEXT_TRIALS, *_ANSWER_TRIALS]
    return {trial.words: _tried(name, trial) for trial in trials}


# pages


@cache
def notes() -> dict[str, Any]:
    """What is written by hand about each format."""
    return tomllib.loads((DOCS / "formats.toml").read_text(encoding="utf-8"))


def example(name: str, folder: Path) -> Path:
    """The example of a format, laid into a folder; the path to read. One of binary files is written by the format."""
    if "files" not in notes()[name]:
        path = folder / str(notes()[name]["path"])
        formats.write(name, path, [_TEXTS], [_SCORE], [_ANA])
        return path
    for file, content in notes()[name]["files"].items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.removeprefix("\n"), encoding="utf-8")
    return folder / str(notes()[name]["path"])


def page(name: str) -> str:
    """One format: what it is, who writes it, an example, what becomes of its fields, options, what is lost."""
    chosen = formats.load(name)
    said = notes()[name]
    parts = [f"# {name}", "", f"*{chosen.title}*", ""]
    parts += [_escaped(inspect.cleandoc(chosen.description)), "", f"**Who writes it.** {said['by']}", ""]
    parts += ["## An example", "", *_shown(said.get("files", {}))]
    parts += ["```", f"lanner import {said['path']}", "```", "", *_understood(name)]
    parts += ["## What becomes of it", "", "| in the file | in Lanner |", "|---|---|"]
    parts += [f"| {field} | {meaning} |" for field, meaning in said["becomes"]]
    if known := formats.options(name):
        parts += ["", "## Options", "", "Given as `--option NAME=VALUE`.", "", "| option | meaning |", "|---|---|"]
        parts += [f"| `{option}` | {_escaped(meaning)} |" for option, meaning in known.items()]
    parts += ["", "## Writing it", "", *_written(name)]
    parts += ["", f"The code is `{chosen.read.__module__}`. All formats: [Files in and out](../formats.md)."]
    return "\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    """What Markdown would take for a tag is kept as it is, but for code."""
    parts = text.split("`")
    return "`".join(part if place % 2 else part.replace("<", "&lt;") for place, part in enumerate(parts))


def _shown(files: dict[str, str]) -> Iterator[str]:
    for file, content in files.items():
        lines = content.strip("\n").splitlines()
        yield f"`{file}`:"
        yield ""
        yield "```text"
        yield from (line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()} …" for line in lines)
        yield "```"
        yield ""


def _understood(name: str) -> Iterator[str]:
    """What reading the example gave."""
    with tempfile.TemporaryDirectory() as folder:
        path = example(name, Path(folder))
        found = formats.recognise(path)
        assert found == name, f"the example of {name} is read as {found}"
        read = formats.read(path)
    yield "It is read as"
    yield ""
    for reading in read:
        for document in reading.documents:
            systems = f", outputs of {', '.join(document.systems)}" if document.systems else ""
            references = list(dict.fromkeys(each for segment in document for each in segment.references))
            known = f", references {', '.join(references)}" if references else ""
            count = len(document.segments)
            yield (
                f"- the document `{document.id}` ({document.language_pair}) of {count} "
                f"segment{'s' if count > 1 else ''}{systems}{known}"
            )
        for judge in reading.judges:
            own = [j for j in reading.judgements if j.judge == judge.id]
            asked = ", ".join(f"`{each}`" for each in dict.fromkeys(j.question for j in own))
            protocol = f", protocol `{reading.protocol}`" if reading.protocol else ""
            yield (
                f"- {len(own)} answer{'s' if len(own) > 1 else ''} of the judge `{judge.id}` ({judge.kind}) "
                f"to {asked}{protocol}"
            )
    yield ""


def _written(name: str) -> Iterator[str]:
    if name not in formats.titles(writable=True):
        yield "It is read and not written; [`native`](native.md) keeps everything."
        return
    found = losses(name)
    asked = [trial.words for trial in _ANSWER_TRIALS]
    texts_only = all(found[words].startswith("refused") for words in asked)
    if texts_only:
        found = {words: became for words, became in found.items() if words not in asked} | {"answers": found[asked[0]]}
    refused: dict[str, list[str]] = {}
    for words, became in found.items():
        if became.startswith("refused"):
            refused.setdefault(became.removeprefix("refused: "), []).append(words)
    yield "Written and read again when this page was made:"
    yield ""
    for heading, state in (("Kept", "kept"), ("Lost without a word", "lost")):
        yield f"- **{heading}:** {', '.join(words for words, became in found.items() if became == state) or 'nothing'}."
    for why, things in refused.items():
        yield f"- **Refused** ({', '.join(things)}): {why}"
    yield ""
    yield "```"
    ending = Path(_NAMES[name]).suffix if name in _NAMES else ""
    yield f"lanner export {_imported(name)}{' --texts' if texts_only else ''} --to {name} --out again{ending}"
    yield "```"


def _imported(name: str) -> str:
    """What importing the example made: a file of texts, or a campaign."""
    path = Path(str(notes()[name]["path"]))
    made = slug(path.name.removesuffix("".join(path.suffixes)))
    with tempfile.TemporaryDirectory() as folder:
        readings = formats.read(example(name, Path(folder)))
        asked = any(part.judgements and (part.protocol or part.questions) for part in readings)
    return made if asked else f"{made}.jsonl"
