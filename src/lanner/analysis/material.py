"""What statistics and reports are made from: a protocol, texts, judges and their judgements, wherever they lie.

A file and a campaign give the same thing, so everything that can be said of one can be said of the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from lanner import formats, protocols
from lanner.analysis.measures import CountedRows, Purpose, counted
from lanner.campaign.drawing import drawn_documents, pairs_left_open
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.designs.expected import ControlCounts, misses, outcomes
from lanner.errors import InputError, Where, check_known, did_you_mean, refused_by_system, unasked
from lanner.model import (
    JUDGE_GROUPS,
    Choice,
    Document,
    Judge,
    Judgement,
    Object,
    Protocol,
    Role,
    Scale,
    Spans,
    languages,
)
from lanner.model.messages import in_number
from lanner.protocols import guessing
from lanner.protocols.answers import in_one_order
from lanner.protocols.derived import STAGE, preselected_rows, score_items, word_count
from lanner.protocols.judgements import take_in
from lanner.protocols.kinds.base import sides_among
from lanner.protocols.prefilled import has_origins, helps_of
from lanner.stats.frame import SCHEMA, VALUES, answers, current, described, laid_out, lists
from lanner.store import Event, Store, Transaction, pseudonyms_of


@dataclass(frozen=True)
class Material:
    """One protocol's judgements with all that is known about them. `notes` say what was noticed on reading, `controls`
    how many control items each judge missed, `left_out` which judges count in no result and why,
    `code_names` what people are called wherever their names should not be known, `chain` how many judgements the store
    had committed and the hash of them all, by which `lanner verify --chain` proves that they were not altered since,
    `drawn` which draw of an adaptive campaign each document was (1 for the first) and the chance it had, `unread` which
    columns of a table look like no answers."""

    name: str
    protocol: Protocol | None
    documents: tuple[Document, ...]
    judges: tuple[Judge, ...]
    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    controls: tuple[ControlCounts, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    code_names: Mapping[str, str] = field(default_factory=dict)
    chain: tuple[int, str] | None = None
    drawn: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def __repr__(self) -> str:  # with all texts and answers it would have millions of characters
        protocol = self.protocol.label if self.protocol else "no protocol"
        counts = {"document": len(self.documents), "judgement": len(self.judgements), "judge": len(self.judges)}
        parts = [in_number(n, f"{{n}} {one}", f"{{n}} {one}s") for one, n in counts.items()]
        return f"Material({self.name!r}, {protocol}: {', '.join(parts)})"

    @cached_property
    def table(self) -> pl.DataFrame:
        """The tidy table of all answers, and of the scores that the protocol makes of them. Where judges started from
        marks that were offered to them, `help` says in which items."""
        return self._laid_out()

    @property
    def table_with_every_mark(self) -> pl.DataFrame:
        """The same with the marks that were offered and not kept, and in an adaptive campaign with how each document
        was drawn: for files, and to see what became of each."""
        table = self._laid_out(every_mark=True)
        if "help" in table.columns:  # others than people make their own marks
            is_person = pl.col("judge_kind").is_in(list(JUDGE_GROUPS["people"]))
            table = table.with_columns(pl.when(is_person).then("help").otherwise(pl.lit("")).alias("help"))
        if not self.drawn:
            return table
        draws = [(document, draw, chance) for document, (draw, chance) in self.drawn.items()]
        schema = {"document": pl.String, "draw": pl.Int64, "draw_probability": pl.Float64}
        return table.join(pl.DataFrame(draws, schema, orient="row"), on="document", how="left", maintain_order="left")

    @cached_property
    def is_prefilled(self) -> bool:
        """Whether judges started from marks that were offered to them: the protocol says so, or, of a file whose
        protocol is known by name alone, the answers."""
        questions = [question for _, question in (self.protocol.questions if self.protocol else ())]
        marks = [question for question in questions if isinstance(question, Spans)]
        if (questions and not marks) or not helps_of(self.documents):
            return False
        if any(question.prefilled for question in marks):
            return True
        values = (judgement.value for judgement in self.judgements)
        return any(isinstance(value, list) and has_origins(value) for value in values)

    def _laid_out(self, *, every_mark: bool = False) -> pl.DataFrame:
        latest = current(self.judgements)
        if not every_mark:
            latest = self._with_degrees_turned(latest)
        facts = described(latest, self.documents, self.judges)
        parts = [laid_out(facts, answers(latest, self.protocol, every_mark=every_mark))]
        if self.protocol is not None:
            no_flags = pl.lit(pl.Series("flags", [[]], dtype=SCHEMA["flags"])).first()
            facts = facts.with_columns(pl.lit(STAGE).alias("stage"), no_flags)
            parts += [laid_out(facts, column) for column in _derive_rows(self.protocol, latest)]
        table = pl.concat(parts)
        return with_help(table, self.documents) if self.is_prefilled else table

    def _with_degrees_turned(self, judgements: list[Judgement]) -> list[Judgement]:
        """The same with answers that say by how much one of two outputs is better as if the two had stood in the order
        of their names; ranks and sides are turned where they are read."""
        degrees = {
            question.id
            for stage, question in (self.protocol.questions if self.protocol else ())
            if stage.object is Object.OUTPUTS
            and (
                (isinstance(question, Scale) and question.min == -question.max)
                or (isinstance(question, Choice) and not sides_among({option.id for option in question.options}))
            )
        }
        if not degrees or self.protocol is None:
            return judgements
        return [in_one_order(self.protocol, each) if each.question in degrees else each for each in judgements]

    @cached_property
    def words(self) -> dict[tuple[str, str], int]:
        """How many words the source of each (document, segment) has, for scores per so many words."""
        return {
            (document.id, segment.id): word_count(segment.source, document.source_language)
            for document in self.documents
            for segment in document
        }

    def asks(self, question: str) -> bool:
        """Whether its protocol has this question or score; everything may be asked where there is none."""
        protocol = self.protocol
        return not protocol or bool(protocol.find(question)) or question in (score.id for score in protocol.scores)

    def who_is_left_out(self) -> list[str]:
        """Which of its judges count in no number, and why."""
        ids = {judge.id for judge in self.judges}
        reasons = [(judge, reason.rstrip(".")) for judge, reason in self.left_out.items() if judge in ids]
        return [f"{judge} is left out: {reason}" for judge, reason in reasons]

    def only(self, judges: Iterable[str]) -> Material:
        """The same with some of the judges only; an unknown name is an error."""
        judge_ids = list(judges)
        all_ids = [judge.id for judge in self.judges]
        for name in judge_ids:
            check_known(name, all_ids, f"There is no judge {name!r} in {self.name}.", InputError)
        members = tuple(judge for judge in self.judges if judge.id in judge_ids)
        return replace(self, judges=members, judgements=tuple(j for j in self.judgements if j.judge in judge_ids))

    def pseudonymised(self, names: Mapping[str, str]) -> Material:
        """The same with these judges under other ids, without their names, ways to reach them and remarks about them,
        and without the names of the files that answers came in. What they said about themselves stays: it may be asked
        about."""
        judges = tuple(
            replace(judge, id=names[judge.id], name="", attributes=_own_attributes(judge))
            if judge.id in names
            else judge
            for judge in self.judges
        )
        judgements = tuple(replace(j, judge=names.get(j.judge, j.judge), origin="") for j in self.judgements)
        controls = tuple(replace(miss, judge=names.get(miss.judge, miss.judge)) for miss in self.controls)
        left_out = {names.get(judge, judge): reason for judge, reason in self.left_out.items()}
        return replace(self, judges=judges, judgements=judgements, controls=controls, left_out=left_out, code_names={})

    def under_code_names(self) -> Material:
        """The same as anything that leaves the server shows it: people by code names."""
        return self.pseudonymised(self.code_names) if self.code_names else self

    def counted(
        self,
        purpose: Purpose | str = Purpose.AGREEMENT,
        *,
        of: Iterable[str] | str | None = None,
        settled: bool = False,
    ) -> CountedRows:
        """The rows that count for a purpose; judges who are left out count for none."""
        return counted(self.table, purpose, of=of, left_out=self.left_out, settled=settled)

    def in_domain(self, domain: str) -> Material:
        """The same with the documents of one domain only."""
        return self._with(document for document in self.documents if document.domain == domain)

    def in_pair(self, pair: str) -> Material:
        """The same with the documents of one language pair only; those that do not name theirs get it. A pair that no
        document has is an error."""
        own = (document for document in self.documents if not formats.contradicts_pair(document, pair))
        documents = [formats.with_pair(document, pair) for document in own]
        if not documents and self.documents:
            pairs = ", ".join(sorted({document.language_pair for document in self.documents}))
            raise InputError(f"No document of {self.name} is {pair}.", next_step=f"There is {pairs}.")
        others = {document.id for document in self.documents} - {document.id for document in documents}
        judgements = tuple(judgement for judgement in self.judgements if judgement.document not in others)
        return replace(self, documents=tuple(documents), judgements=judgements)

    def matching(self, pattern: str) -> Material:
        """The same with the documents only whose id fits a regular expression."""
        return self._with(document for document in self.documents if re.search(pattern, document.id))

    def _with(self, documents: Iterable[Document]) -> Material:
        selection = tuple(documents)
        ids = {document.id for document in selection}
        return replace(self, documents=selection, judgements=tuple(j for j in self.judgements if j.document in ids))


def with_help(table: pl.DataFrame, documents: Iterable[Document]) -> pl.DataFrame:
    """The table with `help`: whether a model's marks were offered to the judge, withheld, or "" where it made none. Of
    outputs compared side by side the first decides: they are all offered or all withheld."""
    states = helps_of(documents)
    keys = table.select("document", "segment", pl.col("system").str.split("|").list.first().fill_null("")).iter_rows()
    helps = [str(states.get((document, segment, system), "")) for document, segment, system in keys]
    return table.with_columns(pl.Series("help", helps, dtype=pl.String))


def _derive_rows(protocol: Protocol, judgements: list[Judgement]) -> Iterator[pl.DataFrame]:
    """The chosen rows of grids, and every score: of a million judgements there are millions, so by columns."""
    choices = list(preselected_rows(protocol, judgements))
    if choices:
        at, names, rows = zip(*choices, strict=True)
        sets = lists("labels", rows, SCHEMA["labels"], lambda labels: sorted(set(labels)))
        yield _values(at, sets).with_columns(pl.Series("question", names, dtype=pl.String))
    places, numbers = score_items(protocol, judgements)
    for name, column in numbers.items():
        scores = _values(places, pl.Series("score", column, dtype=pl.Float64)).drop_nulls("score")
        yield scores.with_columns(pl.lit(name).alias("question"))


def _values(at: Sequence[int], values: pl.Series) -> pl.DataFrame:
    """Answers in one column, with the others empty."""
    cells = pl.DataFrame([pl.Series("_at", at, dtype=pl.UInt32), values])
    empty = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in VALUES.items() if name != values.name]
    return cells.with_columns(pl.lit("").alias("row"), *empty)


_REMARKS = {"note", "notes", "remark", "remarks", "comment", "comments", "bemerkung", "bemerkungen", "notiz", "notizen"}
"""What an organiser writes about somebody in their own words may say who it is."""
_REACHED_BY = {
    *(
        "id",
        "pid",
        "login",
        "orcid",
        "nom",
        "prenom",
        "nombre",
        "apellido",
        "apellidos",
        "nome",
        "sobrenome",
        "apelido",
    ),
    *("contact", "contacto", "contato", "kontakt", "courriel", "correo", "correio", "tel", "telefono", "telefone"),
    *("mobile", "movil", "celular", "handy", "whatsapp", "wechat", "anschrift", "direccion", "endereco", "имя"),
    *("фамилия", "почта", "телефон", "адрес", "اسم", "الاسم", "البريد", "هاتف", "الهاتف", "عنوان", "العنوان"),
}
"""Words for names and ways to reach somebody, in headings without accents."""
_FIRST_PARTS = ("phone", "email", "telefon")
_LAST_PARTS = ("name", "names", "mail", "mails", "phone", "telefon", "address", "adresse")
"""Parts of longer words for the same: `phonenumber`, `lastname`."""
_WRITTEN_TOGETHER = (
    *("姓名", "名前", "氏名", "名字", "メール", "邮箱", "邮件", "郵件", "電話", "电话", "手机", "住所", "地址", "微信"),
    *("이름", "성명", "메일", "전화", "연락처", "주소", "备注", "備考", "メモ", "메모"),
)
"""The same, and remarks, in languages that write words together."""
_PHONE = re.compile(r"[+0(][\d\s()/.-]{6,}|\d[\d\s()/.-]{9,}")


def _own_attributes(judge: Judge) -> dict[str, Any]:
    """What a judge said about themselves, without names, numbers, addresses and remarks, whatever column they stood in:
    some headings tell, and so do some values."""
    own = [re.escape(text) for text in (judge.name, judge.id) if len(text) > 2]
    says_who = re.compile("|".join(["@", *(rf"\b{text}\b" for text in own)]), re.IGNORECASE)
    return {
        key: value
        for key, value in judge.attributes.items()
        if not (_is_private(key) or says_who.search(str(value)) or _PHONE.fullmatch(str(value).strip()))
    }


def _is_private(heading: str) -> bool:
    heading = unicodedata.normalize("NFC", heading)
    letters = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).casefold())
    words = re.findall(r"[^\W\d_]+", "".join(letter for letter in letters if unicodedata.category(letter) != "Mn"))
    return any(
        word in _REACHED_BY or word in _REMARKS or word.startswith(_FIRST_PARTS) or word.endswith(_LAST_PARTS)
        for word in words
    ) or any(part in heading for part in _WRITTEN_TOGETHER)


def from_file(
    path: formats.PathOrPaths,
    format: str | None = None,  # noqa: A002 - the word the command line uses
    protocol: str | None = None,
    **options: Any,
) -> list[Material]:
    """Everything judged in a file or folder, part by part, checked leniently by its protocol. `protocol` says which
    one it is where the format does not know; without it a fitting one is guessed, and the guess is among the notes."""
    return from_readings(formats.read_judged(path, format, **options), protocol)


def from_readings(readings: Sequence[formats.Reading], protocol: str | None = None) -> list[Material]:
    """What was read as something to analyse, part by part."""
    parts = []
    for reading in readings:
        judgements = _latest(reading.judgements)
        notes = reading.notes
        if again := len(reading.judgements) - len(judgements):
            again_note = in_number(
                again,
                "{n} answer was saved again by its judge; the latest counts.",
                "{n} answers were saved again by their judges; the latest counts.",
            )
            notes = (*notes, again_note)
        definition = protocols.load(protocol) if protocol else None
        guess = None
        if not protocol:
            guess = guessing.of_file(
                judgements,
                reading.questions,
                reading.protocol,
                reading.definition,
                remarks=reading.remarks,
                scales=reading.scales,
                judges=reading.judges,
            )
        if guess:
            definition, notes = guess.protocol, (*filter(None, [guess.note]), *notes)
        if definition is not None:
            try:
                intake = take_in(definition, judgements, reading.documents, reading.judges)
            except InputError as error:
                if not protocol:  # the file's format has this one, and the answers may be to another
                    step = f"They were taken for answers to {definition.name}; --protocol NAME for another."
                    error.next_step = " ".join(filter(None, [error.next_step, step]))
                raise
            judgements, notes = intake.judgements, (*notes, *intake.notes)
        parts.append(
            Material(
                reading.name,
                definition,
                reading.documents,
                reading.judges,
                judgements,
                notes,
                left_out=reading.left_out,
                unread=reading.unread,
            )
        )
    return parts


def _latest(judgements: tuple[Judgement, ...]) -> tuple[Judgement, ...]:
    """Of answers that one judge gave to one question about one item several times, the latest. Rows without a time are
    all kept: where nothing says who answered when, two of them may be of two people."""
    latest: dict[tuple[object, ...], Judgement] = {}
    for judgement in judgements:
        if judgement.answered_at is not None:
            key = _answer_key(judgement)
            newest = latest.get(key)
            if newest is None or newest.answered_at is None or judgement.answered_at >= newest.answered_at:
                latest[key] = judgement
    return tuple(j for j in judgements if j.answered_at is None or latest[_answer_key(j)] is j)


def _answer_key(judgement: Judgement) -> tuple[object, ...]:
    return (
        judgement.judge,
        judgement.document,
        judgement.segment,
        judgement.stage,
        judgement.question,
        judgement.systems,
        judgement.role,
    )


def from_campaign(store: Store, reference: str | int) -> Material:
    """The judgements of a campaign as of one moment. Tutorial answers are left out, and those that were taken back;
    other roles are told apart by `role`."""
    with store.reading() as tx:
        entry = tx.campaigns.get(reference)
        protocol = tx.campaigns.protocol(entry.id)
        documents = tuple(tx.documents.all(entry.id))
        participants = tx.judges.all(entry.id)
        current_answers = tx.judgements.current(entry.id)
        judgements = tuple(j for j in current_answers if j.role is not Role.TUTORIAL and j.value is not None)
        head = tx.chain.head(entry.id)
        reasons = tx.events.left_out(entry.id)
        withdrawn = tx.events.of(entry.id, kinds=("judge_withdrew",))
        # without an answer to a control item nobody has missed one
        has_controls = any(judgement.role is Role.CONTROL for judgement in judgements)
        tasks = [task for task in tx.tasks.with_role(entry.id, Role.CONTROL) if task.judge] if has_controls else []
        is_adaptive = entry.design == ADAPTIVE
        drawn = drawn_documents(tx, entry.id) if is_adaptive else {}
        in_round = {*entry.settings.get("calibration", ())} - drawn.keys()
        left = _left_open(tx, entry.id) if is_adaptive else ()
    questions = {question.id: question for _, question in protocol.questions}
    return Material(
        name=entry.name,
        protocol=protocol,
        documents=documents,
        judges=tuple(participant.judge for participant in participants),
        judgements=judgements,
        notes=(*_withdrawal_notes(withdrawn), *left, *_unequal(drawn, len(documents) - len(in_round))),
        settings={"title": entry.title, "design": entry.design, "seed": entry.seed, **entry.settings},
        controls=tuple(misses(outcomes(tasks, judgements, questions))) if tasks else (),
        left_out={
            participant.judge.id: reasons[participant.number]
            for participant in participants
            if participant.number in reasons
        },
        code_names=pseudonyms_of(participants),
        chain=(head.judgements, head.hash) if head else None,
        drawn=drawn,
    )


def _unequal(drawn: Mapping[str, tuple[int, float]], documents: int) -> tuple[str, ...]:
    """Whoever takes means of an adaptive campaign's answers must know how its documents were drawn, and of how many."""
    if not drawn:
        return ()
    return (
        f"{len(drawn)} of {documents} documents were drawn one after another, each with a known probability; plain "
        "means lean towards those drawn more readily.",
    )


