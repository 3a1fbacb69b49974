"""`lanner campaign`, what a meeting needs: can the numbers be trusted, where do judges disagree, what is agreed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

from lanner import campaign
from lanner.analysis.agreement import INFLATED
from lanner.analysis.economy import (
    Economy,
    GoalOutcome,
    PairStanding,
    SystemStanding,
    economy,
    look_if_due,
    score_interval,
    score_text,
)
from lanner.campaign import adjudication, drawing
from lanner.campaign.prefill import SETTING as PREFILL
from lanner.campaign.settings import local_time
from lanner.cli.early_checks import names
from lanner.cli.output import Columns, Output
from lanner.errors import InputError, check_known, did_you_mean
from lanner.model import JUDGE_GROUPS, Json
from lanner.model.messages import Words, duration, estimate, number, percent, plural, spell
from lanner.model.protocol import Wording
from lanner.monitor.live import LiveCampaigns
from lanner.monitor.snapshot import STATE_WORDS, AgreementMeasure, Disagreement, DisagreementFilter, ExclusionPreview
from lanner.monitor.status import CampaignStatus, JudgeStatus, campaign_status, measure_labels, option_labels
from lanner.monitor.verdict import Rule, VerdictCheck
from lanner.protocols.answers import in_words
from lanner.stats.goals import GoalKind, State
from lanner.store import Store


def check(output: Output, store: Store, name: str, question: str) -> None:
    """Print what the live page shows: verdict, judges, agreement now and at the end, who diverges."""
    entry = campaign.get(store, name)
    numbers, main = LiveCampaigns(store), str(entry.settings.get("main_question", ""))
    snapshot = numbers.snapshot(entry.id, main)
    focus = numbers.snapshot(entry.id, question) if question else snapshot
    status = campaign_status(store, entry, snapshot, datetime.now(UTC), chosen=focus)
    leaving_out = snapshot.leaving_out
    price = numbers.leaving_out(entry.id, leaving_out.judge, main) if leaving_out is not None else None
    output.sign(status.main.signature if status.main else "")
    output.say(" ".join(map(str, (*status.verdict.summary, *status.verdict.advice))), style="bold")
    output.table([_check(entry) for entry in status.verdict.checks], ["check", "value", "sign", "why"])
    output.say()
    judges = [_judge(judge, status) for judge in (*status.people, *status.models)]
    output.table(
        judges,
        [
            "judge",
            "done",
            "share",
            "finish",
            "a minute",
            "active",
            "cost",
            "controls missed",
            ("without", "α without"),
            "left out",
        ],
    )
    rules = [_rule(rule, status) for rule in status.verdict.rules]
    if rules:
        output.say()
        output.table(rules, ["rule", "called", ("takes", "what it takes"), ("chance", "how many by chance")])
    if price is not None:
        output.say()
        columns: Columns = [("judge", "leaving out"), ("now", "agreement now"), "then", "answers"]
        columns += ["answers then", *(["pairs decided", "decided then"] if price.pairs is not None else [])]
        output.table([_price(price)], columns)
    output.say()
    labels = measure_labels(snapshot.measures, status.wording)
    rows = [_measure(entry, labels[entry.question, entry.row]) for entry in snapshot.measures]
    output.table(rows, [("label", "agreement on"), "now", ("expected", "at completion"), "items", "documents"])
    if snapshot.bias is not None:
        output.note(str(snapshot.bias))
    for need in status.needs:
        output.note(f"{need.title} {need.more}".strip())
    options = option_labels(status.protocol, status.wording, focus.main)
    for one, other, change in focus.divergence.merges[:3] if focus.divergence else ():
        step = f"{'+' if change > 0 else ''}{number(change)}"
        output.note(f"Merging “{options[one]}” and “{options[other]}” would change nominal α by {step}.")


def _check(entry: VerdictCheck) -> dict[str, Json]:
    return {
        "about": "check",
        "code": entry.code,
        "check": str(entry.name),
        "value": f"{spell(entry.value)} {spell(entry.small)}".strip(),
        "tone": entry.tone,
        "sign": entry.sign,
        "why": str(entry.why),
    }


def _rule(rule: Rule, status: CampaignStatus) -> dict[str, Json]:
    return {
        "about": "rule",
        "code": rule.code,
        "rule": str(rule.name),
        "called": ", ".join(status.names.get(judge, judge) for judge in rule.judges) or "nobody",
        "judges": list(rule.judges),
        "takes": str(rule.takes),
        "chance": str(rule.chance),
        "by_chance": rule.by_chance,
        "of": rule.of,
    }


def _price(price: ExclusionPreview) -> dict[str, Json]:
    """What leaving out the judge would change without whom people agree best."""
    return {
        "about": "leaving out",
        "judge": price.judge,
        "now": estimate(price.now.value, price.now.low, price.now.high),
        "then": estimate(price.without.value, price.without.low, price.without.high),
        "value": price.now.value,
        "low": price.now.low,
        "high": price.now.high,
        "items": price.now.items,
        "answers": price.answers,
        "answers then": price.answers_without,
        "without": price.without.value,
        "without_low": price.without.low,
        "without_high": price.without.high,
        "without_items": price.without.items,
        **_pairs(price),
    }


def _pairs(price: ExclusionPreview) -> dict[str, Json]:
    """The pairs of systems that are decided, with and without the judge."""
    if price.pairs is None:
        return {}
    then = price.pairs_without
    return {
        "pairs": price.pairs.pairs,
        "pairs decided": f"{len(price.pairs.decided)} of {price.pairs.pairs}",
        "decided": len(price.pairs.decided),
        "decided then": "" if then is None else f"{len(then.decided)} of {then.pairs}",
        "without_decided": None if then is None else len(then.decided),
        "opens": [list(pair) for pair in price.opens],
        "decides": [list(pair) for pair in price.decides],
        "turns": [list(pair) for pair in price.turns],
    }


def _judge(judge: JudgeStatus, status: CampaignStatus) -> dict[str, Json]:
    progress, pace = judge.progress, judge.progress.pace
    return {
        "about": "judge",
        "judge": judge.participant.judge.id,
        "kind": str(judge.participant.judge.kind),
        "done": progress.done,
        "items": progress.total,
        "share": percent(progress.share, 0),
        "finish": _finish(judge, has_more=bool(status.to_come.items)),
        "a minute": None if pace.per_minute is None else round(pace.per_minute, 2),
        "active": None if progress.has_no_times else duration(progress.active / 3600),
        "cost": "" if judge.cost is None else f"{status.targets.currency}{judge.cost:,.2f}",
        "controls missed": f"{judge.missed} of {judge.controls}" if judge.controls else "none asked",
        "missed": judge.missed,
        "controls": judge.controls,
        "without": judge.without,
        "alarms": list(judge.alarms),
        "left out": judge.left_out,
    }


def _finish(judge: JudgeStatus, *, has_more: bool) -> str:
    if judge.is_done:
        return "up to date" if has_more else "done"
    if judge.progress.finish is None:
        return "not known" if judge.progress.done else "not begun"
    late = judge.days_late
    words = "" if late is None else " on the day" if not late else f" {plural(abs(late), 'day')} "
    words += "" if not late else "late" if late > 0 else "early"
    return f"{judge.progress.finish.date().isoformat()}{words}"


def _measure(entry: AgreementMeasure, label: Words) -> dict[str, Json]:
    return {
        "about": "agreement",
        **asdict(entry),
        "label": str(label),
        "now": estimate(entry.value, entry.low, entry.high),
        "expected": estimate(entry.value, entry.expected_low, entry.expected_high),
    }


def disagreements(
    output: Output,
    store: Store,
    name: str,
    question: str,
    domain: str,
    document: str,
    judges: str,
    labels: str,
    show: str,
    most: int,
) -> None:
    """List items on which people disagree, largest disagreement first."""
    entry = campaign.get(store, name)
    protocol = campaign.protocol(store, entry.id)
    question_ids = [one.id for _, one in protocol.questions]
    if question:
        check_known(question, question_ids, f"{name} does not ask {question!r}.", InputError)
    conditions = DisagreementFilter(
        question or (question_ids[0] if len(question_ids) == 1 else ""),
        domain,
        document,
        _two(judges, "--judges"),
        _two(labels, "--labels"),
        show,
    )
    people = [judge.id for judge in campaign.judges(store, entry.id) if judge.kind in JUDGE_GROUPS["people"]]
    for judge in conditions.judges:
        check_known(judge, people, f"{name} has no person {judge!r}.", InputError)
    documents = campaign.documents(store, entry.id)
    if document:
        check_known(document, [each.id for each in documents], f"There is no document {document!r}.", InputError)
    if domain:
        known = sorted({each.domain for each in documents} - {""})
        check_known(domain, known, f"No document is of the domain {domain!r}.", InputError)
    numbers = LiveCampaigns(store)
    listing = numbers.disagreements(entry.id, conditions)

    def answers_to(unit: Disagreement) -> list[str]:
        """Who said what; what is too long for a list of the page in the words of the protocol."""
        place = protocol.find(conditions.question)
        if place is None or unit.given:
            return [f"{judge}: {answer}" for judge, answer in unit.given]
        wording = Wording(protocol, "en")
        given = numbers.answers(entry.id, (unit.document, unit.segment, unit.system)).given.get(place[1].id, {})
        who = set(conditions.judges or people) - campaign.left_out(store, entry.id).keys()
        return [f"{judge}: {in_words(place[1], given[judge], wording)}" for judge in sorted(who & given.keys())]

    rows = [
        {
            "document": unit.document,
            "segment": unit.segment,
            "system": unit.system,
            "domain": unit.domain,
            "distance": round(unit.distance, 4),
            "answers": answers_to(unit),
            "settled": "yes" if unit.settled else "",
        }
        for unit in listing.entries[:most]
    ]
    if rows and not conditions.question:
        output.note("--question NAME shows what each judge answered.")
    disagreement_count = plural(listing.found, "disagreement")
    unit_count = plural(listing.shared, "shared unit")
    output.say(f"{disagreement_count} in {unit_count}, {listing.settled} settled")
    given = ["answers"] if conditions.question else []
    output.table(rows, ["document", "segment", "system", "domain", "distance", *given, "settled"])


def _two(text: str, option: str) -> tuple[str, ...]:
    parts = tuple(names(text))
    if len(parts) not in (0, 2):
        raise InputError(f"{option} takes two names.", next_step=f"For instance: {option} one,other")
    return parts


def settle(
    output: Output,
    store: Store,
    name: str,
    document: str,
    segment: str,
    system: str,
    answers: tuple[str, ...],
    note: str,
    guideline: bool,
) -> None:
    """Record agreed answers under a separate, adjudicated judge."""
    unit = (document, segment, tuple(system.split("|")) if system else ())
    entry = campaign.get(store, name)
    values = campaign.answers_from(store, entry.id, unit, _fields(store, entry.id, answers))
    questions = campaign.settle(store, entry.id, unit, values, note=note)
    if note and guideline:
        adjudication.add(store, entry.id, note, account=None, at=datetime.now(UTC))
    output.rows.append({"document": document, "segment": segment, "system": system, "questions": list(questions)})
    output.say(f"Settled: {', '.join(questions) or 'nothing but the note'}.")


def _fields(store: Store, campaign_id: int, answers: tuple[str, ...]) -> dict[str, list[str]]:
    """The answers as a form would send them, so that both are read alike."""
    question_ids = [question.id for _, question in campaign.protocol(store, campaign_id).questions]
    fields: dict[str, list[str]] = {}
    for words in answers:
        field, equals, value = words.partition("=")
        question = field.partition(".")[0].removesuffix("@")
        if not equals or question not in question_ids:
            hint = did_you_mean(question, question_ids) if equals else "Write it as QUESTION=VALUE."
            raise InputError(f"{words!r} answers no question of this campaign.", next_step=hint)
        fields.setdefault(field, []).append(value)
    return fields


def note(output: Output, store: Store, name: str, text: str) -> None:
    """Add a note to the guidelines, or list the notes if no text is given."""
    entry = campaign.get(store, name)
    if text.strip():
        adjudication.add(store, entry.id, text.strip(), account=None, at=datetime.now(UTC))
    notes = adjudication.notes(campaign.get(store, name).settings)
    output.table([{"number": entry.number, "since": entry.at, "text": entry.text} for entry in notes])
    if not notes:
        output.say("There are no notes yet.")


# `lanner campaign decided`: what an adaptive campaign has settled, what is open, what more judging would buy.


def decided(output: Output, store: Store, name: str, leave: tuple[tuple[str, str], ...]) -> None:
    """Say where an adaptive campaign stands. Pairs to `leave` open are left first."""
    entry = campaign.get(store, name)
    for first, second in leave:
        drawing.leave_open(store, entry.id, first, second)
        output.note(f"{first} – {second} is left open: nothing more is judged for its sake.")
    look_if_due(store, entry.id)
    now = economy(store, entry.id)
    output.sign(f"{entry.protocol_name} · {now.score} · goal {now.goal} · look {now.look} of {now.looks}")
    output.say(_summary(now), style="bold")
    output.table(
        [_system(one) for one in now.systems],
        ["system", "score", "interval", "plain", "documents", "shown"],
        title=f"Systems by {now.score}",
    )
    if now.pairs:
        output.say()
        columns: Columns = ["pair", "state", "better", "difference", "interval"]
        columns.append(("chance", "decided by the next 100"))
        if any(pair.given_up_text for pair in now.open):
            columns.append(("given_up_text", "given up by then"))
        if any(pair.spared for pair in now.open):
            columns.append(("spared_text", "judgements less if left open"))
        output.table([_pair(pair) for pair in now.pairs], columns, title="Pairs")
    for line in _outlook(now, local_time(entry.settings, datetime.now(UTC))):
        output.say(line)
    if now.is_skewed:
        output.note(
            f"Scores of documents are skewed ({score_text(now.skewness)}, the median of the systems): in simulations "
            "with −2 intervals called 95 % held 91 % of the time."
        )
    if now.agreement is not None and entry.settings.get(PREFILL):
        output.note(INFLATED)


def _summary(now: Economy) -> str:
    budget_text = f"{now.judgements:,} of at most {now.most:,} judgements"
    if now.outcome is GoalOutcome.REACHED:
        return f"Enough: the goal is reached after {budget_text}; {now.unused:,} are not needed."
    if now.outcome is GoalOutcome.PARTLY:
        open_text = f"{now.unanswered} of {len(now.pairs)} pairs not decided"
        return f"Enough, with {open_text}, after {budget_text}; {now.unused:,} are not needed."
    if now.outcome is GoalOutcome.ENDED:
        return f"Ended without reaching the goal: {budget_text}."
    left_text = f"{len(now.left)} left open, " if now.left else ""
    pairs_text = f"{now.decided} of {len(now.pairs)} pairs settled, {left_text}" if now.pairs else ""
    return f"Not yet: {pairs_text}{budget_text}, {now.documents} of {now.all_documents} documents."


def _system(one: SystemStanding) -> dict[str, Json]:
    return {
        "kind": "system",
        **asdict(one),
        "score": score_text(one.value),
        "interval": score_interval(one.low, one.high),
        "plain": score_text(one.plain),
        "shown": "yes" if one.shown else "no more" if one.documents else "no",
    }


def _pair(pair: PairStanding) -> dict[str, Json]:
    return {
        "kind": "pair",
        **asdict(pair),
        "pair": f"{pair.first} – {pair.second}",
        "state": STATE_WORDS[pair.state],
        "code": str(pair.state),
        "difference": score_text(pair.value),
        "interval": score_interval(pair.low, pair.high),
        "chance": pair.chance_text,
        "given_up_text": pair.given_up_text,
        "spared_text": f"{pair.spared:,.0f}" if pair.state is State.OPEN and pair.spared is not None else "",
    }


def _outlook(now: Economy, at: datetime) -> list[str]:
    lines = []
    if now.agreement is not None:
        value, low, high = now.agreement
        lines.append(f"Agreement {estimate(value, low, high)}; planned above {now.goal.minimum:.12g}.")
    elif now.goal.kind is GoalKind.AGREEMENT:
        lines.append("Agreement is not known: too few texts have two judges, or all answers are the same.")
    if now.judgements_left is not None:
        judgements = now.judgements_left[0]
        hours, fewest, most = (f"{now.hours(count):.1f}" for count in now.judgements_left)
        finish = now.finish(at)
        when = f"; at this pace until {finish:%a %d %b %Y}" if finish else ""
        lines.append(f"To the end about {judgements:,.0f} judgements, {hours} h [{fewest}, {most}]{when}.")
    lines += [
        f"{pair.first} – {pair.second}: decided at a look, and that stays; the interval of all that is judged by now "
        "holds 0."
        for pair in now.pairs
        if pair.is_decided_across_0
    ]
    if now.goal.kind is not GoalKind.AGREEMENT:
        about = "these documents only" if now.goal.of_complete else "documents of this kind"
        lines.append(f"Decisions and intervals are about {about}; errors count all pairs and all looks.")
    return lines
