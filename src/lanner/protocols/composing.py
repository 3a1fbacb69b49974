"""One protocol with questionnaires before and after it: consent, background, how it went.

A campaign asks everything through one frozen protocol, so questionnaires become stages of it. Their words move to where
they cannot meddle with the words of the protocol itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanner.errors import ProtocolError, Where
from lanner.model import Protocol, Unit
from lanner.protocols.consistency import problems
from lanner.protocols.deriving import merged


def compose(protocol: Protocol, *, before: Sequence[Protocol] = (), after: Sequence[Protocol] = ()) -> Protocol:
    """The protocol with the stages of questionnaires in front of it and behind it. Name and version stay its own; the
    hash says that something was added."""
    if not before and not after:
        return protocol
    for questionnaire in (*before, *after):
        if any(stage.unit is not Unit.JUDGE for stage in questionnaire.stages):
            raise ProtocolError(
                f"{questionnaire.name!r} asks about texts; only questionnaires can stand before or after a protocol.",
                next_step='A questionnaire has unit = "judge" and object = "none" in all its stages.',
            )
    parts = (*before, protocol, *after)
    text: Mapping[str, Any] = protocol.text
    for questionnaire in (*before, *after):
        text = merged(_own_words(questionnaire), text)
    whole = protocol.model_copy(
        update={
            "stages": tuple(stage for part in parts for stage in part.stages),
            "scores": tuple(score for part in parts for score in part.scores),
            "analyses": tuple(analysis for part in parts for analysis in part.analyses),
            "groups": tuple(dict.fromkeys(group for part in parts for group in part.groups)),
            "text": text,
        }
    )
    whole = Protocol.model_validate(whole.model_dump(by_alias=True, exclude_unset=True))
    for _, what, hint in problems(whole):
        raise ProtocolError(what, where=Where(item=" + ".join(part.name for part in parts)), next_step=hint)
    return whole


def _own_words(questionnaire: Protocol) -> dict[str, Any]:
    """The words of a questionnaire by stage and question only."""
    texts: dict[str, Any] = {}
    for language, words in questionnaire.text.items():
        title = {key: words[key] for key in ("title", "instructions") if key in words}
        stages = {stage.id: {**title, **words.get("stages", {}).get(stage.id, {})} for stage in questionnaire.stages}
        common_options, question_texts = words.get("options", {}), words.get("questions", {})
        questions: dict[str, Any] = {}
        for _, question in questionnaire.questions:
            options = {
                option.id: common_options[option.id] for option in question.choices if option.id in common_options
            }
            own = merged({"options": options} if options else {}, question_texts.get(question.id, {}))
            questions |= {question.id: own} if own else {}
        texts[language] = {"stages": stages, "questions": questions, "groups": words.get("groups", {})}
    return texts
