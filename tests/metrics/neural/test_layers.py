from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.metrics._neural import head, layer_weights, pooled, sparsemax

pytestmark = pytest.mark.usefixtures("torch")


def test_sparsemax_is_the_nearest_point_of_the_simplex(torch):
    assert sparsemax(torch.tensor([0.1, 0.1, 0.1])).tolist() == pytest.approx([1 / 3] * 3)
    assert sparsemax(torch.tensor([3.0, 0.0, 0.0])).tolist() == [1, 0, 0]
    assert sparsemax(torch.tensor([1.0, 0.8, -1.0])).tolist() == pytest.approx([0.6, 0.4, 0])


def test_shares_of_layers_are_in_the_order_of_their_numbers(torch):
    saved = {f"layerwise_attention.scalar_parameters.{n}": torch.tensor([float(n)]) for n in range(12)}
    saved["layerwise_attention.gamma"] = torch.tensor([2.0])
    shares = layer_weights(saved, "softmax")
    assert sum(shares) == pytest.approx(2)
    assert shares == sorted(shares)


@pytest.mark.parametrize("pool", ["avg", "max", "cls"])
def test_pooling_before_mixing_is_mixing_before_pooling(torch, pool):
    torch.manual_seed(0)
    layers = [torch.randn(3, 7, 5) + 1 for _ in range(4)]
    mask = torch.tensor([[1] * 7, [1] * 5 + [0] * 2, [1, 1, 0, 0, 0, 0, 0]])
    kept = mask.clone()
    kept[0, 1:4] = 0
    shares = {0: 0.5, 2: 0.3, 3: 0.2}
    found = pooled(layers, mask, kept, shares, pool, norm=True)
    for row in range(3):
        inside = mask[row].bool()
        mixed = 0
        for place, share in shares.items():
            tokens = layers[place][row][inside]
            mixed = mixed + share * (layers[place][row] - tokens.mean()) / tokens.std(correction=0)
        chosen = mixed[kept[row].bool()]
        expected = {"avg": chosen.mean(0), "max": chosen.max(0).values, "cls": mixed[0]}[pool]
        assert found[row].tolist() == pytest.approx(expected.tolist(), abs=1e-5)


def test_an_activation_that_torch_lacks_is_named(torch):
    saved = {f"estimator.ff.{n}.weight": torch.zeros(1, 1) for n in (0, 3)}
    saved |= {f"estimator.ff.{n}.bias": torch.zeros(1) for n in (0, 3)}
    with pytest.raises(InputError, match="'Wiggle'"):
        head(saved, "Wiggle", None)
