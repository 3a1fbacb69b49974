"""The material as a report looks at it: its words, who are people, and the results computed once and shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from lanner.analysis import (
    GROUPS,
    PEOPLE,
    CountedRows,
    Measure,
    Purpose,
    QuestionAgreement,
    QuestionPlan,
    pairs,
    plan,
    question_agreement,
)
from lanner.analysis.material import Material
from lanner.analysis.measures import JUDGES_ON_ONE_SCALE, signed
from lanner.analysis.scores import group_rows
from lanner.model import Judge, JudgeKind, Protocol, Result, Signature, Unit
from lanner.model.messages import Message, from_to, level_text, lower_first
from lanner.model.protocol import Wording
from lanner.protocols.derived import repeated_question
from lanner.reports.parts import capital
from lanner.stats.frame import SYSTEMS, Wide, wide
from lanner.stats.resample import Resampling

_SHORT = 24
_NOT_MEASURED = ("labels", "spans", "text", "ranks", "elapsed", "active", "flags")  # costly to carry along


@dataclass(frozen=True, slots=True)
class Agreement(QuestionAgreement):
    """The same with the group of judges that it is about, and each pair of judges."""

    group: str = ""
    pairs: Sequence[Result] = ()
    same: Sequence[Result] = ()

    @property
    def question(self) -> str:
        return self.plan.id

    @property
    def coefficient(self) -> Measure:
        """What pairs are compared by."""
        return self.plan.pairs

    def pairs_of(self, kind: str, view: View) -> list[Result]:
        """The pairs of one kind (see `View.pair_kind`) whose agreement is defined."""
        return [pair for pair in self.pairs if pair.value is not None and view.pair_kind(pair) == kind]


@dataclass(frozen=True)
class View:
    """A material with its protocol and the settings of a report."""

    material: Material
    protocol: Protocol
    resampling: Resampling = field(default_factory=Resampling)
    language: str = "en"
    translate: Callable[[Message], str] = str
    """Reports are in English; a page that shows a part of one says it in the reader's language."""

    @property
    def sentence_language(self) -> str:
        """The language of sentences, which is not that of a protocol's words in a report."""
        return "en" if self.translate is str else self.language

    @property
    def unit(self) -> str:
        """What a judged text is called: where no protocol says so, it may be a sentence or a document, and where
        documents are judged, one may stand in a single piece."""
        if self.protocol.is_guessed:
            return "item"
        judges_documents = any(stage.unit is Unit.DOCUMENT for stage, _ in self.protocol.questions)
        in_one_piece = all(len(document.segments) == 1 for document in self.material.documents)
        return "text" if judges_documents and in_one_piece else "sentence"

    @property
    def level(self) -> str:
        """The level of the report's intervals, for headings and captions: "95 %"."""
        return level_text(self.resampling.level)

    @cached_property
    def printed(self) -> list[Result]:
        """The results with an interval that the report prints."""
        return []

    @cached_property
    def signed(self) -> list[Result]:
        """Every result whose signature the report prints: what it should cite is known from them."""
        return []

    @cached_property
    def methods(self) -> set[str]:
        """Codes of methods the report uses that no signature names."""
        return set()

    @cached_property
    def fitted(self) -> dict[str, Result]:
        """Models that several sections print, by what they explain."""
        return {}

    @cached_property
    def words(self) -> Wording:
        return Wording(self.protocol, self.language)

    def counted(
        self, purpose: Purpose | str = Purpose.AGREEMENT, *, of: Iterable[str] | str | None = None
    ) -> CountedRows:
        """The rows that count for a purpose; the first group of judges that answered, unless others are named."""
        key = (str(purpose), of if of is None or isinstance(of, str) else tuple(of))
        if key not in self._counted:
            self._counted[key] = self.material.counted(purpose, of=of)
        return self._counted[key]

    @cached_property
    def _counted(self) -> dict[tuple[object, ...], CountedRows]:
        return {}

    @cached_property
    def scored(self) -> CountedRows:
        """The rows that scores and preferences are made of."""
        return group_rows(self.material)

    @property
    def everyone(self) -> CountedRows:
        """Main items of all judges, to compare them: nothing of this may be pooled."""
        return self.counted(of=tuple(GROUPS))

    @property
    def table(self) -> pl.DataFrame:
        """The rows that results are about."""
        return self.everyone.table

    @cached_property
    def judges(self) -> list[Judge]:
        """Those whose answers count, people first."""
        answered_ids = set(self.table["judge"].unique())
        return sorted(
            (judge for judge in self.material.judges if judge.id in answered_ids),
            key=lambda judge: judge.kind not in PEOPLE,
        )

    @property
    def people(self) -> list[str]:
        return [judge.id for judge in self.judges if judge.kind in PEOPLE]

    @property
    def judges_on_one_scale(self) -> list[str]:
        """Those who answer on the scale of the question, so that they may agree; metrics have scales of their own."""
        return [judge.id for judge in self.judges if judge.kind is not JudgeKind.METRIC]

    @property
    def models(self) -> list[str]:
        """Models and metrics."""
        return [judge.id for judge in self.judges if judge.kind not in PEOPLE]

    @cached_property
    def names(self) -> dict[str, str]:
        """What judges are called in print; those of one name also by their ids."""
        names = {judge.id: judge.name or judge.id for judge in self.material.judges}
        times = Counter(names.values())
        return {judge: name if times[name] == 1 else f"{name} ({judge})" for judge, name in names.items()}

    @cached_property
    def simulated(self) -> bool:
        return any(judge.kind is JudgeKind.SIMULATED for judge in self.judges)

    @cached_property
    def domains(self) -> list[str]:
        return list(dict.fromkeys(document.domain for document in self.material.documents if document.domain))

    @cached_property
    def answered(self) -> set[str]:
        """Questions and scores about texts that have at least one answer that counts."""
        return set(self.table["question"].unique())

    def label(self, question: str) -> str:
        """A question's words, also of a score that repeats its numbers; with its id where several are called the same,
        and for something derived from it a readable form of its id."""
        question = repeated_question(self.protocol, question)
        if self.protocol.find(question):
            label = self.words.question(question).label
            return f"{label} ({question.replace('_', ' ')})" if self._labels[label] > 1 else label
        if question.endswith("_chosen"):
            return f"{self.words.question(question.removesuffix('_chosen')).label} chosen"
        return question.replace("_", " ")

    def option(self, question: str, option: str) -> str:
        """The words of an option, of a row of a grid, or of a label that a question is repeated for."""
        place = self.protocol.find(question)
        named_by = place[1].for_each if place and place[1].for_each else question
        return self.words.option(named_by, option).label or option.replace("_", " ")

    def short(self, question: str) -> str:
        """A question's name inside a sentence: its label where that is short, else its id in words."""
        return self.inside(self._short(question))

    def heading(self, question: str) -> str:
        """A question's name over a column or at the beginning of a sentence."""
        return capital(self._short(question))

    def _short(self, question: str) -> str:
        label = self.label(question)
        is_shared = self.protocol.find(question) and label not in self._labels
        return label if len(label) <= _SHORT and not is_shared else question.replace("_", " ")

    def inside(self, label: str) -> str:
        """A label as it stands inside a sentence."""
        return lower_first(label, self.language)

    @cached_property
    def _labels(self) -> Counter[str]:
        """How many questions are called the same: scenarios ask one thing several times."""
        return Counter(self.words.question(question.id).label for _, question in self.protocol.questions)

    @cached_property
    def agreements(self) -> list[Agreement]:
        """One for each question that two judges answered and whose answers can be compared."""
        if len(self.judges_on_one_scale) < 2:
            return []
        return [self._agreement(entry) for entry in plan(self.protocol) if entry.id in self.answered]

    def _agreement(self, entry: QuestionPlan) -> Agreement:
        rows, judges = self.counted(), self.counted(of=JUDGES_ON_ONE_SCALE)
        whole = question_agreement(rows, entry, resampling=self.resampling)
        by_pair, same = (
            pairs(judges, coefficient, entry, resampling=self.resampling) if coefficient else ()
            for coefficient in (entry.pairs, entry.same)
        )
        group = rows.selection.groups[0]
        return Agreement(whole.plan, whole.headline, whole.parts, whole.unaided, group, by_pair, same)

    def people_asked(self, question: str) -> list[str]:
        """The people who answered a question."""
        judge_ids = set(self.answers(question)["judge"].unique())
        return [judge for judge in self.people if judge in judge_ids]

    @cached_property
    def worked(self) -> pl.DataFrame:
        """Who worked on what: a row for each judge, role and item, whatever was asked and whether it counts or not."""
        return self.material.table.select("judge", "role", "document", "segment", SYSTEMS).unique(maintain_order=True)

    @cached_property
    def wide(self) -> Wide:
        """One row per judge and item, for everything that sets measures side by side."""
        return wide(self.table.drop(_NOT_MEASURED))

    def answers(self, question: str) -> pl.DataFrame:
        """The rows of one question that count: what is compared again and again is picked out once."""
        if question not in self._answers:
            self._answers[question] = self.table.filter(pl.col("question") == question)
        return self._answers[question]

    @cached_property
    def _answers(self) -> dict[str, pl.DataFrame]:
        return {}

    def signature(self, *results: Result, judges: int = 0) -> str:
        """The signature of results that stand together, with the protocol and the n they were computed on; `judges` is
        how many a table is about whose results are about one each. What is printed is remembered: the account of the
        methods is written from it."""
        self.signed.extend(results)
        self.printed.extend(result for result in results if result.interval is not None)
        signatures: list[Signature] = []
        sizes: dict[str, set[int]] = {"items": set(), "documents": set(), "judges": {judges} - {0}}
        for result in results:
            if result.signature is None:
                continue
            has_rows = "rows" in dict(result.signature.parts)
            signatures.append(result.signature if has_rows else signed(result.signature, self.everyone.selection))
            counts = {"judges": sum(key in result.labels for key in ("judge", "other")), **result.counts}
            for name, numbers in sizes.items():
                if counts.get(name) and not (judges and name == "judges"):
                    numbers.add(counts[name])
        if not signatures:
            return ""
        signature = Signature.together(signatures)
        ns = tuple((name, from_to(min(numbers), max(numbers))) for name, numbers in sizes.items() if numbers)
        return str(replace(signature, protocol=self.protocol.label, parts=(*ns, *signature.parts)))

    def pair_kind(self, result: Result) -> str:
        """ "people", "people and models" or "models"."""
        count = sum(result.labels[key] in self.people for key in ("judge", "other"))
        return ("models", "people and models", "people")[count]

    def pair_name(self, result: Result) -> str:
        judge_ids = sorted((result.labels["judge"], result.labels["other"]), key=[j.id for j in self.judges].index)
        return " – ".join(self.names[name] for name in judge_ids)
