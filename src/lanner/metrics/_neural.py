"""Learned metrics: a COMET model from its checkpoint, ready to score (encoder, layer mix, pool and head), sentence by
sentence or with context. Nothing here is imported unless a checkpoint is asked for, and torch only when one is read.

Three kinds: `regression_metric` (source, hypothesis and reference embedded apart), `referenceless_regression_metric`
(without the reference), `unified_metric` (read together as one text, as COMETKiwi does; with source and reference the
score is the mean of hypothesis+source, hypothesis+reference and all three).

Every distinct sentence is tokenised once and every distinct text encoded once: sources and references are shared by
all systems. Texts go through the encoder in batches of like length, on a GPU in bfloat16; the head stays in single
precision.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from lanner.errors import InputError, MissingExtraError, Where, did_you_mean

# COMET checkpoints on disk: a folder with `hparams.yaml` and `checkpoints/model.ckpt`, or the .ckpt itself.
#
# A .ckpt is a pickle, and a pickle can run code. Only tensors and plain containers are made of it here; whatever else
# it names (callbacks and classes of the training framework) becomes an inert stand-in. So no framework is needed to
# read it.

KINDS = ("regression_metric", "referenceless_regression_metric", "unified_metric")
_HARMLESS = {
    ("collections", "OrderedDict"),
    ("builtins", "set"),
    ("builtins", "frozenset"),
    ("torch", "Size"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch._tensor", "_rebuild_from_type_v2"),
    ("torch.storage", "UntypedStorage"),
    ("torch.storage", "TypedStorage"),
}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint says: which kind of model, its settings, its weights; `encoder` names the encoder's
    configuration and tokenizer (a folder, or a name that transformers knows)."""

    path: Path
    kind: str
    settings: Mapping[str, Any]
    weights: Mapping[str, Any] = field(repr=False)
    encoder: str


def read_checkpoint(path: str | Path, encoder: str | None = None) -> Checkpoint:
    """Read a checkpoint. `encoder` says where the encoder's configuration and tokenizer are, if not where the
    checkpoint says; a folder `encoder` beside hparams.yaml is found by itself."""
    file, settings_file = _files(Path(path))
    state = _unpickle(file)
    weights = state.get("state_dict")
    if not isinstance(weights, Mapping) or not weights:
        raise InputError("This checkpoint has no weights (`state_dict`).", where=Where(file))
    file_settings = _settings(settings_file)
    settings = {**file_settings, **dict(state.get("hyper_parameters") or {})}
    if file_settings.get("layer_transformation") == "sparsemax_patch":  # trained with softmax, though it says sparsemax
        settings["layer_transformation"] = "softmax"
    kind = str(file_settings.get("class_identifier") or settings.get("class_identifier") or "")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise InputError(
            f"COMET models of the kind {kind!r} cannot be read.", where=Where(settings_file), next_step=hint
        )
    beside = settings_file.parent / "encoder"
    named = encoder or (str(beside) if beside.is_dir() else str(settings.get("pretrained_model", "")))
    return Checkpoint(file, kind, settings, dict(weights), named)


def _files(path: Path) -> tuple[Path, Path]:
    """The .ckpt and its hparams.yaml."""
    if path.is_dir():
        files = sorted((path / "checkpoints").glob("*.ckpt")) or sorted(path.glob("*.ckpt"))
        if len(files) != 1:
            what = "no checkpoint" if not files else f"{len(files)} checkpoints"
            hint = "Name the .ckpt file, or a folder that holds hparams.yaml and checkpoints/model.ckpt."
            raise InputError(f"There is {what} in it.", where=Where(path), next_step=hint)
        path = files[0]
    if not path.is_file():
        raise InputError("There is no such checkpoint.", where=Where(path), next_step="Name a COMET model's folder.")
    for folder in (path.parent.parent, path.parent):
        if (folder / "hparams.yaml").is_file():
            return path, folder / "hparams.yaml"
    raise InputError("There is no hparams.yaml beside this checkpoint or one folder up.", where=Where(path))


def _settings(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("Reading a COMET checkpoint", "comet") from error
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"This is not YAML: {error}.", where=Where(path)) from error
    if not isinstance(read, dict):
        raise InputError("This has no settings.", where=Where(path))
    return read


class _Inert(dict[Any, Any]):
    """Stands for an object of a class we do not load: takes whatever its pickle gives it, and does nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __setstate__(self, state: Any) -> None:
        del state

    def append(self, value: Any) -> None:
        del value

    def extend(self, values: Any) -> None:
        del values

    __hash__ = object.__hash__  # type: ignore[assignment]


class _Unpickler(pickle.Unpickler):
    """Finds tensors and containers, and stand-ins for all else."""

    def find_class(self, module: str, name: str) -> Any:
        storage = module == "torch" and name.endswith("Storage")
        kind = module == "torch" and name in {"float16", "float32", "float64", "bfloat16", "int64", "bool"}
        if (module, name) in _HARMLESS or storage or kind:
            return super().find_class(module, name)
        return type(name, (_Inert,), {})


def _unpickle(path: Path) -> Mapping[str, Any]:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("Reading a COMET checkpoint", "comet") from error
    reader = ModuleType("inert_pickle")
    reader.__dict__.update(
        {"Unpickler": _Unpickler, "load": lambda file, **options: _Unpickler(file, **options).load()}
    )
    try:
        state = torch.load(path, map_location="cpu", pickle_module=reader, weights_only=False)
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError, AttributeError) as error:
        raise InputError(f"This is not a checkpoint that torch can read: {error}", where=Where(path)) from error
    if not isinstance(state, Mapping):
        raise InputError("This checkpoint has no weights (`state_dict`).", where=Where(path))
    return state


# A text with what precedes it, as token ids that fit into the encoder.
#
# A text is a tuple of strings: the sentences before it, oldest first, and last the sentence that is scored. What does
# not fit is taken from the left, so that the sentence itself stays whole (COMET cuts at the right, which with context
# cuts what is scored). A sentence longer than the encoder is cut at its end, as COMET does. Both are counted.

Text = tuple[str, ...]
Tokens = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Marks:
    """The encoder's own tokens: `between` separators stand between two texts that are read together, and `single` and
    `joint` tokens fit at most, marks included, in one text and in several."""

    begin: int
    end: int
    pad: int
    between: int
    single: int
    joint: int


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids, begin and end included. Tokens 1 to `start` - 1 are context; `first` is the length of the first of
    several texts with its marks, for encoders that tell the first text from the rest."""

    ids: tuple[int, ...]
    start: int = 1
    first: int = 0


