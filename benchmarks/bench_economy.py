"""How much human work an adaptive campaign saves: replays of released campaigns whose answers are all known.

    python benchmarks/bench_economy.py [--seeds 500] [--data FOLDER] [--only NAME] [--goal KIND] [--json FILE]
    python benchmarks/bench_economy.py --ratings FILE [--seeds 500] …
    python benchmarks/bench_economy.py --worlds [--seeds 60]

FOLDER (LANNER_DATA, else ../shared/data) may be a test set in the mt-metrics-eval layout, hold any of them (also under
`mtme/`), the ESA export of WMT24 under `wmt24/` and H-FALCON under `h-falcon/`; whatever is there is replayed. FILE is
a table (.csv or .tsv) with columns system, doc, seg and score, optionally judge; every other column of numbers is taken
for a metric. Higher scores are better: MQM as negative penalties. Human references among the systems, systems with less
than nine tenths of the segments of others and segments that some system lacks are left out. `--worlds` says how often
intervals of "precision" hold in simulated campaigns of known truth.

Every method judges whole documents. At each look (a twentieth of the documents) its decisions are held against those
of the complete campaign (t tests by document, Holm over pairs):

- `reach`: the share of the complete campaign's judgements at which at least 95 % of its decisions are made (ranking),
  all beaten systems are beaten (best), the pair is decided (better), all means are known to ± x (precision);
- `stop`: the share at which a method with a rule for stopping stops, with the decisions it has made by then;
- `wrong`: the share of runs with any decision against the order of the complete campaign (best: that lost its best);
- `cover`: how often the 95 % interval at the stop holds what the complete campaign says.

Methods: `uniform` (documents in chance order, every system, plain means, the same boundary), `ours`, `ours, these`
(the claim is about these documents only), subset2evaluate's selectors where that package is installed (documents by the
mean utility of their segments, a fixed-sample test as if drawn by chance) and Pearmut's dynamic assignment as its
documentation states it (cold start of 5 a system, then two systems by 1/rank on the document judged least; a quarter of
the seeds, since each draw is small). `hindsight` (a fifth of the seeds) is `ours` with documents drawn by what their
answers will turn out to say, which no rule can know: about the most that any rule of drawing could save.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import time
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy import stats

from lanner.stats.allocation import Allocation
from lanner.stats.goals import FIRST_DOCUMENTS, Answers, Goal, GoalKind, State, start, stopped_intervals, take_look
from lanner.stats.sampling import Draws, estimate

try:
    from subset2evaluate import select_subset
except ImportError:
    select_subset = None

LOOKS = 20
ENOUGH = 0.95
REFERENCE = re.compile(r"ref(erence)?[-_.]?[a-z0-9]?|human([-_.]?(ref|[a-z0-9]))?(\.0)?", re.IGNORECASE)
"""How human translations are called among systems."""
PREFERRED = ("MetricX-23-refA", "MetricX-24", "XCOMET-Ensemble-refA", "XCOMET", "COMET-refA", "BLEURT-20-refA")


@dataclass(frozen=True)
class Campaign:
    """A complete campaign: document totals (documents × systems), predictions, and segments for selectors."""

    name: str
    systems: tuple[str, ...]
    sizes: np.ndarray
    totals: np.ndarray
    predictions: np.ndarray | None
    segments: list[dict]
    metric: str

    @property
    def means(self):
        return self.totals.sum(0) / self.sizes.sum()

    @property
    def pairs(self):
        return list(combinations(range(len(self.systems)), 2))


def data_folder(argument):
    places = [argument, os.environ.get("LANNER_DATA"), Path(__file__).resolve().parents[2] / "shared" / "data"]
    return next((Path(place) for place in places if place and Path(place).is_dir()), None)


def read_scores(path):
    scores = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, _, value = line.partition("\t")
        scores.setdefault(system, []).append(np.nan if value.strip() in ("None", "") else float(value))
    return {system: np.array(values) for system, values in scores.items()}


def released(folder):
    """Every campaign of every language pair in the mt-metrics-eval layout."""
    places = ("mtme/*/human-scores", "*/human-scores", "human-scores")
    for path in sorted({path for place in places for path in folder.glob(f"{place}/*.seg.score")}):
        pair, _, kind = path.name.removesuffix(".seg.score").partition(".")
        root = path.parents[1]
        documents = root / "documents" / f"{pair}.docs"
        if any(word in kind for word in ("raw", "z.", "merged")):
            continue
        if not documents.exists():
            print(f"{path} is left out: there is no {documents}.")
            continue
        campaign = one_released(root, pair, kind, path)
        if campaign is not None:
            yield campaign


def one_released(root, pair, kind, path):
    name = f"{root.name} {pair} {kind}"
    human = read_scores(path)
    lines = (root / "documents" / f"{pair}.docs").read_text(encoding="utf-8").splitlines()
    if any(len(values) != len(lines) for values in human.values()):
        print(f"{name} is left out: systems do not have a score for each of the {len(lines)} segments.")
        return None
    systems, used = usable(name, human, lines)
    if not systems:
        return None
    scores = np.array([human[system] for system in systems])
    metrics = read_metrics(root / "metric-scores" / pair, systems, used)
    number = np.unique([line for line, keep in zip(lines, used, strict=True) if keep], return_inverse=True)[1]
    outputs = {name: root / "system-outputs" / pair / f"{name}.txt" for name in systems}
    texts = {name: file.read_text(encoding="utf-8").splitlines() for name, file in outputs.items() if file.exists()}
    return assembled(name, systems, scores[:, used], number, metrics, texts, np.flatnonzero(used))


def usable(name, human, documents):
    """The systems to replay and the segments that all of them have a score for; none where that is too little."""
    others = {system: values for system, values in human.items() if not REFERENCE.fullmatch(system)}
    most = max((int(np.isfinite(values).sum()) for values in others.values()), default=0)
    systems = tuple(sorted(s for s, values in others.items() if most and np.isfinite(values).sum() >= 0.9 * most))
    used = np.all([np.isfinite(human[system]) for system in systems], axis=0) if systems else np.zeros(0, dtype=bool)
    count = len({line for line, keep in zip(documents, used, strict=False) if keep})
    if gone := sorted(set(human) - set(systems)):
        print(f"{name}: without {', '.join(gone)} (human, or lacking segments).")
    if systems and used.sum() < len(used):
        print(f"{name}: {int(used.sum())} of {len(used)} segments have a score of all {len(systems)} systems.")
    if len(systems) < 2 or count < FIRST_DOCUMENTS:
        print(f"{name} is left out: {len(systems)} systems share {count} documents; a replay needs 2 and "
              f"{FIRST_DOCUMENTS}.")  # fmt: skip
        return (), used
    return systems, used


def from_table(path):
    """A campaign from a plain table of ratings."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if path.suffix.lower() in (".tsv", ".tab") else ","))
    heads = [head for head in (rows[0] if rows else ()) if head]
    names = {head.strip().lower(): head for head in heads}
    lacking = [want for want in ("system", "doc", "seg", "score") if want not in names]
    if lacking:
        raise SystemExit(
            f"{path} has no column {', '.join(lacking)}; it needs system, doc, seg and score, and has "
            f"{', '.join(heads) or 'none'}."
        )
    kinds = [head for low, head in names.items() if low not in ("system", "doc", "seg", "score", "judge")]
    cells = {}
    for line, row in enumerate(rows, 2):
        key = tuple((row[names[want]] or "").strip() for want in ("doc", "seg", "system"))
        cell = cells.setdefault(key, {head: [] for head in ("score", *kinds)})
        cell["score"].append(read_number(row[names["score"]], f"{path}, line {line}, score"))
        for head in kinds:
            cell[head].append(read_number(row[head]))
    places = list(dict.fromkeys(key[:2] for key in cells))
    systems = sorted({key[2] for key in cells})

    def scores_of(head, system):
        found = (cells.get((*place, system)) for place in places)
        return np.array([np.mean(cell[head]) if cell else np.nan for cell in found])

    documents = [document for document, _ in places]
    kept, used = usable(path.stem, {system: scores_of("score", system) for system in systems}, documents)
    if not kept:
        return
    metrics = {head: np.array([scores_of(head, system) for system in kept])[:, used] for head in kinds}
    metrics = {head: values for head, values in metrics.items() if np.isfinite(values).all() and values.std() > 0}
    if gone := [head for head in kinds if head not in metrics]:
        print(f"{path.stem}: columns without a varying number in every row are no metrics: {', '.join(gone)}.")
    number = np.unique(np.array(documents)[used], return_inverse=True)[1]
    scores = np.array([scores_of("score", system) for system in kept])[:, used]
    yield assembled(path.stem, kept, scores, number, metrics)


