"""A real llama.cpp server with a model of random weights: its words mean nothing, its protocol is the true one.

The model file (GGUF, version 3) is written here: one layer, and a vocabulary of bytes and printable characters.
"""

from __future__ import annotations

import importlib
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WIDTH, HEADS, INNER, CONTEXT, SLOTS = 32, 2, 32, 16384, 4
_UINT, _INT, _FLOAT, _STRING, _ARRAY = 4, 5, 6, 8, 9
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
_CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "


def _text(given: str | bytes) -> bytes:
    data = given if isinstance(given, bytes) else given.encode()
    return struct.pack("<Q", len(data)) + data


def _field(name: str, kind: int, value: Any) -> bytes:
    packed = _text(value) if kind == _STRING else struct.pack({_UINT: "<I", _FLOAT: "<f"}[kind], value)
    return _text(name) + struct.pack("<I", kind) + packed


def _list(name: str, kind: int, values: Sequence[Any]) -> bytes:
    head = _text(name) + struct.pack("<IIQ", _ARRAY, kind, len(values))
    if kind == _STRING:
        return head + b"".join(map(_text, values))
    return head + np.asarray(values, "<f4" if kind == _FLOAT else "<i4").tobytes()


def write_model(path: Path, seed: int = 0) -> Path:
    """A model of random weights, the same for the same seed."""
    tokens = [
        b"<unk>",
        b"<s>",
        b"</s>",
        *(b"<0x%02X>" % n for n in range(256)),
        *(bytes([n]) for n in range(0x21, 0x7F)),
    ]
    tokens.append("\u2581".encode())
    kinds = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * 95]
    dice = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(tokens), WIDTH), "output.weight": (len(tokens), WIDTH),
        "output_norm.weight": (WIDTH,),
        "blk.0.attn_norm.weight": (WIDTH,), "blk.0.ffn_norm.weight": (WIDTH,),
        **{f"blk.0.attn_{part}.weight": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate.weight": (INNER, WIDTH), "blk.0.ffn_up.weight": (INNER, WIDTH),
        "blk.0.ffn_down.weight": (WIDTH, INNER),
    }  # fmt: skip
    numbers = {
        "llama.context_length": CONTEXT, "llama.embedding_length": WIDTH, "llama.block_count": 1,
        "llama.feed_forward_length": INNER, "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS, "llama.rope.dimension_count": WIDTH // HEADS,
        "llama.vocab_size": len(tokens), "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }  # fmt: skip
    fields = [
        _field("general.architecture", _STRING, "llama"),
        _field("general.name", _STRING, "tiny-random"),
        *(_field(name, _UINT, value) for name, value in numbers.items()),
        _field("llama.attention.layer_norm_rms_epsilon", _FLOAT, 1e-5),
        _field("tokenizer.ggml.model", _STRING, "llama"),
        _field("tokenizer.ggml.pre", _STRING, "default"),
        _list("tokenizer.ggml.tokens", _STRING, tokens),
        _list("tokenizer.ggml.scores", _FLOAT, [0.0] * 259 + [-float(n) for n in range(95)]),
        _list("tokenizer.ggml.token_type", _INT, kinds),
        _field("tokenizer.chat_template", _STRING, _CHAT),
    ]
    infos, data = [], b""
    for name, shape in shapes.items():
        weights = np.ones(shape) if len(shape) == 1 else dice.standard_normal(shape) * 0.05
        sizes = struct.pack(f"<{len(shape)}Q", *reversed(shape))
        infos.append(_text(name) + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", 0, len(data)))
        data += weights.astype("<f4").tobytes()
        data += b"\0" * (-len(data) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(fields)) + b"".join(fields) + b"".join(infos)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data)
    return path


def serve(path: str) -> None:
    """Serve the model until standard input ends; the address is the first line of standard output."""
    llama = importlib.import_module("xllamacpp")
    options = llama.CommonParams()
    options.model.path = path
    options.n_ctx, options.n_parallel = CONTEXT * SLOTS, SLOTS
    options.hostnames, options.port = ["127.0.0.1"], 0
    options.warmup, options.use_jinja = False, True
    options.cpuparams.n_threads = 1
    server = llama.Server(options)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


@contextmanager
def llama_server(folder: Path) -> Iterator[str]:
    """The base URL of a running server, or a skip where xllamacpp is not installed."""
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: pip install xllamacpp")
    model = write_model(folder / "tiny.gguf")
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, __file__, str(model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdin and process.stdout
    try:
        address = process.stdout.readline().strip()
        assert address, (folder / "server.log").read_text(errors="replace")[-2000:]
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        process.kill()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    serve(sys.argv[1])
