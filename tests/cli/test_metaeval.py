import pytest

from cli.command import Command
from data_sets import data_dir

RELEASED = {
    "XCOMET-Ensemble-refA": (0.60399, 0.9394, 0.69532), "MetricX-23-refA": (0.60260, 0.9242, 0.58548),
    "COMET-refA": (0.57401, 0.9697, 0.43240), "GEMBA-MQM-src": (0.57207, 1.0, 0.50214),
    "docWMT22CometDA-refA": (0.55876, 0.9697, 0.39359), "BLEU-refA": (0.51960, 0.8636, 0.19205),
}  # fmt: skip

MTME = {  # acc_eq with every threshold, and soft accuracy, from mt-metrics-eval itself
    "XCOMET-Ensemble-refA": (0.603986, 0.939409), "MetricX-23-refA": (0.602602, 0.928136),
    "COMET-refA": (0.574012, 0.960348), "GEMBA-MQM-src": (0.572069, 0.981939),
    "docWMT22CometDA-refA": (0.558762, 0.964485), "BLEU-refA": (0.519598, 0.857197),
}  # fmt: skip


@pytest.mark.data
def test_metrics_of_wmt23_against_mqm(lanner: Command) -> None:
    names = ",".join(RELEASED)
    arguments = ("metaeval", data_dir("mtme") / "wmt23", "--lp", "en-de", "--gold", "mqm", "--metrics", names)
    envelope = lanner(*arguments, "--json").envelope
    found = {
        row["metric"]: (
            round(row["acc_eq"], 5), round(row["sys_pairwise_accuracy"], 4), round(row["segment_pearson"], 5),
        )
        for row in envelope["rows"]
    }  # fmt: skip
    assert found == RELEASED
    assert "systems 12 · segments 460" in envelope["signature"]
    assert {row["metric"]: (round(row["acc_eq"], 6), round(row["spa_original"], 6)) for row in envelope["rows"]} == MTME
    for row in envelope["rows"]:
        assert abs(row["spa"] - row["spa_original"]) < 0.005  # other draws: sd up to .0016 with a thousand of them
        assert row["missing"] == 0


PEER = {  # mt-metrics-eval's own numbers, system scores as released
    "XCOMET-Ensemble-refA": {
        "acc_eq": 0.603986, "spa": 0.939409, "sys_pairwise_accuracy": 0.939394, "sys_pearson": 0.980235,
        "segment_pearson": 0.695323, "segment_spearman": 0.720401, "segment_kendall": 0.545881,
        "item_pearson": 0.537548, "item_spearman": 0.473515, "item_kendall": 0.379507,
        "system_pearson": 0.675942, "system_kendall": 0.529559,
    },
    "BLEU-refA": {
        "acc_eq": 0.519598, "spa": 0.857197, "sys_pairwise_accuracy": 0.893939, "sys_pearson": 0.916541,
        "segment_pearson": 0.192050, "segment_spearman": 0.192919, "segment_kendall": 0.136640,
        "item_pearson": 0.310111, "item_spearman": 0.290417, "item_kendall": 0.230622,
        "system_pearson": 0.140251, "system_kendall": 0.102749,
    },
}  # fmt: skip


@pytest.mark.data
def test_the_peers_numbers_to_six_digits(lanner: Command) -> None:
    arguments = ("metaeval", data_dir("mtme") / "wmt23", "--metrics", ",".join(PEER), "--compat", "--json")
    envelope = lanner(*arguments).envelope
    found = {row["metric"]: {name: round(row[name], 6) for name in PEER[row["metric"]]} for row in envelope["rows"]}
    assert found == PEER
    assert "As mt-metrics-eval" in " ".join(envelope["notes"])


@pytest.mark.data
def test_names_that_do_not_exist(lanner: Command) -> None:
    folder = data_dir("mtme") / "wmt23"
    for given, said in (
        (("--lp", "en-fr"), "no metric scores for 'en-fr'"),
        (("--lp", "en-de", "--gold", "mqn"), "no human scores called 'mqn'"),
        (("--lp", "en-de", "--metrics", "COMT-refA"), "no metric 'COMT-refA'"),
    ):
        ran = lanner("metaeval", folder, *given)
        assert (ran.code, said in ran.err) == (2, True)


@pytest.mark.data
def test_tests_between_scorers_for_people(lanner: Command) -> None:
    folder = data_dir("mtme") / "wmt23"
    ran = lanner("metaeval", folder, "--metrics", "COMET-refA,BLEU-refA", "--compare", "--swaps", "100")
    assert ran.code == 0
    assert "COMET-refA" in ran.out
    assert "williams" in ran.out
    wrong = lanner("metaeval", folder, "--metrics", "COMET-refA,BLEU-refA", "--compare", "--tests", "wiliams")
    assert (wrong.code, "There is no test 'wiliams'" in wrong.err, "williams" in wrong.err) == (2, True, True)


@pytest.mark.data
def test_slow_tests_of_many_scorers_only_when_asked(lanner: Command) -> None:
    envelope = lanner("metaeval", data_dir("mtme") / "wmt23", "--compare", "--swaps", "20", "--json").envelope
    assert "p_spa" not in envelope["rows"][0]
    assert any("--tests all" in note for note in envelope["notes"])


@pytest.mark.data
def test_the_table_alone_for_a_paper_or_a_sheet(lanner: Command) -> None:
    arguments = ("metaeval", data_dir("mtme") / "wmt23", "--metrics", "COMET-refA,BLEU-refA", "--swaps", "100")
    header, comet, bleu = lanner(*arguments, "--table", "tsv").out.splitlines()
    first = dict(zip(header.split("\t"), comet.split("\t"), strict=True))
    assert (first["metric"], first["group"], round(float(first["acc_eq"]), 5)) == ("COMET-refA", "1", 0.57401)
    assert "BLEU-refA" in bleu
    typeset = lanner(*arguments, "--table", "latex").out
    assert typeset.startswith(r"\begin{table}")
    assert "1 & COMET-refA & .574" in typeset
