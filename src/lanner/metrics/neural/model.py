"""A COMET model ready to score: encoder, layer mix, pool and head of a checkpoint.

Three kinds: `regression_metric` (source, hypothesis and reference embedded apart), `referenceless_regression_metric`
(without the reference), `unified_metric` (read together as one text, as COMETKiwi does; with source and reference the
score is the mean of hypothesis+source, hypothesis+reference and all three).

Every distinct sentence is tokenised once and every distinct text encoded once: sources and references are shared by
all systems. Texts go through the encoder in batches of like length, on a GPU in bfloat16; the head stays in single
precision.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanner.errors import InputError, MissingExtraError, Where
from lanner.metrics.neural.checkpoint import Checkpoint
from lanner.metrics.neural.windows import Cuts, Marks, Text, Window, by_length, joint, padded, single

# What COMET puts on top of an encoder: a mix of its layers, a pool over tokens, a small feed-forward network.
#
# Written for inference from the published description (Rei et al. 2020; Rei et al. 2022): pooling and the mix are both
# linear, so each layer is pooled first and only vectors are mixed, and the mix of whole layers is never made.

Tensor = Any  # torch is an extra: its types are not known where it is not installed
POOLS = ("avg", "max", "cls", "default")


def sparsemax(scores: Tensor) -> Tensor:
    """The nearest point of the simplex (Martins and Astudillo 2016): like softmax, with zeros."""
    import torch

    descending = torch.sort(scores, descending=True).values
    sums = descending.cumsum(0) - 1
    ranks = torch.arange(1, len(scores) + 1, device=scores.device)
    count = int((ranks * descending > sums).sum())
    return torch.clamp(scores - sums[count - 1] / count, min=0)


def layer_weights(weights: Mapping[str, Tensor], transformation: str) -> list[float]:
    """The share of each layer: softmax or sparsemax of the learned scalars, times gamma."""
    import torch

    prefix = "layerwise_attention.scalar_parameters."
    places = sorted((int(key.removeprefix(prefix)), key) for key in weights if key.startswith(prefix))
    scalars = torch.cat([weights[key].reshape(1).float() for _, key in places])
    shares = sparsemax(scalars) if transformation == "sparsemax" else torch.softmax(scalars, 0)
    gamma = weights["layerwise_attention.gamma"].float()
    return [float(share) for share in shares * gamma]


def pooled(
    layers: Sequence[Tensor], mask: Tensor, pooled_mask: Tensor, shares: Mapping[int, float], pool: str, *, norm: bool
) -> Tensor:
    """One vector for each text. `mask` is 1 for tokens, `kept` for those to pool (context is left out); `shares` are
    the weights of the layers that count. With `norm` each layer is standardised over all tokens of its text."""
    import torch

    if pool == "default":
        return layers[-1][:, 0].float()
    total: Tensor = 0.0
    for place, share in shares.items():
        layer = layers[place]
        values = layer.float() if pool == "max" else _vector(layer, pooled_mask, pool)
        if norm:
            mean, deviation = _spread(layer, mask)
            shape = (-1, *([1] * (values.dim() - 1)))
            values = (values - mean.view(shape)) / deviation.view(shape)
        total = total + share * values
    if pool == "max":
        outside = ~pooled_mask.bool().unsqueeze(-1)
        return torch.masked_fill(total, outside, float("-inf")).max(dim=1).values
    return total


def _vector(layer: Tensor, pooled_mask: Tensor, pool: str) -> Tensor:
    import torch

    if pool == "cls":
        return layer[:, 0].float()
    sums = torch.bmm(pooled_mask.unsqueeze(1).to(layer.dtype), layer).squeeze(1).float()
    return sums / pooled_mask.sum(1, keepdim=True).float()


def _spread(layer: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation over all values of all tokens of each text, summed in single precision."""
    import torch

    weight = mask.float()
    number = weight.sum(1) * layer.shape[-1]
    mean = (layer.sum(-1, dtype=torch.float32) * weight).sum(1) / number
    squares = (torch.linalg.vector_norm(layer, dim=-1, dtype=torch.float32).square() * weight).sum(1)
    variance = torch.clamp(squares / number - mean.square(), min=0)
    return mean, torch.sqrt(variance + 1e-12)