@dataclass(slots=True)
class TrimCounts:
    """How many windows lost context at the left, and how many sentences lost their own end."""

    trimmed: int = 0
    cut: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self.trimmed:
            notes.append(f"{self.trimmed:,} contexts were trimmed at their left to fit into the encoder.")
        if self.cut:
            notes.append(f"{self.cut:,} texts are longer than the encoder and were cut at their end.")
        return tuple(notes)


def single(text: Text, tokens: Tokens, marks: Marks, cuts: TrimCounts) -> Window:
    """One text on its own: begin, context, sentence, end, with an end mark after each sentence of the context."""
    context, own = _parts(text, tokens, marks)
    room = marks.single - 2
    head = own[:room]
    before = context[max(0, len(context) - (room - len(head))) :] if len(head) < room else []
    cuts.cut += len(head) < len(own)
    cuts.trimmed += len(before) < len(context)
    return Window((marks.begin, *before, *head, marks.end), start=1 + len(before))


def joint(texts: Sequence[Text], tokens: Tokens, marks: Marks, cuts: TrimCounts) -> Window:
    """Several texts read together: the hypothesis first. Contexts give way before any sentence is cut, the longest
    context first."""
    parts = [_parts(text, tokens, marks) for text in texts]
    own = [sentence[: marks.single - 2] for _, sentence in parts]
    room = marks.joint - 2 - marks.between * (len(texts) - 1) - sum(map(len, own))
    before = _trim([context for context, _ in parts], max(0, room))
    ids: list[int] = [marks.begin]
    for place, (context, sentence) in enumerate(zip(before, own, strict=True)):
        ids += [marks.end] * (marks.between if place else 0)
        ids += [*context, *sentence]
    ids.append(marks.end)
    cuts.trimmed += any(len(new) < len(old) for new, (old, _) in zip(before, parts, strict=True))
    cuts.cut += len(ids) > marks.joint or any(len(new) < len(old) for new, (_, old) in zip(own, parts, strict=True))
    return Window(tuple(ids[: marks.joint]), first=2 + len(before[0]) + len(own[0]))


def _parts(text: Text, tokens: Tokens, marks: Marks) -> tuple[list[int], list[int]]:
    context = [token for sentence in text[:-1] for token in (*tokens[sentence], marks.end)]
    return context, list(tokens[text[-1]])


def _trim(contexts: Sequence[list[int]], room: int) -> list[list[int]]:
    """Contexts that fit into `room` together: the largest common length that does, from the right of each."""
    lengths = sorted(map(len, contexts))
    longest, left = 0, room
    for place, length in enumerate(lengths):
        share = left // (len(lengths) - place)
        if length > share:
            longest = share
            break
        longest, left = length, left - length
    return [context[len(context) - min(len(context), longest) :] for context in contexts]


# Batches of texts of like length: little padding, and as many tokens as the device takes at once.

STEP = 8
"""Batches are padded to a multiple of this, for which matrix units and attention kernels are made."""


def padded(length: int) -> int:
    """The length that a text takes in a batch."""
    return -(-length // STEP) * STEP


def by_length(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Places of `lengths` in batches, longest first, so that memory runs out at once or not at all. A batch has at
    most `tokens` tokens, padding included, and always at least one text."""
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    batches: list[list[int]] = []
    room = 0
    for place in order:
        if room == 0:
            width = padded(lengths[place])
            room = max(1, tokens // max(1, width))
            batches.append([])
        batches[-1].append(place)
        room -= 1
    return batches


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
    """One vector for each text. `mask` is 1 for tokens, `pooled_mask` for those to pool (context is left out);
    `shares` are the weights of the layers that count. With `norm` each layer is standardised over all tokens of its
    text."""
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
class ScoredText:
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
    cuts: TrimCounts = field(default_factory=TrimCounts)

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

    def score(self, samples: Sequence[ScoredText]) -> list[float]:
        """A score for each sample, higher is better."""
        if not samples:
            return []
        self.cuts = TrimCounts()
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

    def _apart(self, samples: Sequence[ScoredText]) -> list[float]:
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

    def _joint(self, samples: Sequence[ScoredText]) -> list[float]:
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

    def _combinations(self, sample: ScoredText) -> tuple[tuple[Text, ...], ...]:
        source = sample.source if "src" in self.inputs else None
        reference = sample.reference if "ref" in self.inputs else None
        if source and reference:
            own = sample.hypothesis
            return (own, source), (own, reference), (own, source, reference)
        other = source or reference
        if other is None:
            raise InputError(f"This model needs the {self.needs[0]}.")
        return ((sample.hypothesis, other),)


def _require_text(sample: ScoredText, name: str) -> Text:
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
