"""Are the sentences of Kim (2025), Table 1, counted as Punkt counts them? For those who have NLTK's trained model.

    python benchmarks/check_punkt.py FOLDER RELEASE [TEXT ...]

FOLDER is `tokenizers/punkt_tab/english` of NLTK's data, RELEASE the released data of the paper, and each TEXT a file
whose lines are compared too, one by one and eight together. Prints the counts with the whole model, with the entries
that the study states and, where NLTK up to 3.9 is installed, with NLTK; exit code 1 where they are not the same.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter, defaultdict
from pathlib import Path

from lanner.studies.computations import digest
from lanner.studies.punkt import Model, read, sentences
from lanner.studies.study import judgements, load


def nltk_tokenizer(model: Model) -> object | None:
    try:
        punkt = importlib.import_module("nltk.tokenize.punkt")
    except ModuleNotFoundError:
        return None
    learnt = punkt.PunktParameters()
    learnt.abbrev_types, learnt.sent_starters = set(model.abbreviations), set(model.starters)
    learnt.collocations, learnt.ortho_context = set(model.pairs), defaultdict(int, model.written)
    return punkt.PunktSentenceTokenizer(learnt)


def main() -> None:
    folder, release, *files = map(Path, sys.argv[1:])
    whole = read(folder)
    stated = next(cell.options["punkt"] for cell in load("kim2025").cells if "punkt" in cell.options)
    excerpt = Model(frozenset(stated["abbreviations"]), frozenset(), frozenset(), stated["written"])
    data = judgements(release)
    texts = [(document.domain, segment.source) for document in data.documents("evalset") for segment in document]
    peer = nltk_tokenizer(whole)
    ways = {"whole model": lambda text: sentences(text, whole), "stated entries": lambda text: sentences(text, excerpt)}
    if peer is not None:
        ways["NLTK"] = peer.tokenize  # type: ignore[attr-defined]
    counts = {}
    for name, way in ways.items():
        found: Counter[str] = Counter()
        for domain, text in texts:
            found[domain] += len(way(text))
        counts[name] = found
        print(f"{name:15}", *(f"{domain} {number}" for domain, number in sorted(found.items())))
    failed = len({tuple(sorted(found.items())) for found in counts.values()}) > 1
    print(f"texts as the study expects: {digest(data, 'evalset') == stated['texts']}")
    if peer is not None and files:
        lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
        more = lines + [" ".join(lines[n : n + 8]) for n in range(0, len(lines), 8)]
        other = [text for text in more if ways["whole model"](text) != ways["NLTK"](text)]
        print(f"{len(other)} of {len(more)} further texts are cut otherwise than by NLTK")
        failed |= bool(other)
    sys.exit(failed)


if __name__ == "__main__":
    main()
