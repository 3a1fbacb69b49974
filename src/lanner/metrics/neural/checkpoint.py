"""COMET checkpoints on disk: a folder with `hparams.yaml` and `checkpoints/model.ckpt`, or the .ckpt itself.

A .ckpt is a pickle, and a pickle can run code. Only tensors and plain containers are made of it here; whatever else it
names (callbacks and classes of the training framework) becomes an inert stand-in. So no framework is needed to read it.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from lanner.errors import InputError, MissingExtraError, Where, did_you_mean

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


def read(path: str | Path, encoder: str | None = None) -> Checkpoint:
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
