"""BLEU, chrF and TER as sacrebleu computes them, of segments, of documents as one line, of systems."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from lanner.errors import LannerError, MissingExtraError
from lanner.metrics._rating import Languages, MetricEntry, Translation
from lanner.model import languages as known_languages
from lanner.stats.resample import Array


@dataclass(slots=True)
class Surface:
    """One of sacrebleu's metrics, which it is an object of. `count` takes a line apart into counts that add up over
    lines, `score_of` scores such sums, told whether the sum is of one line alone. `better` is −1 where its own numbers
    are lower for better texts (TER): what is stored is negated then, so that higher is better."""

    name: str
    metric: Any
    count: Callable[[str, list[str]], Sequence[float]]
    score_of: Callable[[list[float], bool], float]
    whole: bool = False
    better: float = 1.0
    reference: bool = True

    @property
    def top(self) -> float:
        return 100.0 if self.better > 0 else 0.0

    @property
    def signature(self) -> str:
        if not hasattr(self.metric, "num_refs"):
            self.metric.num_refs = None  # known once texts were counted
        signature = str(self.metric.get_signature()).replace("nrefs:None|", "")
        return f"sacrebleu {signature}" + ("|negated" if self.better < 0 else "") + ("|documents" if self.whole else "")

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        """The counts of each line, or of each document as one line. Lines that do not count are zeros, so that places
        stay and sums do not change."""
        results = []
        for part in translations:
            self.metric.num_refs = len(part.references)
            columns = [list(compress(texts, part.counted)) for texts in (part.outputs, *part.references)]
            if self.whole:
                columns = [[" ".join(text.strip() for text in column)] for column in columns]
            counts = np.array([self.count(output, lines) for output, *lines in zip(*columns, strict=True)], float)
            if not self.whole:
                of_lines = np.zeros((len(part.counted), counts.shape[1]))
                of_lines[np.flatnonzero(part.counted)] = counts
                counts = of_lines
            results.append(counts)
        return results

    def score(self, sums: Array, *, single: bool) -> float:
        return self.better * self.score_of(sums.tolist(), single and not self.whole)


@dataclass(slots=True)
class ChrfCounting:
    """For each order of characters, then of words: n-grams of the output, of the reference, and of both. Of several
    references the one counts that is most like the output. sacrebleu hands out no counts, so they are made here,
    and held against its scores by a test."""

    metric: Any

    def count(self, output: str, references: Sequence[str]) -> Sequence[float]:
        own = self._ngrams(output)
        rows = [_matches(own, self._ngrams(reference)) for reference in references]
        return max(rows, key=self.f_score)  # the first of equals, as sacrebleu takes it

    def f_score(self, sums: Sequence[float], _: bool = False) -> float:
        """The mean precision and recall over the orders that both texts have, as one F score."""
        orders = [sums[at : at + 3] for at in range(0, len(sums), 3)]
        ratios = [(both / own, both / reference) for own, reference, both in orders if own > 0 and reference > 0]
        if not ratios:
            return 0.0
        precision, recall = (sum(values) / len(ratios) for values in zip(*ratios, strict=True))
        weight = self.metric.beta**2
        bottom = weight * precision + recall
        return 100 * (1 + weight) * precision * recall / bottom if bottom else 0.0

    def _ngrams(self, text: str) -> list[Counter[Any]]:
        line = text.lower() if self.metric.lowercase else text
        letters = line if self.metric.whitespace else "".join(line.split())
        words = _words(line) if self.metric.word_order else ()
        return [
            *(_of_order(letters, order) for order in range(1, self.metric.char_order + 1)),
            *(_of_order(words, order) for order in range(1, self.metric.word_order + 1)),
        ]


def _of_order(parts: str | tuple[str, ...], order: int) -> Counter[Any]:
    return Counter(parts[at : at + order] for at in range(len(parts) - order + 1))


def _matches(output: Sequence[Counter[Any]], reference: Sequence[Counter[Any]]) -> list[float]:
    """Without n-grams of an order in the reference those of the output do not count either."""
    counts: list[float] = []
    for own, other in zip(output, reference, strict=True):
        counts += [own.total() if other else 0, other.total(), (own & other).total()]
    return counts


_PUNCTUATION = frozenset(string.punctuation)


def _words(line: str) -> tuple[str, ...]:
    """Words with a sign of punctuation at their end set apart, or else one at their beginning: as chrF++ splits."""
    words: list[str] = []
    for word in line.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return tuple(words)


def sacrebleu_metric(name: str) -> Any:
    """A class of sacrebleu, or the sentence that says how to install it."""
    try:
        from sacrebleu import metrics
    except ImportError as error:
        raise MissingExtraError(name, "metrics") from error
    return getattr(metrics, name)


def bleu(languages: Languages, *, whole: bool = False, **options: Any) -> Surface:
    """BLEU with the tokenizer of the target language. Sentences use the orders they have (`effective_order`)."""
    bleu = sacrebleu_metric("BLEU")
    target = known_languages.normal(languages.target).split("-")[0]
    settings = {
        "trg_lang": target,
        "force": True,
        **_convert_options(options, lowercase=_flag, tokenize=str, smooth_method=str),
    }
    try:
        metric, counting = bleu(**settings), bleu(**settings | {"smooth_method": "none", "effective_order": True})
    except (RuntimeError, ImportError, SystemExit) as error:  # sacrebleu's word for a tokenizer that is not installed
        raise LannerError(
            f"sacrebleu cannot split {target!r} into words here: {error}",
            next_step=f'Install "sacrebleu[{target}]", or name another tokenizer: --option tokenize=char.',
        ) from error

    def count(output: str, references: list[str]) -> Sequence[float]:
        """The lengths of output and reference, then matches and n-grams of each order."""
        score = counting.sentence_score(output, references)
        return [score.sys_len, score.ref_len, *score.counts, *score.totals]

    def score_of(sums: list[float], single: bool) -> float:
        orders = (len(sums) - 2) // 2
        score = metric.compute_bleu(
            correct=sums[2 : 2 + orders],
            total=sums[2 + orders :],
            sys_len=int(sums[0]),
            ref_len=int(sums[1]),
            smooth_method=metric.smooth_method,
            smooth_value=metric.smooth_value,
            effective_order=single,
            max_ngram_order=orders,
        )
        return float(score.score)

    return Surface("d-BLEU" if whole else "BLEU", metric, count, score_of, whole)


def chrf(_: Languages, *, whole: bool = False, **options: Any) -> Surface:
    """chrF; with `word_order=2` chrF++."""
    settings = _convert_options(options, word_order=int, char_order=int, beta=int, lowercase=_flag)
    metric = sacrebleu_metric("CHRF")(**settings)
    name = "chrF" + "+" * min(2, int(settings.get("word_order", 0)))
    counting = ChrfCounting(metric)
    return Surface(f"d-{name}" if whole else name, metric, counting.count, counting.f_score, whole)


def ter(languages: Languages, *, whole: bool = False, **options: Any) -> Surface:
    """TER, negated; languages without spaces are split into characters."""
    target = known_languages.normal(languages.target).split("-")[0]
    asian = {"asian_support": True, "normalized": True} if target in {"zh", "ja", "ko", "th"} else {}
    settings = asian | _convert_options(
        options, normalized=_flag, no_punct=_flag, asian_support=_flag, case_sensitive=_flag
    )
    metric = sacrebleu_metric("TER")(**settings)

    def count(output: str, references: list[str]) -> Sequence[float]:
        score = metric.sentence_score(output, references)
        return [score.num_edits, score.ref_length]

    def score_of(sums: list[float], _: bool) -> float:
        edits, length = sums
        return 100 * edits / length if length > 0 else 100.0 * (edits > 0)

    return Surface("d-TER" if whole else "TER", metric, count, score_of, whole, better=-1.0)


def _flag(text: Any) -> bool:
    return text if isinstance(text, bool) else str(text).casefold() in {"1", "yes", "true", "on"}


def _convert_options(options: Mapping[str, Any], **kinds: Callable[[Any], Any]) -> dict[str, Any]:
    try:
        return {name: kinds[name](value) for name, value in options.items()}
    except ValueError as error:
        raise LannerError(f"An option is not what it should be: {error}.") from error


# The metrics as they are named on the command line


_BLEU_OPTIONS = {
    "tokenize": "sacrebleu's tokenizer (that of the target language)",
    "lowercase": "yes to fold case",
    "smooth_method": "exp, floor, add-k or none",
}
_CHRF_OPTIONS = {
    "word_order": "2 for chrF++ (0)",
    "char_order": "longest run of characters (6)",
    "beta": "weight of recall (2)",
    "lowercase": "yes to fold case",
}
_TER_OPTIONS = {
    "normalized": "yes to split punctuation",
    "no_punct": "yes to leave it out",
    "asian_support": "yes to split characters",
    "case_sensitive": "yes to keep case",
}
BLEU = MetricEntry("BLEU of sentences, summed over documents and systems (sacrebleu)", _BLEU_OPTIONS, bleu)
CHRF = MetricEntry("chrF of sentences, summed over documents and systems (sacrebleu)", _CHRF_OPTIONS, chrf)
TER = MetricEntry("TER of sentences, negated so that higher is better (sacrebleu)", _TER_OPTIONS, ter)
D_BLEU = MetricEntry(
    "d-BLEU: each document as one line, after Liu et al. 2020 (sacrebleu)", _BLEU_OPTIONS, partial(bleu, whole=True)
)
D_CHRF = MetricEntry("d-chrF: each document as one line (sacrebleu)", _CHRF_OPTIONS, partial(chrf, whole=True))
D_TER = MetricEntry("d-TER: each document as one line, negated (sacrebleu)", _TER_OPTIONS, partial(ter, whole=True))
