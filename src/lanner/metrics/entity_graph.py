"""Entity graph (Guinaudeau and Strube 2013), one of DiscoScore's parts that need no model: do sentences share entities?

Sentences are nodes; sentence i points to every later sentence k with which it shares w(i, k) distinct entities (nouns
and names), with weight w(i, k)/(k − i). The score of a document is the mean weight that leaves a sentence,
Σ w(i, k)/(k − i) / n. It needs no reference; longer documents have more to share, so compare translations of the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from lanner.metrics._cohesion import ENTITIES, OfDocuments, Sentences
from lanner.metrics._rating import Languages, Metric
from lanner.metrics.taggers import find

TITLE = "Entity graph: entities that sentences share, nearer ones more (needs a tagger, no reference)"
OPTIONS: dict[str, str] = {}


def parts(own: Sentences, _: Sequence[Sentences] = ()) -> tuple[float, float]:
    """The weights that leave all sentences, and how many sentences there are."""
    entities = [set(sentence) for sentence in own]
    pairs = ((i, k) for i in range(len(entities)) for k in range(i + 1, len(entities)))
    return sum(len(entities[i] & entities[k]) / (k - i) for i, k in pairs), len(entities)


def make(languages: Languages) -> Metric:
    """It has no options."""
    return OfDocuments("EntityGraph", *find(languages.target), parts, ENTITIES, top=0.0)
