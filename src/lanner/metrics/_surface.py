"""BLEU, chrF and TER as sacrebleu computes them, of segments, of documents as one line, of systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanner.errors import LannerError, MissingExtraError
from lanner.metrics._rating import Languages, Translation
from lanner.model import languages as known_languages
from lanner.stats.resample import Array


@dataclass(slots=True)
class Surface:
    """One of sacrebleu's metrics. `corpus` scores sums over lines, `line` one line alone; `better` is −1 where its own
    numbers are lower for better texts (TER): what is stored is negated then, so that higher is better."""

    name: str
    corpus: Any
    line: Any
    whole: bool = False
    better: float = 1.0
    reference: bool = True

    @property
    def top(self) -> float:
        return 100.0 if self.better > 0 else 0.0

    @property
    def signature(self) -> str:
        if not hasattr(self.corpus, "num_refs"):
            self.corpus.num_refs = None  # known once texts were counted
        signature = str(self.corpus.get_signature()).replace("nrefs:None|", "")
        return f"sacrebleu {signature}" + ("|negated" if self.better < 0 else "") + ("|documents" if self.whole else "")

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        """sacrebleu's own counts for each line, or for each document as one line."""
        cache: dict[tuple[tuple[str, ...], ...], list[Any]] = {}
        results = []
        for part in translations:
            references = [self._lines(column, part.counted) for column in part.references]
            key = tuple(map(tuple, references))
            if key not in cache:  # the references of a document are the same for all systems: counted once
                cache[key] = self.corpus._cache_references(references)
            rows = [
                self.corpus._compute_segment_statistics(self.corpus._preprocess_segment(line), reference_info)
                for line, reference_info in zip(self._lines(part.outputs, part.counted), cache[key], strict=True)
            ]
            results.append(np.array(rows, float) if self.whole else _spread(rows, part.counted))
        return results

    def score(self, sums: Array, *, single: bool) -> float:
        metric = self.line if single else self.corpus
        return self.better * float(metric._compute_score_from_stats(sums.tolist()).score)

    def _lines(self, texts: Sequence[str], counted: Sequence[bool]) -> list[str]:
        scored_texts = [text for text, counts in zip(texts, counted, strict=True) if counts]
        return [" ".join(text.strip() for text in scored_texts)] if self.whole else scored_texts


def _spread(rows: Sequence[Sequence[float]], counted: Sequence[bool]) -> Array:
    """Zeros for the lines that do not count, so that places stay and sums do not change."""
    counts_by_segment = np.zeros((len(counted), len(rows[0])))
    counts_by_segment[np.flatnonzero(counted)] = rows
    return counts_by_segment


def sacrebleu_metric(name: str) -> Any:
    """A class of sacrebleu, or the sentence that says how to install it."""
    try:
        from sacrebleu import metrics
    except ImportError as error:
        raise MissingExtraError(name, "metrics") from error
    return getattr(metrics, name)


def bleu(languages: Languages, options: Mapping[str, Any], *, whole: bool = False) -> Surface:
    """BLEU with the tokenizer of the target language. Sentences use the orders they have (`effective_order`)."""
    bleu = sacrebleu_metric("BLEU")
    target = known_languages.normal(languages.target).split("-")[0]
    settings = {"trg_lang": target, "force": True, **_typed(options, lowercase=_flag, tokenize=str, smooth_method=str)}
    try:
        corpus, line = bleu(**settings), bleu(**settings, effective_order=True)
    except (RuntimeError, ImportError, SystemExit) as error:  # sacrebleu's word for a tokenizer that is not installed
        raise LannerError(
            f"sacrebleu cannot split {target!r} into words here: {error}",
            next_step=f'Install "sacrebleu[{target}]", or name another tokenizer: --option tokenize=char.',
        ) from error
    return Surface("d-BLEU" if whole else "BLEU", corpus, corpus if whole else line, whole)


def chrf(_: Languages, options: Mapping[str, Any], *, whole: bool = False) -> Surface:
    """chrF; with `word_order=2` chrF++."""
    settings = _typed(options, word_order=int, char_order=int, beta=int, lowercase=_flag)
    corpus = sacrebleu_metric("CHRF")(**settings)
    name = "chrF" + "+" * min(2, int(settings.get("word_order", 0)))
    return Surface(f"d-{name}" if whole else name, corpus, corpus, whole)


def ter(languages: Languages, options: Mapping[str, Any], *, whole: bool = False) -> Surface:
    """TER, negated; languages without spaces are split into characters."""
    target = known_languages.normal(languages.target).split("-")[0]
    asian = {"asian_support": True, "normalized": True} if target in {"zh", "ja", "ko", "th"} else {}
    settings = asian | _typed(options, normalized=_flag, no_punct=_flag, asian_support=_flag, case_sensitive=_flag)
    corpus = sacrebleu_metric("TER")(**settings)
    return Surface("d-TER" if whole else "TER", corpus, corpus, whole, better=-1.0)


def _flag(text: Any) -> bool:
    return text if isinstance(text, bool) else str(text).casefold() in {"1", "yes", "true", "on"}


def _typed(options: Mapping[str, Any], **kinds: Callable[[Any], Any]) -> dict[str, Any]:
    try:
        return {name: kinds[name](value) for name, value in options.items()}
    except ValueError as error:
        raise LannerError(f"An option is not what it should be: {error}.") from error
