"""A small XLM-R with a tokenizer of its own and random weights, made when tests need it: the architecture is the real
one, the size is not. Tests that need torch are skipped without it, and fail instead where LANNER_TEST_METRICS is set
(`make test-metrics` sets it)."""

from __future__ import annotations

import os
import random
import warnings
from pathlib import Path

import pytest

WORDS = [
    *("the", "a", "cat", "dog", "saw", "ran", "house", "tree", "river", "she", "he", "it", "they"),
    *("was", "were", "will", "not", "and", "but", "because", "of", "in", "on", "to"),
]
FORCED = bool(os.environ.get("LANNER_TEST_METRICS"))


def sentence(rng: random.Random, longest: int = 12) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, longest)))


@pytest.fixture(scope="session")
def torch():
    if FORCED:
        import torch
    else:
        torch = pytest.importorskip("torch", reason="torch is not installed: run make test-metrics")
    torch.set_num_threads(1)
    return torch


@pytest.fixture(scope="session")
def comet(torch):
    """The reference implementation, which warns of the age of its own dependencies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if FORCED:
            import comet
            from comet import models  # noqa: F401
        else:
            comet = pytest.importorskip("comet", reason="unbabel-comet is not installed: run make test-metrics")
    return comet


@pytest.fixture(scope="session")
def encoder_folder(torch, tmp_path_factory) -> Path:
    """The configuration and tokenizer of a small XLM-R."""
    return make_encoder(tmp_path_factory.mktemp("encoder"))


def make_encoder(folder: Path, positions: int = 66) -> Path:
    import tokenizers
    import transformers

    rng = random.Random(1)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made = tokenizers.Tokenizer(tokenizers.models.Unigram())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.WhitespaceSplit(), tokenizers.pre_tokenizers.Metaspace()]
    )
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    made.train_from_iterator([sentence(rng) for _ in range(300)], trainer)
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.XLMRobertaTokenizerFast(tokenizer_object=made).save_pretrained(folder)
    transformers.XLMRobertaConfig(
        vocab_size=made.get_vocab_size(), hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=48, max_position_embeddings=positions, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        type_vocab_size=1, initializer_range=0.4,
    ).save_pretrained(folder)  # fmt: skip
    return folder


@pytest.fixture
def samples() -> list[dict[str, str]]:
    rng = random.Random(7)
    made = [{key: sentence(rng, 20) for key in ("src", "mt", "ref")} for _ in range(24)]
    return [*made, {**made[0], "mt": ""}, {"src": "cat " * 90, "mt": "dog " * 90, "ref": "tree " * 5}]
