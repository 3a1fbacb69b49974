"""Every analysis command with every option all of them share, on a plain table and on a campaign's own answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.command import Command

OWN: dict[str, tuple[str, ...]] = {  # what each command must be told besides
    "agreement": ("--resamples", "50"),
    "associate": ("--of", "score", "--resamples", "50"),
    "regress": ("--outcome", "score", "--blocks", "label"),
    "prefer": (),
    "effort": (),
    "plan": ("--studies", "50"),
}


def write(folder: Path, *, domains: bool = True) -> dict[str, Path]:
    """A table of ratings and one of preferences: three judges, eight documents of three sentences."""
    rng = np.random.default_rng(2)
    rated, preferred = ["judge,document,segment,domain,system,score,label,seconds"], []
    preferred.append("judge,document,segment,domain,system,label")
    for d in range(8):
        domain = ("news", "talk")[d % 2] if domains else ""
        for s in range(3):
            true = rng.normal(60, 15)
            for judge in ("ann", "ben", "cem"):
                score, label = (
                    round(true + rng.normal(0, 8)),
                    "abc"[int(np.clip(true // 20 - 1 + rng.integers(0, 2), 0, 2))],
                )
                rated.append(f"{judge},d{d},{s},{domain},mt,{score},{label},{rng.integers(5, 90)}")
                preferred.append(f"{judge},d{d},{s},{domain},human|mt,{rng.choice(['a', 'a', 'b', 'tie'])}")
    made = {name: folder / f"{name}.csv" for name in ("rated", "preferred")}
    made["rated"].write_text("\n".join(rated), encoding="utf-8")
    made["preferred"].write_text("\n".join(preferred), encoding="utf-8")
    return made


def ask(lanner: Command, command: str, files: dict[str, Path], *options: str) -> Any:
    return lanner(command, files["preferred" if command == "prefer" else "rated"], *OWN[command], *options)


@pytest.mark.parametrize("command", OWN)
def test_text_says_what_was_found_and_json_holds_the_same(lanner: Command, tmp_path: Path, command: str) -> None:
    files = write(tmp_path)
    text = ask(lanner, command, files)
    assert text.code == 0, text.err
    assert text.err == ""
    assert max(map(len, text.out.splitlines())) > 60  # a sentence, not numbers alone
    made = ask(lanner, command, files, "--from", "ratings", "--json").envelope
    assert made["rows"]
    signatures = made["signature"].splitlines()
    assert signatures and all("lanner " in signature for signature in signatures)
    shown = [line.strip() for line in text.out.splitlines()]
    more = shown[-1].startswith("… ")
    assert shown[-3 - more : len(shown) - more] == signatures[:3] if more else shown[-len(signatures) :] == signatures


@pytest.mark.parametrize("command", OWN)
def test_each_domain_by_itself(lanner: Command, tmp_path: Path, command: str) -> None:
    files = write(tmp_path)
    rows = ask(lanner, command, files, "--by", "domain", "--json").envelope["rows"]
    assert {row["domain"] for row in rows} == {"news", "talk"}
    text = ask(lanner, command, files, "--by", "domain").out
    assert "news" in text
    assert "talk" in text


@pytest.mark.parametrize("command", OWN)
def test_without_domains_it_is_said(lanner: Command, tmp_path: Path, command: str) -> None:
    ran = ask(lanner, command, write(tmp_path, domains=False), "--by", "domain")
    assert ran.code == 2
    assert "says nothing about domains" in ran.err
    assert "Leave out --by domain" in ran.err


@pytest.mark.parametrize("command", OWN)
def test_some_judges_alone_and_one_who_is_not_there(lanner: Command, tmp_path: Path, command: str) -> None:
    files = write(tmp_path)
    made = ask(lanner, command, files, "--judges", "ann,ben", "--json").envelope
    assert made["rows"]
    assert "cem" not in str(made["rows"])
    ran = ask(lanner, command, files, "--judges", "ann,bne")
    assert ran.code == 2
    assert "no judge 'bne'" in ran.err
    assert "ben" in ran.err


@pytest.mark.parametrize("command", [*OWN, "facets", "scores", "diagnose"])
def test_several_language_pairs_are_not_pooled_without_a_word(lanner: Command, tmp_path: Path, command: str) -> None:
    errors = '"[{""category"": ""accuracy"", ""severity"": ""minor"", ""start"": 0, ""end"": 3}]"'
    asked = (*OWN.get(command, ()), *(("-q", "score") if command in ("facets", "scores", "plan") else ()))

    def notes(*pairs: str) -> list[str]:
        rows = [f"judge,document,segment,lp,system,{'label' if command == 'prefer' else 'score,label,errors'},seconds"]
        for at in range(24):
            lp, label = pairs[at // 3 % len(pairs)], ("one", "two", "tie")[at % 3]
            for judge in ("ann", "ben"):
                own = f"{judge},d{at // 3},{at},{lp}"
                if command == "prefer":
                    rows.append(f"{own},one|two,{label},{20 + at}")
                    continue
                for system in ("one", "two"):
                    score = 40 + (at * ord(judge[0]) + ord(system[0])) ** 2 % 41
                    rows.append(f"{own},{system},{score},{label},{errors if command == 'diagnose' else ''},{20 + at}")
        path = tmp_path / f"{len(pairs)}.csv"
        path.write_text("\n".join(rows), encoding="utf-8")
        return list(lanner(command, path, *asked, "--json").envelope["notes"])

    assert any("2 language pairs (en-de, en-ko)" in note for note in notes("en-de", "en-ko"))
    assert not any("language pairs" in note for note in notes("en-de"))
