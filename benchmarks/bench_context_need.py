"""Which sentences need the text around them: fit the weights of `lanner.corpus.context_need`, and cross-validate them.

    python benchmarks/bench_context_need.py [--data FOLDER] [--write]

The labels are those of the three judges of Kim (2025), 809 English sentences of 38 documents: a sentence needs the text
when two of three chose Local, Extended or Global (Universal is knowledge that no text around it gives). Documents are
left out ten at a time, five times, so that no sentence is predicted from its own document. `--write` writes the weights
fitted on everything to `src/lanner/corpus/context_need.toml`.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

from lanner.corpus.context_need import FEATURES, features

TEXT_LEVELS = {"Local", "Extended", "Global"}
PENALTY = 0.1
TARGET = Path(__file__).resolve().parents[1] / "src" / "lanner" / "corpus" / "context_need.toml"


def data_folder(argument):
    places = [argument, os.environ.get("LANNER_DATA"), Path(__file__).resolve().parents[2] / "shared" / "data"]
    return next(Path(place) / "h-falcon" for place in places if place and (Path(place) / "h-falcon").is_dir())


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(folder):
    """Features, labels, documents, domains and each judge's labels."""
    texts = rows(folder / "data" / "evalset.csv")
    votes = defaultdict(list)
    for judge in (1, 2, 3):
        for row in rows(folder / "human" / "evalset" / f"judge{judge}.csv"):
            votes[row["idx"]].append(row["context"] in TEXT_LEVELS)
    previous, values = None, []
    for row in texts:
        values.append(features(row["source"], opens_document=row["doc"] != previous))
        previous = row["doc"]
    votes_of = np.array([votes[row["idx"]] for row in texts], dtype=float)
    documents = np.array([row["doc"] for row in texts])
    return np.array(values), votes_of.sum(1) >= 2, documents, np.array([row["domain"] for row in texts]), votes_of


def fit(values, labels):
    """Weights on the features as they are, fitted on standardised ones."""
    scaler = StandardScaler().fit(values)
    model = LogisticRegression(C=PENALTY, max_iter=2000).fit(scaler.transform(values), labels)
    scale = np.where(scaler.scale_ > 0, scaler.scale_, 1.0)
    weights = model.coef_[0] / scale
    return float(model.intercept_[0] - weights @ scaler.mean_), weights


def predict(fitted, values):
    return 1 / (1 + np.exp(-(fitted[0] + values @ fitted[1])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    values, labels, documents, domains, votes = read(data_folder(arguments.data))
    print(f"{len(labels)} sentences, {len(set(documents))} documents, {labels.mean():.0%} need the text around them")
    held_out = np.zeros(len(labels))
    for train, test in GroupKFold(n_splits=10, shuffle=True, random_state=5).split(values, labels, documents):
        held_out[test] = predict(fit(values[train], labels[train]), values[test])
    print(
        f"AUC {roc_auc_score(labels, held_out):.3f}, average precision {average_precision_score(labels, held_out):.3f}"
    )
    for domain in sorted(set(domains)):
        own = domains == domain
        auc = roc_auc_score(labels[own], held_out[own])
        print(f"  {domain:10} {own.sum():4} sentences, {labels[own].mean():.0%}, AUC {auc:.3f}")
    length = values[:, list(FEATURES).index("length")]
    print(f"by length alone: AUC {max(roc_auc_score(labels, sign * length) for sign in (1, -1)):.3f}")
    judges = [roc_auc_score(votes[:, one], votes[:, other]) for one in range(3) for other in range(3) if one != other]
    print(f"one judge predicts another: AUC {np.mean(judges):.3f}")
    per_document = [
        (labels[documents == name].mean(), held_out[documents == name].mean(), (documents == name).sum())
        for name in sorted(set(documents))
    ]
    large = np.array([row[:2] for row in per_document if row[2] >= 5])
    print(f"documents of five sentences or more ({len(large)}): r = {np.corrcoef(large.T)[0, 1]:.2f}")
    fifth = np.argsort(-held_out)[: len(labels) // 5]
    print(f"the fifth with the highest probability: {labels[fifth].mean():.0%} need the text")
    intercept, weights = fit(values, labels)
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"  {name:20} {weight:8.3f}")
    if arguments.write:
        lines = [
            "# Fitted by benchmarks/bench_context_need.py on the released FALCON labels of Kim (2025).",
            f"intercept = {intercept:.4f}",
            "",
            "[weight]",
        ]
        lines += [f"{name} = {weight:.4f}" for name, weight in zip(FEATURES, weights, strict=True)]
        TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
