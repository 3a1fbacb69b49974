"""How likely an English sentence needs the text around it, from what stands in the sentence itself.

The features are those that translation studies name: pronouns without an antecedent in the sentence, ellipsis,
connectives at its beginning, register. A logistic regression weighs them; its weights (`context_need.toml`) are
fitted on the released FALCON labels of Kim (2025) by `benchmarks/bench_context_need.py`, which also says how well
they do on documents they were not fitted on. Other source languages have no released labels and no weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

from lanner import registry
from lanner.errors import InputError
from lanner.model import Document

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_THIRD = _words("he she it they him her them his hers its their theirs himself herself itself themselves")
_DEMONSTRATIVE = _words("this that these those such here there")
_FIRST_SECOND = _words("i me my mine we us our ours you your yours myself ourselves yourself")
_CONNECTIVE = _words(
    "and but or so because however therefore thus then also meanwhile nevertheless nonetheless instead still yet "
    "moreover furthermore otherwise besides although though while whereas hence consequently finally anyway plus"
)
_ELLIPTIC = _words("one ones so too either neither same another other others both")
_INFORMAL = _words(
    "lol omg btw idk imo gonna wanna gotta kinda sorta yeah yep nope hey hi oh ah wow haha hmm ok okay ugh damn"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|been|being|has|have|had|do|does|did|will|would|can|could|shall|should|may|might|must|"
    r"\w+(?:ed|es|ing|['’](?:s|re|ve|ll|d|m)))\b",
    re.IGNORECASE,
)

FEATURES: Mapping[str, str] = {
    "third_person": "third-person pronouns for each word",
    "pronoun_first": "a third-person pronoun or a demonstrative among the first two words",
    "antecedent_missing": "a third-person pronoun and no capitalised name or earlier noun-like word in the sentence",
    "demonstrative": "demonstratives for each word",
    "first_second": "first- and second-person pronouns for each word",
    "connective": "a connective as the first word",
    "elliptic": "words that stand for others (one, so, too, both …), for each word",
    "fragment": "no verb form in the sentence",
    "short": "four words or fewer",
    "length": "logarithm of the number of words",
    "question": "a question",
    "exclamation": "an exclamation",
    "quoted": "a quotation mark",
    "informal": "contractions and colloquial words for each word",
    "acronym": "words in capitals for each word",
    "name": "capitalised words that do not begin the sentence, for each word",
    "emoji": "an emoji, a hash tag or a user tag",
    "opening": "the first sentence of the document",
}
"""What the weights belong to, in their order."""


def features(text: str, *, opens_document: bool = False) -> list[float]:
    """The features of one sentence, in the order of `FEATURES`."""
    words = _WORD.findall(text)
    lower = [word.lower().replace("’", "'") for word in words]
    number = max(1, len(words))
    third = [at for at, word in enumerate(lower) if word.split("'")[0] in _THIRD]
    names = [at for at, word in enumerate(words) if at and word[0].isupper() and not _is_acronym(word) and word != "I"]
    first = [word.split("'")[0] for word in lower[:2]]
    contractions = sum("'" in word and not word.endswith("'s") for word in lower)
    return [
        len(third) / number,
        float(any(word in _THIRD or word in _DEMONSTRATIVE for word in first)),
        float(bool(third) and not any(at < third[0] for at in names) and third[0] < 3),
        sum(word in _DEMONSTRATIVE for word in lower) / number,
        sum(word.split("'")[0] in _FIRST_SECOND for word in lower) / number,
        float(bool(lower) and lower[0] in _CONNECTIVE),
        sum(word in _ELLIPTIC for word in lower) / number,
        float(not _VERB.search(text)),
        float(len(words) <= 4),
        math.log(number),
        float("?" in text),
        float("!" in text),
        float(any(mark in text for mark in '"“”«»')),
        (contractions + sum(word in _INFORMAL for word in lower)) / number,
        sum(_is_acronym(word) for word in words) / number,
        len(names) / number,
        float(any(ord(character) >= 0x1F000 for character in text) or bool(re.search(r"(?:^|\s)[#@]\w", text))),
        float(opens_document),
    ]


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def need(document: Document) -> list[float]:
    """For each segment the probability that two of three judges would say it needs the text around it."""
    language = document.source_language.split("-")[0]
    if language not in ("en", "und"):
        raise InputError(
            f"How far sentences need context is known for English sources, not for {document.source_language}.",
            code="no_context_weights",
            next_step="Leave out the criterion 'context'.",
        )
    return [
        probability(features(segment.source, opens_document=at == 0)) for at, segment in enumerate(document.segments)
    ]


def probability(values: Sequence[float]) -> float:
    """The probability that a sentence with these features needs the text around it."""
    intercept, weights = _weights()
    total = intercept + sum(weight * value for weight, value in zip(weights, values, strict=True))
    return 1 / (1 + math.exp(-total))


@cache
def _weights() -> tuple[float, tuple[float, ...]]:
    table = registry.table("corpus.context_need")
    return float(table["intercept"]), tuple(float(table["weight"][name]) for name in FEATURES)