def head(weights: Mapping[str, Tensor], activation: str, final: str | None) -> Any:
    """The feed-forward network that makes a score of a vector, from its saved weights."""
    import torch

    prefix = "estimator.ff."
    names = {int(key.split(".")[2]) for key in weights if key.startswith(prefix)}
    parts: list[Any] = []
    for place in sorted(names):
        matrix, bias = weights[f"{prefix}{place}.weight"], weights[f"{prefix}{place}.bias"]
        linear = torch.nn.utils.skip_init(torch.nn.Linear, matrix.shape[1], matrix.shape[0])
        linear.load_state_dict({"weight": matrix.float(), "bias": bias.float()})
        parts += [_activation(activation), linear] if parts else [linear]
    if final:
        parts.append(_activation(final))
    return torch.nn.Sequential(*parts).eval()


def _activation(name: str) -> Any:
    import torch

    activation = getattr(torch.nn, name.title(), None)
    if activation is None:
        raise InputError(f"The checkpoint asks for the activation {name!r}, which torch does not have.")
    return activation()


log = logging.getLogger("lanner.metrics")

Tokenize = Callable[[list[str]], Sequence[Sequence[int]]]
_NOT_OURS = ("hidden2tag.", "encoder.model.pooler.", "layerwise_attention.dropout_", "wordloss.", "loss.", "sentloss.")
_ROBERTA = ("XLM-RoBERTa", "XLM-RoBERTa-XL")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one score is about. Each text is the sentences before it and itself, last."""

    hypothesis: Text
    source: Text | None = None
    reference: Text | None = None


@dataclass(slots=True)
class Comet:
    """Scores samples. `tokens` is how many tokens go through the encoder at once; `cuts` counts what did not fit."""

    kind: str
    encoder: Any
    head: Any
    tokenize: Tokenize
    marks: Marks
    shares: Mapping[int, float]
    pool: str = "avg"
    norm: bool = False
    inputs: tuple[str, ...] = ("mt", "src", "ref")
    typed: bool = False
    tokens: int = 32_768
    cuts: Cuts = field(default_factory=Cuts)

    @property
    def needs(self) -> tuple[str, ...]:
        """The texts that a sample must have beside the hypothesis."""
        if self.kind == "regression_metric":
            return ("source", "reference")
        if self.kind == "referenceless_regression_metric":
            return ("source",)
        return ("reference",) if "src" not in self.inputs else ("source",)

    @property
    def uses_reference(self) -> bool:
        return self.kind == "regression_metric" or (self.kind == "unified_metric" and "ref" in self.inputs)

    def score(self, samples: Sequence[Sample]) -> list[float]:
        """A score for each sample, higher is better."""
        if not samples:
            return []
        self.cuts = Cuts()
        scores = self._joint(samples) if self.kind == "unified_metric" else self._apart(samples)
        for note in self.cuts.notes:
            log.warning(note)
        return scores

    def embed(self, windows: Sequence[Window]) -> Tensor:
        """One vector in single precision for each window, in their order."""
        import torch

        device = next(self.encoder.parameters()).device
        batches = by_length([len(window.ids) for window in windows], self.tokens)
        with torch.inference_mode():
            counts = [self._vectors([windows[place] for place in places], device) for places in batches]
            order = torch.tensor([place for places in batches for place in places], device=device)
            vectors = torch.empty_like(rows := torch.cat(counts))
            vectors[order] = rows
        return vectors

    def _vectors(self, windows: Sequence[Window], device: Any) -> Tensor:
        """The same for windows that go through the encoder together."""
        ids, mask, pooled_mask, types = (part.to(device, non_blocking=True) for part in self._batch(windows))
        inputs: dict[str, Tensor] = {"input_ids": ids, "attention_mask": mask}
        if self.typed:
            inputs["token_type_ids"] = types
        out = self.encoder(**inputs, output_hidden_states=True, return_dict=True)
        return pooled(out.hidden_states, mask, pooled_mask, self.shares, self.pool, norm=self.norm)

    def _batch(self, windows: Sequence[Window]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        import torch

        lengths = torch.tensor([len(window.ids) for window in windows])
        width = min(padded(int(lengths.max())), max(self.marks.joint, int(lengths.max())))
        places = torch.arange(width)[None, :]
        held = places < lengths[:, None]
        ids = torch.full((len(windows), width), self.marks.pad)
        ids[held] = torch.tensor([token for window in windows for token in window.ids])  # all rows at once
        mask = held.long()
        starts = torch.tensor([window.start for window in windows])[:, None]
        pooled_mask = mask * ((places == 0) | (places >= starts)).long()
        firsts = torch.tensor([window.first for window in windows])[:, None]
        types = ((places >= firsts) & (firsts > 0)).long()
        return ids, mask, pooled_mask, types

    def _tokens(self, texts: Sequence[Text]) -> dict[str, Sequence[int]]:
        sentences = list(dict.fromkeys(sentence for text in texts for sentence in text))
        return dict(zip(sentences, self.tokenize(sentences), strict=True))

    def _apart(self, samples: Sequence[Sample]) -> list[float]:
        import torch

        columns = [[_require_text(sample, name) for sample in samples] for name in ("hypothesis", *self.needs)]
        texts = list(dict.fromkeys(text for column in columns for text in column))
        tokens = self._tokens(texts)
        vectors = self.embed([single(text, tokens, self.marks, self.cuts) for text in texts])
        places = {text: place for place, text in enumerate(texts)}
        rows = [torch.tensor([places[text] for text in column], device=vectors.device) for column in columns]
        scores = []
        with torch.inference_mode():
            for start in range(0, len(samples), 8192):
                hypothesis, source, *more = (vectors[row[start : start + 8192]] for row in rows)
                scores += self.head(_features(hypothesis, source, *more)).view(-1).tolist()
        return scores

    def _joint(self, samples: Sequence[Sample]) -> list[float]:
        import torch

        combinations = [self._combinations(sample) for sample in samples]
        together = list(dict.fromkeys(texts for combinations in combinations for texts in combinations))
        tokens = self._tokens([text for texts in together for text in texts])
        vectors = self.embed([joint(texts, tokens, self.marks, self.cuts) for texts in together])
        with torch.inference_mode():
            scores = self.head(vectors).view(-1).tolist()
        score_by_text = dict(zip(together, scores, strict=True))
        return [
            sum(score_by_text[texts] for texts in combinations) / len(combinations) for combinations in combinations
        ]

    def _combinations(self, sample: Sample) -> tuple[tuple[Text, ...], ...]:
        source = sample.source if "src" in self.inputs else None
        reference = sample.reference if "ref" in self.inputs else None
        if source and reference:
            own = sample.hypothesis
            return (own, source), (own, reference), (own, source, reference)
        other = source or reference
        if other is None:
            raise InputError(f"This model needs the {self.needs[0]}.")
        return ((sample.hypothesis, other),)


def _require_text(sample: Sample, name: str) -> Text:
    text: Text | None = getattr(sample, name)
    if text is None:
        raise InputError(f"This model needs the {name}.")
    return text


def _features(hypothesis: Tensor, source: Tensor, reference: Tensor | None = None) -> Tensor:
    """What the head sees: the vectors, their products and their differences, in the order it was trained with."""
    import torch

    by_source = (hypothesis * source, (hypothesis - source).abs())
    if reference is None:
        return torch.cat((hypothesis, source, *by_source), dim=1)
    by_reference = (hypothesis * reference, (hypothesis - reference).abs())
    return torch.cat((hypothesis, reference, *by_reference, *by_source), dim=1)


def load(checkpoint: Checkpoint, *, device: str | None = None, precision: str | None = None, tokens: int = 0) -> Comet:
    """A model from a checkpoint. On a GPU it runs in bfloat16, else in single precision, unless `precision` says."""
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError("COMET", "comet") from error
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    number = getattr(torch, precision or ("bfloat16" if device.startswith("cuda") else "float32"))
    settings = checkpoint.settings
    family = str(settings.get("encoder_model", "XLM-RoBERTa"))
    borrowed = family == "MiniLM" and not Path(checkpoint.encoder).is_dir()  # that model's own repository has none
    try:
        config = transformers.AutoConfig.from_pretrained(checkpoint.encoder)
        tokenizer = transformers.AutoTokenizer.from_pretrained("xlm-roberta-base" if borrowed else checkpoint.encoder)
    except (OSError, ValueError) as error:
        raise InputError(
            f"The configuration and tokenizer of {checkpoint.encoder!r} cannot be had: {error}",
            where=Where(checkpoint.path),
            next_step="Name a folder that holds them with encoder=FOLDER, or lay it beside hparams.yaml as `encoder`.",
        ) from error
    encoder = transformers.AutoModel.from_config(config, add_pooling_layer=False)
    _fill(encoder, checkpoint)
    layer = settings.get("sent_layer" if checkpoint.kind == "unified_metric" else "layer", "mix")
    pool = "cls" if checkpoint.kind == "unified_metric" else str(settings.get("pool", "avg"))
    if pool not in POOLS:
        raise InputError(f"There is no pooling called {pool!r}.", where=Where(checkpoint.path))
    shares = {int(layer): 1.0} if layer != "mix" else _mix(checkpoint)
    positions = int(config.max_position_embeddings) - 2
    return Comet(
        kind=checkpoint.kind,
        encoder=encoder.to(device, number).eval(),
        head=head(checkpoint.weights, str(settings["activations"]), settings.get("final_activation")).to(device),
        tokenize=lambda texts: tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"],
        marks=Marks(
            begin=int(tokenizer.cls_token_id),
            end=int(tokenizer.sep_token_id),
            pad=int(tokenizer.pad_token_id),
            between=1 if family in ("BERT", "RemBERT") else 2,
            single=positions - 2,
            joint=positions,
        ),
        shares=shares,
        pool=pool,
        norm=layer == "mix" and bool(settings.get("layer_norm", False)),
        inputs=tuple(settings.get("input_segments") or ("mt", "src", "ref")),
        typed=checkpoint.kind == "unified_metric" and family not in _ROBERTA,
        tokens=tokens or (32_768 if device.startswith("cuda") else 4_096),
    )


def _mix(checkpoint: Checkpoint) -> dict[int, float]:
    shares = layer_weights(checkpoint.weights, str(checkpoint.settings.get("layer_transformation", "softmax")))
    return {place: share for place, share in enumerate(shares) if share}


def _fill(encoder: Any, checkpoint: Checkpoint) -> None:
    """The encoder's weights, all of them; what the checkpoint has beside them must be known to be of no use here."""
    prefix = "encoder.model."
    own = {key.removeprefix(prefix): value for key, value in checkpoint.weights.items() if key.startswith(prefix)}
    try:
        missing, left = encoder.load_state_dict(own, strict=False)
    except RuntimeError as error:
        raise InputError(
            f"The weights do not fit the encoder {checkpoint.encoder!r}: {error}",
            where=Where(checkpoint.path),
            next_step="Name the configuration it was trained with by encoder=FOLDER.",
        ) from error
    left = [key for key in left if not key.startswith("pooler.") and not key.endswith("position_ids")]
    prefixes = (prefix, "layerwise_attention.", "estimator.", *_NOT_OURS)
    left += [key for key in checkpoint.weights if not key.startswith(prefixes)]
    if missing or left:
        what = f"{len(missing)} weights are missing and {len(left)} unknown, for instance {[*missing, *left][0]!r}"
        raise InputError(f"The checkpoint is not of its encoder {checkpoint.encoder!r}: {what}.")
