"""What COMET puts on top of an encoder: a mix of its layers, a pool over tokens, a small feed-forward network.

Written for inference from the published description (Rei et al. 2020; Rei et al. 2022): pooling and the mix are both
linear, so each layer is pooled first and only vectors are mixed, and the mix of whole layers is never made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanner.errors import InputError

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