def read_number(text, where=""):
    """A number, NaN for none. With `where`, anything else is refused."""
    text = (text or "").strip()
    try:
        return float(text) if text.lower() not in ("", "na", "nan", "none", "null") else np.nan
    except ValueError:
        if where:
            raise SystemExit(f"{where}: {text!r} is not a number.") from None
        return np.nan


def read_metrics(folder, systems, used):
    """Segment scores of every metric that scored all systems, the random baseline left out."""
    metrics = {}
    for path in sorted(folder.glob("*.seg.score")) if folder.is_dir() else ():
        name = path.name.removesuffix(".seg.score")
        scores = read_scores(path)
        if "random" in name.lower() or any(
            system not in scores or len(scores[system]) != len(used) for system in systems
        ):
            continue
        values = np.array([scores[system] for system in systems])[:, used]
        if np.isfinite(values).all() and values.std() > 0:
            metrics[name] = values
    return metrics


def assembled(name, systems, scores, number, metrics, texts=None, places=None):
    """`scores` is systems × segments, `number` the document of each segment."""
    documents = int(number.max()) + 1

    def totals(values):
        return np.stack([np.bincount(number, weights=row, minlength=documents) for row in values], axis=1)

    sizes = np.bincount(number, minlength=documents).astype(float)
    free = [key for key in metrics if key.endswith("-src")] or list(metrics)
    predictions = (
        sum(totals((metrics[m] - metrics[m].mean()) / metrics[m].std()) for m in free) / len(free) if free else None
    )
    metric = next((want for want in PREFERRED if want in metrics), next(iter(metrics), ""))
    segments = []
    for at in range(scores.shape[1]):
        segment = {"i": at, "document": int(number[at]), "src": "", "scores": {s: {} for s in systems}}
        if metric:
            segment["scores"] = {s: {metric: float(metrics[metric][row, at])} for row, s in enumerate(systems)}
        if texts and len(texts) == len(systems) and places is not None:
            segment["tgt"] = {s: texts[s][places[at]] for s in systems}
        segments.append(segment)
    return Campaign(name, systems, sizes, totals(scores), predictions, segments, metric)


