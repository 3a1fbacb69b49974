from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.metrics import Languages, make, rate
from lanner.metrics._protocol import answers, protocol
from metrics.texts import documents


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
