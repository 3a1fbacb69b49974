"""English: nupunkt's learnt full stops and our rules together.

Each catches what the other leaves: nupunkt knows abbreviations and ends sentences before lower case; the rules know
emoji, tags, closing quotes and short words. On abbreviations that may end a sentence nupunkt decides.
"""

from __future__ import annotations

import re

import nupunkt

from lanner.corpus.segmenters import rules

_SPACE_AND_EMOJI = re.compile(rf"\s*(?:{rules.EMOJI}+\s*)?")


def cuts(text: str, code: str) -> list[int]:
    """Where a new sentence begins; an emoji after a full stop belongs to the sentence before it."""
    if not rules.language(code).first.search(text, 0, len(text) - 1):  # one sentence: most segments of most sets
        return []
    ends = [end for _, end in nupunkt.sent_spans(text)[:-1]]
    learnt = {match.end() for end in ends if (match := _SPACE_AND_EMOJI.match(text, end))}
    return sorted((learnt | set(rules.cuts(text, code, sure=True))) - {0, len(text)})
