"""Document-context scoring with a COMET model on a GPU: an encoder of the size of XLM-R large with random weights.

Ours (every distinct text once, batches of like length) beside the naive loop (a context window for the source, the
hypothesis and the reference of every sample, padded batches in file order) and beside sentence-level scoring; tokens
per second, and the share of the card's own matrix rate, measured in the same run. Without a GPU it says so and ends.

    python benchmarks/bench_metrics_gpu.py [--small]     # --small: a small encoder, also on a CPU, to try the script
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

try:
    import tokenizers
    import torch
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}. Install lanner[comet].")
    sys.exit(0)

from lanner.metrics._neural import Checkpoint, Comet, ScoredText, TrimCounts, _features, load, single

WORDS = 5000
BEFORE = 2


def encoder(folder: Path, small: bool) -> str:
    """Configuration and tokenizer: one token a word."""
    words = [f"w{n}" for n in range(WORDS)]
    vocabulary = {word: place for place, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", "<mask>", *words])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    special = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", unk_token="<unk>", **special
    ).save_pretrained(folder)
    size = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
    if small:
        size = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    transformers.XLMRobertaConfig(
        vocab_size=WORDS + 5 if small else 250_002, max_position_embeddings=514, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, type_vocab_size=1, layer_norm_eps=1e-5, **size,
    ).save_pretrained(folder)  # fmt: skip
    return str(folder)


def checkpoint(folder: str) -> Checkpoint:
    """Random weights as a published model of the kind of COMET-22 has them: layers mixed by sparsemax, averaged."""
    torch.manual_seed(0)
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModel.from_config(config, add_pooling_layer=False)
    weights = {f"encoder.model.{key}": value for key, value in model.state_dict().items()}
    for layer in range(config.num_hidden_layers + 1):
        weights[f"layerwise_attention.scalar_parameters.{layer}"] = torch.randn(1) * 0.02
    weights["layerwise_attention.gamma"] = torch.ones(1)
    for place, (rows, columns) in {
        0: (3072, 6 * config.hidden_size), 3: (1024, 3072), 6: (1, 1024)
    }.items():  # fmt: skip
        weights[f"estimator.ff.{place}.weight"] = torch.randn(rows, columns) / columns**0.5
        weights[f"estimator.ff.{place}.bias"] = torch.zeros(rows)
    settings = {"layer": "mix", "pool": "avg", "layer_transformation": "softmax", "activations": "Tanh"}
    return Checkpoint(Path(folder), "regression_metric", settings, weights, folder)


def corpus(systems: int, documents: int, sentences: int) -> list[ScoredText]:
    """Samples in file order: system by system. Sentences are as long as news sentences are, outputs differ by words."""
    rng = np.random.default_rng(1)

    def sentence() -> str:
        length = int(np.clip(rng.lognormal(3.2, 0.55), 3, 120))
        return " ".join(f"w{n}" for n in rng.integers(WORDS, size=length))

    def near(text: str) -> str:
        words = [f"w{rng.integers(WORDS)}" if rng.random() < 0.2 else word for word in text.split()]
        return " ".join(words[: max(2, int(len(words) * rng.uniform(0.85, 1.1)))])

    texts = [[(sentence(), sentence()) for _ in range(sentences)] for _ in range(documents)]
    made = []
    for _ in range(systems):
        for document in texts:
            sources, references = [s for s, _ in document], [r for _, r in document]
            outputs = [near(r) for r in references]
            for at in range(sentences):
                window = slice(max(0, at - BEFORE), at)
                before = [tuple(column[window]) for column in (outputs, sources, references)]
                own = (outputs[at], sources[at], references[at])
                made.append(ScoredText(*((*context, text) for context, text in zip(before, own, strict=True))))
    return made


def naive(model: Comet, samples: list[ScoredText], size: int) -> tuple[list[float], int]:
    """Three windows for each sample, `size` samples at a time in file order, each batch padded to its longest."""
    device = next(model.encoder.parameters()).device
    scores, tokens = [], 0
    with torch.inference_mode():
        for start in range(0, len(samples), size):
            part = samples[start : start + size]
            vectors = []
            for name in ("hypothesis", "source", "reference"):
                texts = [getattr(sample, name) for sample in part]
                known = model._tokens(texts)
                windows = [single(text, known, model.marks, TrimCounts()) for text in texts]
                tokens += sum(len(window.ids) for window in windows)
                vectors.append(model._vectors(windows, device))
            scores += model.head(_features(*vectors)).view(-1).tolist()
    return scores, tokens


def matrix_rate(device: str) -> float:
    """Products of two large bfloat16 matrices: operations per second."""
    size = 8192 if device == "cuda" else 512
    left, right = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        left @ right
    seconds = []
    for _ in range(10):
        begun = clock(device)
        left @ right
        seconds.append(clock(device) - begun)
    return 2 * size**3 / float(np.median(seconds))


def clock(device: str) -> float:
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def operations(model: Comet, lengths: list[int]) -> float:
    """Multiplications and additions that these texts need, padding not counted: matrices, and attention."""
    layers = [value for name, value in model.encoder.named_parameters() if "layer." in name and value.dim() == 2]
    matrices = sum(value.numel() for value in layers)
    config = model.encoder.config
    attention = 4 * config.num_hidden_layers * config.hidden_size
    return sum(2 * matrices * length + attention * length**2 for length in lengths)


def unique_lengths(model: Comet, samples: list[ScoredText]) -> list[int]:
    texts = list(dict.fromkeys(t for s in samples for t in (s.hypothesis, s.source, s.reference) if t))
    known = model._tokens(texts)
    return [len(single(text, known, model.marks, TrimCounts()).ids) for text in texts]


def timed(model: Comet, samples: list[ScoredText], device: str, times: int = 3) -> tuple[list[float], float]:
    model.score(samples[:2000])
    seconds, scores = [], []
    for _ in range(times):
        begun = clock(device)
        scores = model.score(samples)
        seconds.append(clock(device) - begun)
    return scores, float(np.median(seconds))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--small", action="store_true")
    small = options.parse_args().small
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not small:
        print("skipped: there is no GPU here (--small tries the script on a CPU).")
        return
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    rate = matrix_rate(device)
    print(f"{name}, torch {torch.__version__}, transformers {transformers.__version__}")
    print(f"matrix rate, bfloat16: {rate / 1e12:.1f} TFLOP/s")
    with tempfile.TemporaryDirectory() as folder:
        model = load(checkpoint(encoder(Path(folder), small)), device=device, precision="bfloat16")
    samples = corpus(3, 3, 8) if small else corpus(12, 40, 25)
    alone = [ScoredText(s.hypothesis[-1:], s.source[-1:], s.reference[-1:]) for s in samples]  # type: ignore[index]
    print(f"{len(samples):,} samples, {BEFORE} sentences before; {model.tokens:,} tokens at once")
    for label, given in (("sentences alone", alone), ("with context", samples)):
        scores, seconds = timed(model, given, device)
        lengths = unique_lengths(model, given)
        share = operations(model, lengths) / seconds / rate
        print(
            f"ours, {label}: {seconds:.2f} s, {len(given) / seconds:,.0f} samples/s, "
            f"{sum(lengths) / seconds:,.0f} tokens/s of {len(lengths):,} texts, {share:.0%} of the matrix rate"
        )
    few = samples[:: max(1, len(samples) // 600)]
    half = model.score(few)
    model.encoder.float()
    whole, _ = naive(model, few, 16)
    model.encoder.bfloat16()
    gap = max(abs(a - b) for a, b in zip(half, whole, strict=True))
    print(f"bfloat16 beside the naive loop in single precision, {len(few)} samples: largest difference {gap:.1e}")
    for size in (16, 64):
        naive(model, samples[: 20 * size], size)
        begun = clock(device)
        expected, tokens = naive(model, samples, size)
        slow = clock(device) - begun
        gap = max(abs(a - b) for a, b in zip(scores, expected, strict=True))
        print(
            f"naive loop, batches of {size}: {slow:.2f} s, {len(samples) / slow:,.0f} samples/s, "
            f"{tokens / slow:,.0f} tokens/s; ours is {slow / seconds:.1f}x; largest difference of scores {gap:.1e} "
            f"(scores from {min(expected):.3f} to {max(expected):.3f})"
        )


if __name__ == "__main__":
    main()