def _left_open(tx: Transaction, number: int) -> tuple[str, ...]:
    """That organisers wanted no more judged of a pair must be said where its systems are compared."""
    return tuple(
        f"{first} and {second} were left open by the organisers: nothing more was judged for the sake of this pair, "
        "and the campaign does not decide it."
        for first, second in pairs_left_open(tx, number)
    )


def _withdrawal_notes(withdrawn: Sequence[Event]) -> tuple[str, ...]:
    """That judges have withdrawn must be said: what they answered is not in any number any more."""
    if not withdrawn:
        return ()
    answer_count = sum(int(event.detail.get("judgements", 0)) for event in withdrawn)
    who = "One judge has" if len(withdrawn) == 1 else f"{len(withdrawn)} judges have"
    return (
        in_number(
            answer_count,
            "{who} withdrawn; {n} answer was deleted and is part of no number here.",
            "{who} withdrawn; {n} answers were deleted and are part of no number here.",
            who=who,
        ),
    )


def missed_by_judge(rows: Iterable[ControlCounts], left_out: Collection[str] = ()) -> dict[str, tuple[int, int, int]]:
    """Of each judge who is not left out: control items missed, answered, and missed by ties, on all pages together."""
    by_judge: dict[str, tuple[int, int, int]] = {}
    for row in rows:
        if row.judge not in left_out:
            missed, answered, ties = by_judge.get(row.judge, (0, 0, 0))
            by_judge[row.judge] = (missed + row.missed, answered + row.answered, ties + row.ties)
    return by_judge