def wmt24(folder):
    """The ESA export of WMT24: for each language pair the documents that every kept system was judged on."""
    for path in sorted(folder.glob("wmt24/humeval/*.csv")):
        latest = {}
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                judge, system, item, kind, _, target, score, document = row[:8]
                if kind != "TGT" or "tutorial" in system or "#" in document or "canary" in document.lower():
                    continue
                key = (target, system, document, item, judge)
                if key not in latest or float(row[11]) >= latest[key][0]:
                    latest[key] = (float(row[11]), float(score))
        for target in sorted({key[0] for key in latest}):
            campaign = from_ratings(f"wmt24 {target} esa", {k[1:]: v[1] for k, v in latest.items() if k[0] == target})
            if campaign is not None:
                yield campaign


def from_ratings(name, ratings):
    """Ratings by (system, document, item, judge): the mean over judges, of the documents all systems share."""
    cells = {}
    for (system, document, item, _), score in ratings.items():
        cells.setdefault((document, item), {}).setdefault(system, []).append(score)
    counts = {}
    for by_system in cells.values():
        for system in by_system:
            counts[system] = counts.get(system, 0) + 1
    systems = tuple(sorted(system for system, count in counts.items() if count >= 0.8 * max(counts.values())))
    whole = sorted(key for key, by_system in cells.items() if all(system in by_system for system in systems))
    documents = sorted({document for document, _ in whole})
    if len(systems) < 2 or len(documents) < 30:
        return None
    scores = np.array([[np.mean(cells[key][system]) for key in whole] for system in systems])
    return assembled(name, systems, scores, np.array([documents.index(key[0]) for key in whole]), {})


