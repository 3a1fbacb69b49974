from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.metrics._neural import read_checkpoint


class Callback:
    """Something of a training framework that lies in a checkpoint, and would run code on reading."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('a checkpoint ran code')",))


@pytest.fixture
def folder(torch, tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "hparams.yaml").write_text("class_identifier: regression_metric\npool: avg\n", encoding="utf-8")
    saved = {
        "state_dict": {"estimator.ff.0.weight": torch.ones(2, 3)},
        "hyper_parameters": {"pretrained_model": "some/encoder", "pool": "cls"},
        "callbacks": {Callback: Callback(), "more": [Callback()]},
    }
    torch.save(saved, tmp_path / "checkpoints" / "model.ckpt")
    return tmp_path


def test_weights_and_settings_are_read_and_no_code_is_run(folder):
    for path in (folder, folder / "checkpoints" / "model.ckpt"):
        read = read_checkpoint(path)
        assert read.kind == "regression_metric"
        assert read.settings["pool"] == "cls"  # what the weights were trained with, before what lies beside them
        assert read.weights["estimator.ff.0.weight"].tolist() == [[1, 1, 1], [1, 1, 1]]
        assert read.encoder == "some/encoder"


def test_the_encoder_can_be_named_or_lie_beside(folder):
    assert read_checkpoint(folder, "elsewhere").encoder == "elsewhere"
    (folder / "encoder").mkdir()
    assert read_checkpoint(folder).encoder == str(folder / "encoder")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: (f / "hparams.yaml").unlink(), "no hparams.yaml"),
        (lambda f: (f / "hparams.yaml").write_text("[1, 2", encoding="utf-8"), "not YAML"),
        (lambda f: (f / "hparams.yaml").write_text("class_identifier: ranking_metric"), "'ranking_metric' cannot"),
        (lambda f: (f / "checkpoints" / "model.ckpt").write_bytes(b"no"), "not a checkpoint"),
        (lambda f: (f / "checkpoints" / "model.ckpt").unlink(), "no checkpoint"),
        (lambda f: (f / "checkpoints" / "b.ckpt").write_bytes(b""), "2 checkpoints"),
    ],
)
def test_what_is_no_checkpoint_says_so(folder, spoil, said):
    spoil(folder)
    with pytest.raises(InputError, match=said):
        read_checkpoint(folder)