def with_question(materials: list[Material], question: str) -> Material:
    """The part that asks a question; an error names the nearest one."""
    for material in materials:
        if material.asks(question):
            return material
    question_ids = [q.id for material in materials if material.protocol for _, q in material.protocol.questions]
    raise unasked(question, question_ids, [column for material in materials for column in material.unread])


def part_in_pair(parts: Sequence[Material], name: str | None, pair: str | None) -> Material:
    """The part of this name and language pair. The pair is told by a part's texts, or by the name a reader gives it;
    several parts are not made one."""
    candidates = [part for part in parts if name in (None, part.name)]
    if not candidates:
        names = [part.name for part in parts]
        raise InputError(f"There is no part {name!r}.", next_step=did_you_mean(str(name), names))
    if pair is None:
        if len(candidates) > 1:
            several = ", ".join(part.name for part in candidates)
            raise InputError(
                f"There are several parts: {several}.", next_step="Say which with --languages or --set part=NAME."
            )
        return candidates[0]
    codes = languages.pair(pair)
    for part in candidates:
        suffix = part.name.rpartition(".")[2]
        is_named_after_pair = "-" in suffix and len(suffix) < 12 and languages.pair(suffix) == codes
        if codes in _pairs(part) or is_named_after_pair:
            return part.in_pair(pair)
    if len(candidates) == 1:
        return candidates[0].in_pair(pair)
    raise InputError(f"There is no pair {pair!r}.", next_step=did_you_mean(pair, [part.name for part in candidates]))


