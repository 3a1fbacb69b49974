"""Documents and judgements for property tests: texts with everything that files get wrong, ids that are only unique."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st

from lanner.model import Document, Judge, JudgeKind, Judgement, Role, Segment

SAMPLES = Path(__file__).parent / "samples"
SPECIAL = st.sampled_from(
    [
        "\t",
        "\n",
        "\r\n",
        '"',
        '""',
        "'",
        ",",
        ";",
        "😀",
        "e\u0301",
        "\u2028",
        "\ufeff",
        "\\n",
        "<v>",
        "&amp;",
        "]]>",
        "None",
        "=1",
    ]
)


def texts(*, without: str = "", min_size: int = 0) -> st.SearchStrategy[str]:
    """Text that UTF-8 can hold, rich in marks that formats use; `without` leaves characters out."""
    plain = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=without), max_size=6)
    special = SPECIAL.filter(lambda mark: not set(mark) & set(without))
    return st.lists(plain | special, min_size=min_size, max_size=4).map("".join).filter(lambda t: len(t) >= min_size)


def names(prefix: str = "") -> st.SearchStrategy[str]:
    """Ids as people write them."""
    return st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.#-]{0,6}", fullmatch=True).map(lambda name: prefix + name)


@st.composite
def segments(
    draw: st.DrawFn, name: str, text: st.SearchStrategy[str], systems: list[str], references: list[str]
) -> Segment:
    present = draw(st.lists(st.sampled_from(systems), unique=True)) if systems else []
    refs = draw(st.lists(st.sampled_from(references), unique=True)) if references else []
    return Segment(
        name,
        draw(text),
        {system: draw(text) for system in systems if system in present},
        {ref: draw(text) for ref in references if ref in refs},
        paragraph=draw(st.none() | st.integers(1, 9)),
        judged=draw(st.booleans()),
        flags=tuple(draw(st.lists(names(), max_size=2, unique=True))),
        meta=draw(
            st.dictionaries(
                names(), st.integers() | st.text(st.characters(exclude_categories=("Cs",)), max_size=3), max_size=2
            )
        ),
    )


@st.composite
def documents(draw: st.DrawFn, text: st.SearchStrategy[str] | None = None, min_size: int = 1) -> list[Document]:
    """A corpus: one to three documents whose systems and references come from one pool."""
    text = texts() if text is None else text
    systems = draw(st.lists(names("s"), max_size=2, unique=True))
    references = draw(st.lists(names("r"), max_size=2, unique=True))
    made = []
    for document in draw(st.lists(names(), min_size=min_size, max_size=3, unique=True)):
        ids = draw(st.lists(names(), min_size=1, max_size=3, unique=True))
        made.append(
            Document(
                document,
                tuple(draw(segments(name, text, systems, references)) for name in ids),
                source_language=draw(st.sampled_from(["en", "und", "pt-BR"])),
                target_language=draw(st.sampled_from(["ko", "und", "zh-Hans"])),
                domain=draw(st.sampled_from(["", "news", "social"])),
                title=draw(text),
                note=draw(text),
                glossary=draw(st.dictionaries(names(), text, max_size=1)),
                meta=draw(st.dictionaries(names(), st.booleans() | st.none(), max_size=1)),
            )
        )
    return made


JUDGES = st.builds(
    Judge, names(), st.sampled_from(JudgeKind), texts(), st.dictionaries(names(), st.integers(), max_size=1)
)
VALUES = st.one_of(
    st.none(),
    st.integers(0, 100),
    st.floats(allow_nan=False, allow_infinity=False),
    texts(),
    st.lists(texts(), max_size=2),
    st.dictionaries(names(), texts(), max_size=2),
)
JUDGEMENTS = st.builds(
    Judgement,
    judge=names(),
    stage=names(),
    question=names(),
    document=names(),
    segment=names() | st.just(""),
    systems=st.lists(names(), max_size=2).map(tuple),
    value=VALUES,
    role=st.sampled_from(Role),
    flags=st.lists(names(), max_size=2).map(tuple),
    elapsed_seconds=st.none() | st.floats(0, 1e6),
    answered_at=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    origin=st.just("") | names(),
)


def without_origin(judgements: tuple[Judgement, ...]) -> list[Judgement]:
    return [replace(judgement, origin="") for judgement in judgements]


def full(made: list[Document]) -> list[Document]:
    """The same corpus as one language pair with every reference and output there and no empty domain mark."""
    systems = {name for document in made for segment in document for name in segment.outputs}
    references = {name for document in made for segment in document for name in segment.references}
    return [
        replace(
            document,
            source_language="en",
            target_language="ko",
            segments=tuple(
                replace(
                    segment,
                    outputs={name: segment.outputs.get(name, "") for name in sorted(systems)},
                    references={name: segment.references.get(name, "") for name in sorted(references)},
                )
                for segment in document
            ),
        )
        for document in made
    ]
