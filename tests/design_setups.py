"""Small corpora, judges and protocols for tests of designs."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.model import Document, Judge, Protocol, Segment

SYSTEMS = ("m0", "m1", "m2", "m3")


def corpus(sizes: Sequence[int], systems: Sequence[str] = SYSTEMS[:2], **fields: str) -> list[Document]:
    return [
        Document(
            f"d{n}",
            tuple(Segment(f"{s}", f"source {n}.{s}", {m: f"{m} says {n} {s}" for m in systems}) for s in range(size)),
            domain=("news", "social", "literary")[n % 3],
            **fields,
        )
        for n, size in enumerate(sizes)
    ]


def people(count: int, **attributes: object) -> list[Judge]:
    return [Judge(f"j{n}", attributes=attributes) for n in range(count)]


def protocol(*stages: dict[str, object]) -> Protocol:
    question = [{"id": "q", "kind": "scale", "min": 1, "max": 4}]
    numbered = [{"id": f"s{n}", "question": question, **stage} for n, stage in enumerate(stages)]
    return Protocol.model_validate({"name": "p", "version": "1", "stage": numbered})