def _pairs(part: Material) -> set[tuple[str, str]]:
    return {(document.source_language, document.target_language) for document in part.documents}


# Domains for judgements whose file does not tell them: WMT's lists of documents, a domain and a document a line.


def with_domains(table: pl.DataFrame, path: Path) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The tidy table with the domains of its documents. Where a document is not in the list, an item id that is a
    number is taken as the line, counted from 0 with every line, canaries too, as WMT counts."""
    lines = _domain_lines(path) if path.suffix == ".docs" else []
    by_name = {name: domain for domain, name in lines}
    if not lines:
        by_name = {document.id: document.domain for document in formats.read_documents(path)}
    by_line = {str(number): domain for number, (domain, _) in enumerate(lines)}
    domain = pl.col("document").replace_strict(by_name, default=None, return_dtype=pl.String)
    if by_line:
        domain = domain.fill_null(pl.col("segment").replace_strict(by_line, default=None, return_dtype=pl.String))
    with_domain = table.with_columns(domain.fill_null("").alias("domain"))
    unknown = with_domain.filter(pl.col("domain") == "", pl.col("role") == "main")["document"].n_unique()
    return with_domain, (
        in_number(
            unknown,
            "{n} document is not in {name}: its domain is unknown.",
            "{n} documents are not in {name}: their domain is unknown.",
            name=path.name,
        ),
    ) if unknown else ()


def _domain_lines(path: Path) -> list[tuple[str, str]]:
    parts = []
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise refused_by_system("This cannot be read", error, path) from error
    for line_number, line in enumerate(text.splitlines(), 1):
        domain, tab, name = line.partition("\t")
        if not tab:
            raise InputError("This line does not say DOMAIN and DOCUMENT.", where=Where(path, line_number))
        parts.append((domain, name))
    return parts
