"""Our reading of COMET checkpoints beside the reference implementation: same file, same texts, same scores."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import yaml

from lanner.errors import InputError
from lanner.metrics._neural import Checkpoint, ScoredText, load, read_checkpoint

pytestmark = [
    pytest.mark.usefixtures("torch"),
    pytest.mark.filterwarnings("ignore"),  # of the reference implementation, about its own dependencies
]


def saved(comet, torch, folder: Path, encoder: Path, kind: str, **settings) -> Path:
    """A checkpoint of the reference implementation with random weights, written by its own framework."""
    import pytorch_lightning

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    torch.manual_seed(5)
    classes = comet.models.str2model
    settings = {"hidden_sizes": [24, 12], "load_pretrained_weights": False, "local_files_only": True, **settings}
    model = classes[kind](pretrained_model=str(encoder), **settings)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "layerwise_attention" in name or "estimator" in name:
                value.copy_(torch.randn_like(value) * 0.7)
    trainer = pytorch_lightning.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, max_epochs=1,
    )  # fmt: skip
    trainer.strategy.connect(model)
    (folder / "checkpoints").mkdir(parents=True)
    trainer.save_checkpoint(folder / "checkpoints" / "model.ckpt", weights_only=True)
    described = {**model.hparams, "class_identifier": kind}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    return folder


def reference(comet, folder: Path, samples: list[dict[str, str]], *, context: bool = False) -> list[float]:
    model = comet.load_from_checkpoint(str(folder / "checkpoints" / "model.ckpt"), local_files_only=True)
    if context:
        model.enable_context()
    found = model.predict(samples, batch_size=5, gpus=0, accelerator="cpu", num_workers=0, progress_bar=False)
    return found.scores


def ours(folder: Path, samples: list[dict[str, str]], **options) -> list[float]:
    model = load(read_checkpoint(folder), device="cpu", tokens=200, **options)
    keys = {"hypothesis": "mt", "source": "src", "reference": "ref"}
    return model.score([ScoredText(**{o: (s[k],) for o, k in keys.items() if k in s}) for s in samples])


REGRESSION = {
    "as published": {"layer": "mix", "pool": "avg", "layer_norm": False, "layer_transformation": "sparsemax"},
    "normalised": {"layer": "mix", "pool": "avg", "layer_norm": True, "layer_transformation": "softmax"},
    "max": {"layer": "mix", "pool": "max", "layer_norm": True, "layer_transformation": "softmax"},
    "cls": {"layer": "mix", "pool": "cls", "layer_norm": True, "layer_transformation": "sparsemax"},
    "one layer": {"layer": 2, "pool": "avg", "final_activation": "Sigmoid"},
    "last": {"layer": 3, "pool": "default"},
}


@pytest.mark.parametrize("kind", ["regression_metric", "referenceless_regression_metric"])
@pytest.mark.parametrize("settings", REGRESSION.values(), ids=REGRESSION)
def test_regression_models_score_as_the_reference_does(comet, torch, tmp_path, encoder_folder, samples, kind, settings):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, kind, **settings)
    assert ours(folder, samples) == pytest.approx(reference(comet, folder, samples), abs=2e-5)


@pytest.mark.parametrize("word_level", [False, True])
@pytest.mark.parametrize("inputs", [["mt", "src"], ["mt", "ref"], ["mt", "src", "ref"]], ids="+".join)
def test_unified_models_score_as_the_reference_does(
    comet, torch, tmp_path, encoder_folder, samples, inputs, word_level
):
    settings = {"input_segments": inputs, "sent_layer": "mix", "word_layer": 2, "word_level_training": word_level}
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "unified_metric", **settings)
    wanted = [{key: sample[key] for key in inputs} for sample in samples]
    wanted = [sample for sample in wanted if all(sample.values())]  # the reference cannot batch an empty text
    assert ours(folder, wanted) == pytest.approx(reference(comet, folder, wanted), abs=2e-5)


def test_a_unified_model_with_references_works_without_them(comet, torch, tmp_path, encoder_folder, samples):
    settings = {"input_segments": ["mt", "src", "ref"], "sent_layer": 1}
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "unified_metric", **settings)
    wanted = [{key: sample[key] for key in ("mt", "src")} for sample in samples if sample["mt"]]
    assert ours(folder, wanted) == pytest.approx(reference(comet, folder, wanted), abs=2e-5)


def test_a_checkpoint_that_says_sparsemax_but_was_trained_with_softmax(
    comet, torch, tmp_path, encoder_folder, samples, monkeypatch
):
    settings = {"sent_layer": "mix", "layer_transformation": "sparsemax", "input_segments": ["mt", "src"]}
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "unified_metric", **settings)
    sharp = ours(folder, samples[:5])
    described = yaml.safe_load((folder / "hparams.yaml").read_text("utf-8"))
    described["layer_transformation"] = "sparsemax_patch"
    (folder / "hparams.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    soft = ours(folder, samples[:5])
    assert soft != pytest.approx(sharp, abs=1e-4)


@pytest.mark.parametrize("kind", ["regression_metric", "referenceless_regression_metric"])
def test_context_scores_as_the_reference_does(comet, torch, tmp_path, encoder_folder, samples, kind):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, kind, layer_norm=True)
    short = [{key: " ".join(text.split()[:3]) for key, text in sample.items()} for sample in samples]
    joined, windows = [], []
    for place, sample in enumerate(short):
        before = short[max(0, place - 2) : place]
        held = {"src": "src", "mt": "ref", "ref": "ref"}  # the hypothesis is read after the reference, as published
        texts = {key: (*(b[held[key]] for b in before), sample[key]) for key in held}
        joined.append({key: " </s> ".join(text) for key, text in texts.items()})
        windows.append(ScoredText(texts["mt"], texts["src"], texts["ref"]))
    model = load(read_checkpoint(folder), device="cpu")
    assert model.score(windows) == pytest.approx(reference(comet, folder, joined, context=True), abs=2e-5)
    assert not model.cuts.notes
    alone = ours(folder, short)
    assert alone[0] == pytest.approx(model.score(windows)[0], abs=1e-5)  # the first has nothing before it
    assert alone[5:10] != pytest.approx(model.score(windows)[5:10], abs=1e-4)


def test_context_that_does_not_fit_is_trimmed_and_told(comet, torch, tmp_path, encoder_folder, caplog):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "regression_metric")
    model = load(read_checkpoint(folder), device="cpu")
    own, long = ("the cat ran",), "the dog saw the house " * 30
    with caplog.at_level(logging.WARNING, "lanner.metrics"):
        scores = model.score([ScoredText((long, *own), (long, *own), (long, *own)), ScoredText(own, own, own)])
    assert model.cuts.trimmed == 1
    assert "trimmed" in caplog.text
    assert scores[0] != pytest.approx(scores[1], abs=1e-4)  # what is left of the context still counts


def test_every_distinct_text_is_encoded_once(comet, torch, tmp_path, encoder_folder, samples):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "regression_metric")
    model = load(read_checkpoint(folder), device="cpu")
    rows = []
    encode = model.encoder.forward
    model.encoder.forward = lambda **given: rows.extend(given["input_ids"].tolist()) or encode(**given)
    first = ScoredText((samples[0]["mt"],), (samples[0]["src"],), (samples[0]["ref"],))
    others = [ScoredText((samples[n]["mt"],), first.source, first.reference) for n in range(1, 9)]
    scores = model.score([first, *others, first])
    assert len(rows) == 2 + 9  # one source, one reference, nine hypotheses
    assert scores[0] == pytest.approx(scores[-1], abs=1e-6)  # a row's place in a matrix may move its last bit


def test_batches_do_not_change_scores(comet, torch, tmp_path, encoder_folder, samples):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "regression_metric")
    given = [ScoredText((s["mt"],), (s["src"],), (s["ref"],)) for s in samples]
    one = load(read_checkpoint(folder), device="cpu", tokens=1).score(given)
    assert load(read_checkpoint(folder), device="cpu", tokens=10_000).score(given) == pytest.approx(one, abs=1e-5)


def test_half_precision_is_near(comet, torch, tmp_path, encoder_folder, samples):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "regression_metric", layer_norm=True)
    half, whole = ours(folder, samples, precision="bfloat16"), ours(folder, samples)
    assert half != whole
    assert torch.corrcoef(torch.tensor([half, whole]))[0, 1] > 0.98  # random heads are steep: units differ, order stays


def test_what_a_model_needs_is_asked_for(comet, torch, tmp_path, encoder_folder):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "regression_metric")
    model = load(read_checkpoint(folder), device="cpu")
    with pytest.raises(InputError, match="needs the reference"):
        model.score([ScoredText(("a",), ("b",))])
    assert model.needs == ("source", "reference")


def test_weights_of_another_encoder_are_refused(comet, torch, tmp_path, encoder_folder):
    folder = saved(comet, torch, tmp_path / "model", encoder_folder, "regression_metric")
    read = read_checkpoint(folder)
    wrong = dict(read.weights)
    wrong.pop("encoder.model.encoder.layer.0.attention.self.query.weight")
    wrong["encoder.model.encoder.layer.9.extra"] = torch.zeros(1)
    with pytest.raises(InputError, match="1 weights are missing and 1 unknown"):
        load(Checkpoint(read.path, read.kind, read.settings, wrong, read.encoder), device="cpu")