def hfalcon(folder):
    """H-FALCON's holistic scores of one system, two judges: precision only."""
    texts = folder / "h-falcon" / "data" / "subset.csv"
    if not texts.exists():
        return
    with texts.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    judged = []
    for path in sorted((folder / "h-falcon" / "human" / "subset").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            judged.append({row["idx"]: float(row["tot_score"]) for row in csv.DictReader(file) if row["tot_score"]})
    kept = [row for row in rows if all(row["idx"] in one for one in judged)]
    names = list(dict.fromkeys(row["doc"] for row in kept))
    scores = np.array([[np.mean([one[row["idx"]] for one in judged]) for row in kept]])
    yield assembled("h-falcon en-ko total", ("target",), scores, np.array([names.index(r["doc"]) for r in kept]), {})


# what the complete campaign says


def complete_answers(campaign, order=None):
    n = len(campaign.sizes)
    order = np.arange(n) if order is None else order
    chances = 1 / np.arange(n, n - len(order), -1.0)
    shown = (len(order),) * len(campaign.systems)
    return Answers(Draws(campaign.sizes, order, chances), campaign.systems, campaign.totals, None, shown)


def fixed_sample(campaign, goal, order):
    """Decisions of a test at one fixed sample, taken as drawn by chance from many documents."""
    sizes, totals = campaign.sizes[order], campaign.totals[order]
    draws = Draws(sizes, np.arange(len(order)), 1 / np.arange(len(order), 0, -1.0))
    answers = Answers(draws, campaign.systems, totals, None, (len(order),) * len(campaign.systems))
    return take_look(replace(goal, margin=0.0), answers, start(goal, campaign.systems), 1, 1), answers


def decisions(standing):
    return {pair: winner for pair, winner in zip(standing.pairs, standing.winners, strict=True) if winner >= 0}


def beaten(made):
    return {a if winner == b else b for (a, b), winner in made.items()}


def reached(goal, made, full):
    if goal.kind is GoalKind.BEST:
        return beaten(full) <= beaten(made)
    same = sum(made.get(pair) == winner for pair, winner in full.items())
    return same >= ENOUGH * len(full)


def agreeing(goal, made, full):
    """The share of the complete campaign's decisions that are made: pairs, or systems that are not the best."""
    if goal.kind is GoalKind.BEST:
        return len(beaten(full) & beaten(made)) / max(1, len(beaten(full)))
    return np.mean([made.get(pair) == winner for pair, winner in full.items()]) if full else 1.0


def wrong(campaign, made, goal):
    means = campaign.means
    if goal.kind is GoalKind.BEST:
        return int(np.argmax(means)) in beaten(made)
    return any(means[winner] < means[a if winner == b else b] for (a, b), winner in made.items())


# methods


class Hindsight(Allocation):
    """Documents are drawn as if all answers were known: by the root of what they say about the open pairs, for each
    judgement (Neyman's rule)."""

    def __init__(self, *given, totals, **options):
        super().__init__(*given, floor=0.1, **options)
        self._everything = totals
        self.renew(self.standing, weights=self._tilt(None))

    def _tilt(self, _answers):
        standing = self.standing
        pairs = [pair for pair, state in zip(standing.pairs, standing.states, strict=True) if state is State.OPEN]
        first, second = np.array(pairs).T
        values = self._everything[:, first] - (
            self._everything[:, second] if self.goal.kind is not GoalKind.PRECISION else 0
        )
        left = values - np.outer(self.sizes, values.sum(0) / self.sizes.sum())
        return np.sqrt((left**2 / (left**2).mean(0)).mean(1) / self.sizes)


def run_sequential(campaign, goal, seed, *, hindsight=False, **options):
    """One campaign with a rule for stopping, and what it shows at each look."""
    predictions = campaign.predictions if options.pop("predicts") else None
    options |= {"seed": seed, "looks": LOOKS, **({"totals": campaign.totals} if hindsight else {})}
    own = (Hindsight if hindsight else Allocation)(goal, campaign.systems, campaign.sizes, predictions, **options)
    trail = []
    while (following := own.next_draw()) is not None:
        own.add(following)
        values = np.full(len(campaign.systems), np.nan)
        values[list(following.systems)] = campaign.totals[following.document, list(following.systems)]
        own.record(following.document, values)
        if own.look_due():
            trail.append((own.judgements, own.look()))
    return own, trail


def measure_sequential(campaign, goal, full, cost, seed, **options):
    own, trail = run_sequential(campaign, goal, seed, **options)
    answers = own.answers()
    made = decisions(own.standing)
    if goal.kind is GoalKind.PRECISION:
        estimates, truth = answers.means(), campaign.means
        at = own.judgements
    else:
        estimates = answers.differences(own.standing.pairs)
        truth = np.array([campaign.means[a] - campaign.means[b] for a, b in own.standing.pairs])
        at = next((spent for spent, standing in trail if reached(goal, decisions(standing), full)), np.nan)
    known = np.isfinite(estimates.value)
    low, high = stopped_intervals(
        goal, estimates, own.standing, share=len(own.complete) / len(campaign.sizes),
        documents=len(campaign.sizes), looks=LOOKS, of_complete=True,
    )  # fmt: skip
    inside = ((low - 1e-9 <= truth) & (truth <= high + 1e-9))[known]
    same = agreeing(goal, made, full)
    return {
        "reach": at / cost, "stop": own.judgements / cost, "same": same, "wrong": wrong(campaign, made, goal),
        "cover": inside.mean(),
    }  # fmt: skip


def measure_selector(campaign, goal, full, cost, order):
    """Documents in a fixed order, tested at each twentieth as if they had been drawn by chance."""
    n = len(order)
    at, made, covered = np.nan, {}, np.nan
    for look in range(1, LOOKS + 1):
        count = max(8, look * n // LOOKS)
        standing, answers = fixed_sample(campaign, goal, order[:count])
        made = decisions(standing)
        if reached(goal, made, full):
            shown = len(start(goal, campaign.systems).active)
            at = campaign.sizes[order[:count]].sum() * shown
            estimates = answers.differences(standing.pairs)
            truth = np.array([campaign.means[a] - campaign.means[b] for a, b in standing.pairs])
            covered = np.mean(np.abs(estimates.value - truth) <= estimates.half_width(0.05))
            break
    return {"reach": at / cost, "stop": np.nan, "same": np.nan, "wrong": wrong(campaign, made, goal), "cover": covered}


def selector_orders(campaign):
    """Documents by the mean utility of their segments, best first, for each of subset2evaluate's selectors."""
    if select_subset is None or not campaign.metric:
        return {}
    chosen = {"metric_var": {}, "metric_avg": {}, "metric_cons": {}}
    if all("tgt" in segment for segment in campaign.segments):
        chosen["diversity"] = {"metric": "unigram"}
    orders = {}
    for method, options in chosen.items():
        items = [dict(segment) for segment in campaign.segments]
        ranked = select_subset.basic(items, method=method, **{"metric": campaign.metric, **options})
        utility, count = np.zeros(len(campaign.sizes)), np.zeros(len(campaign.sizes))
        for item in ranked:
            utility[item["document"]] += float(item["subset2evaluate_utility"])
            count[item["document"]] += 1
        orders[f"subset2evaluate {method}"] = np.argsort(-utility / np.maximum(count, 1), kind="stable")
    return orders


def measure_pearmut(campaign, goal, full, cost, seed, *, models=2, cold_start=5):
    """Pearmut's dynamic assignment; two systems are compared by the documents both were judged on."""
    rng = np.random.default_rng(seed)
    n, s = campaign.totals.shape
    judged, sums, lengths = np.zeros((n, s), dtype=bool), np.zeros(s), np.zeros(s)
    spent, mark, at, made, covered = 0.0, cost / LOOKS, np.nan, {}, np.nan
    while not judged.all():
        counts = judged.sum(0)
        if counts.min() < cold_start:
            chosen = rng.choice(s, size=min(models, s), replace=False)
        else:
            means = sums / np.maximum(1, lengths)
            chance = 1 / stats.rankdata(-means)
            chance[judged.all(0)] = 0
            open_ = int((chance > 0).sum())
            chosen = rng.choice(s, size=min(models, open_), replace=False, p=chance / chance.sum())
        load = judged[:, chosen].sum(1) + rng.random(n) * 0.5
        document = int(np.argmin(load))
        new = [k for k in chosen if not judged[document, k]]
        judged[document, new] = True
        sums[new] += campaign.totals[document, new]
        lengths[new] += campaign.sizes[document]
        spent += campaign.sizes[document] * len(new)
        if spent >= mark or judged.all():
            mark += cost / LOOKS
            made, covered = common_documents(campaign, goal, judged)
            if reached(goal, made, full):
                at = spent
                break
    return {"reach": at / cost, "stop": np.nan, "same": np.nan, "wrong": wrong(campaign, made, goal), "cover": covered}


def common_documents(campaign, goal, judged):
    """Decisions from the documents that both systems of a pair were judged on."""
    pairs = list(start(goal, campaign.systems).pairs)
    values, p, inside = [], [], []
    for a, b in pairs:
        order = np.flatnonzero(judged[:, a] & judged[:, b])
        if len(order) < 8:
            values.append(0.0)
            p.append(1.0)
            continue
        draws = Draws(campaign.sizes[order], np.arange(len(order)), 1 / np.arange(len(order), 0, -1.0))
        own = estimate(draws, (campaign.totals[order, a] - campaign.totals[order, b])[:, None])
        values.append(float(own.value[0]))
        p.append(float(own.p()[0]))
        inside.append(abs(own.value[0] - campaign.means[a] + campaign.means[b]) <= own.half_width(0.05)[0])
    level = goal.level * (2 / (len(campaign.systems) - 1) if goal.kind is GoalKind.BEST else 1)
    made = {}
    for rank, at in enumerate(np.argsort(p, kind="stable")):
        if p[at] > (level / (len(p) - rank) if goal.kind is GoalKind.RANK else level):
            break
        made[pairs[at]] = pairs[at][0] if values[at] > 0 else pairs[at][1]
    return made, float(np.mean(inside)) if inside else np.nan


# running


def goals_of(campaign):
    """The goals to replay: for pairs an easy, a middling and a hard one of those the complete campaign decides."""
    if len(campaign.systems) > 1:
        yield "rank", Goal(GoalKind.RANK)
        yield "best", Goal(GoalKind.BEST)
        answers = complete_answers(campaign)
        own = answers.differences(campaign.pairs)
        error = np.sqrt(own.document_variance)
        t = np.divide(np.abs(own.value), error, out=np.zeros(len(error)), where=error > 0)
        decided = [at for at in np.argsort(t) if t[at] > 2]
        for name, share in (("hard", 0.1), ("middling", 0.4), ("easy", 0.8)):
            if decided:
                a, b = campaign.pairs[decided[int(share * (len(decided) - 1))]]
                yield f"better, {name}", Goal(GoalKind.BETTER, campaign.systems[a], campaign.systems[b])
    half = complete_answers(campaign).means()
    width = float(np.median(half.half_width(0.05))) * 1.5
    if np.isfinite(width):  # scores vary
        yield "precision", Goal(GoalKind.PRECISION, half_width=width)


def replay(campaign, name, goal, seeds):
    one_look, _ = fixed_sample(campaign, goal, np.arange(len(campaign.sizes)))
    full = decisions(one_look)
    cost = campaign.sizes.sum() * len(start(goal, campaign.systems).active)
    if goal.kind is not GoalKind.PRECISION and not full:
        print(f"{campaign.name:24} {name:17} the complete campaign decides nothing, so there is nothing to reach")
        return
    these = replace(goal, of_complete=True)
    plain = {"predicts": False, "tilts": False, "adapts_systems": False}
    methods = {
        "uniform": lambda seed: measure_sequential(campaign, goal, full, cost, seed, **plain),
        "ours": lambda seed: measure_sequential(campaign, goal, full, cost, seed, predicts=True),
        "hindsight": lambda seed: measure_sequential(campaign, goal, full, cost, seed, predicts=True, hindsight=True),
    }
    if goal.kind is not GoalKind.PRECISION:
        methods["uniform, these"] = lambda seed: measure_sequential(campaign, these, full, cost, seed, **plain)
        methods["ours, these"] = lambda seed: measure_sequential(campaign, these, full, cost, seed, predicts=True)
        if goal.kind in (GoalKind.RANK, GoalKind.BEST):
            methods["Pearmut dynamic"] = lambda seed: measure_pearmut(campaign, goal, full, cost, seed)
        for selector, order in selector_orders(campaign).items():
            methods[selector] = lambda _, order=order: measure_selector(campaign, goal, full, cost, order)
    for method, measure in methods.items():
        begun = time.perf_counter()
        share = {"subset2evaluate": seeds, "Pearmut": 4, "hindsight": 5}.get(method.split()[0], 1)
        runs = [measure(seed) for seed in range(max(1, seeds // share))]
        row = {key: np.array([run[key] for run in runs], dtype=float) for key in runs[0]}
        got = np.isfinite(row["reach"])
        yield {
            "campaign": campaign.name, "goal": name, "method": method, "decided": len(full),
            "reach": float(np.mean(np.where(got, row["reach"], 1.0))), "never": float(1 - got.mean()),
            "stop": float(np.mean(row["stop"])), "same": float(np.mean(row["same"])),
            "wrong": float(np.mean(row["wrong"])), "cover": mean_of(row["cover"]),
            "seeds": len(runs), "seconds": time.perf_counter() - begun,
        }  # fmt: skip


# simulated campaigns


WORLDS = ("normal", "few documents", "unlike lengths", "two systems", "unlike variances", "heavy tails", "ceiling",
          "useless predictions", "strong predictions", "skewed", "skewed, unlike variances")  # fmt: skip


def simulated(kind, seed):
    """A campaign of known answers: 8 systems a little apart on 100 documents of 1 to 5 segments. What a document adds
    to a system's score is normal unless its kind says otherwise."""
    rng = np.random.default_rng([seed, 7])
    n, s = 40 if kind == "few documents" else 100, 2 if kind == "two systems" else 8
    sizes = rng.integers(1, 6, n).astype(float)
    if kind == "unlike lengths":
        sizes = rng.choice([1.0, 10.0], n, p=[0.6, 0.4])
    spread = {"unlike variances": np.geomspace(0.4, 2.5, s), "skewed, unlike variances": np.geomspace(0.5, 2, s)}
    common = 0.6 * rng.normal(size=(n, 1))
    own = rng.normal(size=(n, s))
    if kind == "heavy tails":
        own = rng.standard_t(3, size=(n, s)) / np.sqrt(3)
    elif kind == "ceiling":
        own = np.minimum(1.5 * own, 0.5)
    elif kind.startswith("skewed"):  # most documents are good, a few very bad
        own = 1.1 - rng.exponential(size=(n, s)) ** 1.3
        common = 0.6 * (1 - rng.exponential(size=(n, 1)))
    scores = np.linspace(0, 1, s) + spread.get(kind, 1.0) * (common + own)
    scores += 0.7 * rng.normal(size=(n, s)) / np.sqrt(sizes)[:, None]
    predictions = {"useless predictions": rng.normal(size=(n, s)), "strong predictions": scores + 0.5 * rng.normal(
        size=(n, s))}.get(kind)  # fmt: skip
    predictions = None if predictions is None else predictions * sizes[:, None]
    return Campaign(kind, tuple(f"s{at}" for at in range(s)), sizes, scores * sizes[:, None], predictions, [], "")


def report_worlds(seeds, only):
    print("world                       stop  cover  ±     worst system")
    for kind in WORLDS:
        if only.lower() not in kind:
            continue
        shares, inside = [], []
        for seed in range(seeds):
            campaign = simulated(kind, seed)
            width = 1.5 * float(np.median(complete_answers(campaign).means().half_width(0.05)))
            goal = Goal(GoalKind.PRECISION, half_width=width)
            own, _ = run_sequential(campaign, goal, seed, predicts=True)
            estimates = own.answers().means()
            low, high = stopped_intervals(
                goal, estimates, own.standing, share=len(own.complete) / len(campaign.sizes),
                documents=len(campaign.sizes), looks=LOOKS, of_complete=True,
            )  # fmt: skip
            shares.append(own.judgements / (campaign.sizes.sum() * len(campaign.systems)))
            inside.append((low - 1e-9 <= campaign.means) & (campaign.means <= high + 1e-9))
        held = np.array(inside, dtype=float)
        error = held.mean(1).std() / np.sqrt(len(held))
        print(f"{kind:27} {np.mean(shares):.2f}  {held.mean():.3f}  {error:.3f} {held.mean(0).min():.2f}", flush=True)


def mean_of(values):
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--data")
    parser.add_argument("--ratings", type=Path, help="a table of ratings instead of a folder")
    parser.add_argument("--worlds", action="store_true", help="simulated campaigns instead of released ones")
    parser.add_argument("--only", default="", help="campaigns whose name holds this")
    parser.add_argument("--goal", default="", help="goals whose name begins with this")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    if asked.worlds:
        report_worlds(asked.seeds, asked.only)
        return
    if asked.ratings is not None:
        if not asked.ratings.is_file():
            raise SystemExit(f"There is no file {asked.ratings}.")
        found = from_table(asked.ratings)
    else:
        if asked.data and not Path(asked.data).is_dir():
            raise SystemExit(f"There is no folder {asked.data}.")
        folder = data_folder(asked.data)
        if folder is None:
            raise SystemExit("There is no data: set LANNER_DATA to the folder that holds mtme/, wmt24/ or h-falcon/.")
        found = (campaign for read in (released, wmt24, hfalcon) for campaign in read(folder))
    if select_subset is None:
        print("subset2evaluate is not installed (pip install --no-deps subset2evaluate): its selectors are left out.")
    rows = []
    print(
        "campaign                 goal              method                       reach  never  stop  same  wrong  cover"
    )
    replayed = 0
    for campaign in found:
        if asked.only.lower() not in campaign.name.lower():
            continue
        replayed += 1
        print(f"# {campaign.name}: {len(campaign.systems)} systems, {len(campaign.sizes)} documents, "
              f"{int(campaign.sizes.sum())} segments, metric {campaign.metric or 'none'}", flush=True)  # fmt: skip
        for name, goal in goals_of(campaign):
            if not name.startswith(asked.goal):
                continue
            for row in replay(campaign, name, goal, asked.seeds):
                rows.append(row)
                figures = "  ".join(f"{row[key]:5.2f}" for key in ("reach", "never", "stop", "same", "wrong", "cover"))
                print(f"{row['campaign']:24} {name:17} {row['method']:28} {figures}", flush=True)
    if not replayed:
        raise SystemExit(
            "Nothing was replayed. A folder in the mt-metrics-eval layout has human-scores/PAIR.KIND.seg.score and "
            "documents/PAIR.docs; a plain table goes by --ratings FILE."
        )
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
