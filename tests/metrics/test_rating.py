from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanner import campaign, metrics
from lanner.analysis.material import from_campaign
from lanner.errors import InputError, LannerError
from lanner.metrics import Languages, make, rate
from lanner.metrics._rating import answers, protocol
from metrics.texts import documents


class Length:
    """A metric that counts words: enough to see what `rate` does with any metric."""

    name, reference, whole, signature = "length", False, False, "words"

    def counts(self, translations):
        return [np.array([[len(line.split()), 1.0] for line in part.outputs]) for part in translations]

    def score(self, sums, *, single):
        return float(sums[0] / sums[1]) if sums[1] else float("nan")


def test_segments_documents_and_systems_come_from_the_same_counts():
    rating = rate(documents(), Length())
    by_stage = {}
    for judgement in rating.judgements:
        by_stage.setdefault(judgement.stage, []).append(judgement)
    assert {stage: len(made) for stage, made in by_stage.items()} == {"document": 6, "segment": 12, "system": 2}
    first = [j.value for j in by_stage["segment"] if j.systems == ("good",) and j.document == "d0"]
    assert first == [5, 4, 6]
    assert by_stage["document"][0].value == 5
    good = next(row for row in rating.result.rows if row["system"] == "good")
    assert good["score"] == pytest.approx((5 + 4 + 6 + 4 + 7 + 6) / 6)
    assert good["low"] < good["score"] < good["high"]
    assert good["n"] == 3
    assert rating.judge.id == "length-src"
    assert rating.judge.attributes["signature"] == "words"
    assert "by words · interval jackknife-t 95% by document" in str(rating.result.signature)


def test_what_is_missing_or_context_only_is_not_rated_and_moves_nothing():
    given = documents()
    first, second, *rest = given[0].segments
    changed = (replace(first, judged=False), replace(second, outputs={"bad": "Gone."}), *rest)
    rating = rate([replace(given[0], segments=changed), *given[1:]], Length())
    found = {(j.systems[0], j.segment): j for j in rating.judgements if j.document == "d0" and j.stage == "segment"}
    assert found["good", "0"].value is None
    assert found["good", "1"].flags == ("missing",)
    assert found["good", "2"].value == 6
    assert found["bad", "1"].value == 1


def test_systems_and_references_can_be_chosen_and_must_exist():
    assert {row["system"] for row in rate(documents(), Length(), systems=["bad"]).result.rows} == {"bad"}
    bleu = metrics.make("bleu", Languages("de", "en"))
    assert rate(documents(), bleu, references=["refA"]).judge.id == "BLEU-refA"
    with pytest.raises(InputError, match="no reference 'refB'"):
        rate(documents(), bleu, references=["refB"])
    with pytest.raises(InputError, match="needs a reference"):
        rate(documents(references=False), bleu)
    with pytest.raises(InputError, match="no output"):
        rate([], Length())


def test_a_reference_is_not_rated_against_itself():
    def twice(segment):
        output, reference = segment.outputs, segment.references
        return replace(
            segment,
            references={**reference, "refB": output["good"]},
            outputs={**output, "refA": reference["refA"]},
        )

    both = [replace(document, segments=tuple(map(twice, document.segments))) for document in documents()]
    bleu = metrics.make("bleu", Languages("de", "en"))
    together = rate(both, bleu)
    assert together.judge.id == "BLEU-refA.refB"
    assert {row["system"] for row in together.result.rows} == {"good", "bad"}
    assert "Not rated against themselves: refA." in " ".join(together.result.notes)
    assert "refA" in {row["system"] for row in rate(both, bleu, references=["refB"]).result.rows}
    with pytest.raises(InputError, match="rated against itself"):
        rate(both, bleu, systems=["refA"])


def test_metrics_are_found_by_name_and_their_options_are_checked():
    assert {"bleu", "chrf", "ter", "d-bleu", "d-chrf", "d-ter"} <= set(metrics.names())
    assert set(metrics.titles()) == set(metrics.names())
    with pytest.raises(LannerError, match="no metric 'blew'") as error:
        metrics.make("blew", Languages())
    assert "bleu" in error.value.next_step
    with pytest.raises(LannerError, match="no option 'tokenise'") as error:
        metrics.make("bleu", Languages(), tokenise="char")
    assert "tokenize" in error.value.next_step


def test_the_door_knows_its_names_only():
    with pytest.raises(AttributeError, match="no attribute 'rater'"):
        metrics.rater  # noqa: B018


def test_scores_come_in_by_the_same_door_and_come_out_as_they_were(store):
    rating = rate(documents(), make("chrf", Languages("de", "en")))
    kept = answers(rating.judgements)
    assert {j.question for j in kept} == {"score", "document_score"}
    done = campaign.import_campaign(store, "metrics", kept, protocol(), documents=documents(), judges=[rating.judge])
    assert (done.judgements, dict(done.flags)) == (12 + 6, {})
    table = from_campaign(store, "metrics").table
    assert set(table["judge_kind"]) == {"metric"}
    found = {tuple(row) for row in table.select("system", "document", "segment", "score").iter_rows()}
    assert found == {(j.systems[0], j.document, j.segment, j.value) for j in rating.judgements if j.document}


def test_only_numbers_for_texts_are_kept():
    rating = rate(documents(), make("d-bleu", Languages("de", "en")))
    assert {j.question for j in answers(rating.judgements)} == {"document_score"}
    assert protocol().label == "metric_scores@1.0"
