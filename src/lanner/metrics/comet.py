"""COMET, COMETKiwi and any model of their kind from a checkpoint on disk, sentence by sentence or with context.

With `before=N` it is Doc-COMET (Vernikos et al. 2022) for that model: each text is read after the N sentences that
precede it in its document; only its own tokens are pooled. The source is read after the source; the hypothesis after
the reference (`context=reference`, the published way) or after the system's own output (`context=hypothesis`). What
does not fit the encoder is trimmed from the left and counted. Needs lanner[comet]; the weights are yours to bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanner.errors import LannerError, check_known
from lanner.metrics._neural import Comet, ScoredText, Text, load, read_checkpoint
from lanner.metrics._rating import Languages, Metric, Ratio, Translation
from lanner.stats.resample import Array

TITLE = "COMET, COMETKiwi and Doc-COMET from a checkpoint on disk (model=FOLDER, before=N for context)"
OPTIONS = {
    "model": (
        "the model's folder (hparams.yaml, checkpoints/model.ckpt), or its .ckpt; get one, for instance, by "
        "`hf download Unbabel/wmt22-comet-da`, or Unbabel/wmt22-cometkiwi-da after accepting its licence there"
    ),
    "encoder": "the folder or name of the encoder's configuration and tokenizer (where the checkpoint says)",
    "before": "how many sentences before are read as context (0)",
    "context": "what precedes the hypothesis: reference or hypothesis (reference, where the model uses one)",
    "reference": "no to leave the reference out, for models that can do without (yes)",
    "name": "what the metric is called (the model's folder)",
    "device": "cuda, cpu … (the GPU, if there is one)",
    "precision": "bfloat16, float32 … (bfloat16 on a GPU)",
    "tokens": "how many tokens go through the encoder at once",
}
CONTEXTS = ("reference", "hypothesis")


@dataclass(slots=True)
class CometMetric(Ratio):
    """A loaded model as a metric."""

    name: str
    model: Comet
    before: int = 0
    context: str = "reference"
    reference: bool = True
    whole: bool = False
    precision: str = ""

    @property
    def signature(self) -> str:
        read = f"before:{self.before}|context:{self.context}" if self.before else "before:0"
        return f"lanner|{self.model.kind}|{read}|{self.precision}"

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        """Every sample of every system in one call, so that what they share is encoded once."""
        samples: list[ScoredText] = []
        for part in translations:
            for at in np.flatnonzero(part.counted):
                samples += self._samples(part, int(at))
        scores = iter(self.model.score(samples))
        parts = []
        for part in translations:
            rows = np.zeros((len(part.segments), 2))
            for at in np.flatnonzero(part.counted):
                values = [next(scores) for _ in range(max(1, len(part.references)))]
                rows[at] = sum(values) / len(values), 1
            parts.append(rows)
        return parts

    def _samples(self, part: Translation, at: int) -> list[ScoredText]:
        """One for each reference, or one without."""
        source = self._text(part.sources, part.sources, at)
        if not part.references:
            return [ScoredText(self._text(part.outputs, part.outputs, at), source)]
        return [
            ScoredText(
                self._text(reference if self.context == "reference" else part.outputs, part.outputs, at),
                source,
                self._text(reference, reference, at),
            )
            for reference in part.references
        ]

    def _text(self, before: Sequence[str], own: Sequence[str], at: int) -> Text:
        """A document's own sentences only: a window never reaches into the document before."""
        return (*before[max(0, at - self.before) : at], own[at])


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    del languages  # the encoders are multilingual
    if "model" not in options:
        raise LannerError(
            "COMET needs the weights of a model.",
            next_step="Download one (hf download Unbabel/wmt22-comet-da --local-dir wmt22-comet-da) and name its "
            "folder: --option model=wmt22-comet-da.",
        )
    context = str(options.get("context", "reference"))
    check_known(context, CONTEXTS, f"There is no context {context!r}.")
    before, tokens = (_number(options, name) for name in ("before", "tokens"))
    read = read_checkpoint(str(options["model"]), options.get("encoder"))
    model = load(read, device=options.get("device"), precision=options.get("precision"), tokens=tokens)
    uses = model.uses_reference and str(options.get("reference", "yes")).casefold() not in {"no", "false", "0"}
    if not uses and "reference" in model.needs:
        raise LannerError("This model cannot do without the reference.", next_step="Leave out --option reference=no.")
    name = str(options.get("name") or _name(Path(options["model"])))
    return CometMetric(
        f"doc-{name}" if before and not options.get("name") else name,
        model,
        before,
        context if uses else "hypothesis",
        uses,
        precision=str(next(model.encoder.parameters()).dtype).removeprefix("torch."),
    )


def _number(options: dict[str, Any], name: str) -> int:
    try:
        number = int(options.get(name, 0))
    except ValueError:
        number = -1
    if number < 0:
        raise LannerError(f"{name} is a whole number from 0, not {options[name]!r}.")
    return number


def _name(path: Path) -> str:
    """The model's folder; a .ckpt lies one or two folders down."""
    folder = path.resolve() if path.is_dir() else path.resolve().parent
    return (folder.parent if folder.name == "checkpoints" else folder).name
