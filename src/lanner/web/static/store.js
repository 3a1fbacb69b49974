// What is asked and what has been answered. No page and no network here, so that it can be tested
// alone.
import { canon } from './digest.js';

/** @param {any} v */
export const empty = v =>
  v == null || v === '' || (typeof v === 'object' && !Object.keys(v).length);
/** @param {any} v @returns {string[]} */
const labels = v => (Array.isArray(v) ? v.map(String) : Object.keys(v ?? {}));

/** Whether a mark was suggested and not looked at yet. @param {Span} span */
export const isSuggested = span => span.origin === 'offered';
/** The mark as one that its judge has looked at. @param {Span} span @returns {Span} */
export function keep({ origin: _, ...span }) {
  return span;
}

/**
 * Whether an earlier answer meets a condition; an answer not given meets none.
 * @param {Condition} c
 * @param {Answers} answers
 */
export function holds(c, answers) {
  const value = answers[c.question];
  if (value == null) return false;
  const chosen = typeof value === 'object' ? labels(value) : [String(value)];
  if (c.is?.length && !chosen.some(label => c.is?.includes(label))) return false;
  if (chosen.some(label => c.is_not?.includes(label))) return false;
  if (c.at_least == null && c.at_most == null) return true;
  return (
    typeof value === 'number' &&
    value >= (c.at_least ?? -Infinity) &&
    value <= (c.at_most ?? Infinity)
  );
}

export class Store {
  /** @param {Question[]} questions @param {Item[]} items */
  constructor(questions, items) {
    this.questions = questions;
    this.items = items;
    this.past = /** @type {[number, Answers][]} */ ([]);
    this.typing = '';
  }

  /**
   * What holds of an item: the answers given on pages before and on this one. One to a question
   * that is asked no more, since another answer has changed, holds no more: the server takes it
   * back. It stays here in case the question is asked again.
   * @param {number} i
   * @returns {Answers}
   */
  all(i) {
    const { earlier, answers } = this.items[i],
      known = { ...earlier };
    for (const q of this.questions)
      if (answers[q.id] != null && this.isAsked(q, known)) known[q.id] = answers[q.id];
    return known;
  }
  /** @param {Question} q @param {Answers} known what was answered before it */
  isAsked(q, known) {
    return q.when.every(c => holds(c, known)) && (!q.each || this.labelsFor(q, known).length > 0);
  }
  /** Labels that a repeated question is asked about. @param {Question} q @param {Answers} known */
  labelsFor(q, known) {
    const { exclusive } = this.questions.find(y => y.id === q.each) ?? {};
    return labels(known[q.each]).filter(x => x !== exclusive);
  }
  /** The same for an item. @param {number} i @param {Question} q */
  chosen(i, q) {
    return this.labelsFor(q, this.all(i));
  }
  /** @param {number} i @param {Question} q */
  applies(i, q) {
    return this.isAsked(q, this.all(i));
  }
  /**
   * What is shown: the answer, else what the question starts from.
   * @param {number} i
   * @param {Question} q
   */
  value(i, q) {
    return this.items[i].answers[q.id] ?? this.items[i].prefilled[q.id] ?? q.preset ?? null;
  }

  /**
   * How much of an answer is missing.
   * @param {number} i
   * @param {Question} q
   * @returns {number}
   */
  open(i, q) {
    const value = this.value(i, q),
      chosen = labels(typeof value === 'object' ? value : null);
    if (q.each) return this.chosen(i, q).filter(label => empty(value?.[label])).length;
    if (q.kind === 'labels')
      return chosen.includes(q.exclusive) ? 0 : Math.max(0, q.need - chosen.length);
    if (q.kind === 'grid') return Math.max(0, q.need - chosen.length);
    if (q.kind === 'rank')
      return value ? value.filter((/** @type {number} */ rank) => !rank).length : q.need;
    return empty(value) ? q.need : 0;
  }
  /** Whether a required answer is missing or incomplete. @param {number} i @param {Question} q */
  lacks(i, q) {
    return q.required && q.need > 0 && this.applies(i, q) && this.open(i, q) > 0;
  }
  /**
   * Whether accepting the row is still to say something: that suggested marks are right, or that no
   * label applies.
   * @param {number} i
   * @param {Question} q
   */
  unreviewed(i, q) {
    const value = this.items[i].answers[q.id];
    if (!this.applies(i, q)) return false;
    if (q.kind === 'labels') return q.preset != null && value == null;
    return q.kind === 'spans' && Array.isArray(value) && value.some(isSuggested);
  }
  /** @param {number} i */
  missing(i) {
    return this.questions.filter(q => this.lacks(i, q) || this.unreviewed(i, q));
  }
  /** @param {number} i */
  started(i) {
    return Object.values(this.items[i].answers).some(v => v != null);
  }
  /**
   * Whether an item asks for nothing but a remark, so that it need not be started.
   * @param {number} i
   */
  asksNothing(i) {
    return this.questions.every(q => !this.applies(i, q) || (q.kind === 'text' && !q.required));
  }
  /** @param {number} i @returns {''|'partial'|'done'} */
  state(i) {
    return !this.started(i) && !this.asksNothing(i)
      ? ''
      : this.missing(i).length
        ? 'partial'
        : 'done';
  }

  /**
   * Answers the server does not have yet and would accept: complete ones, and null where one is
   * taken back. What it has refused is not sent again.
   * @param {number} i
   * @returns {Answers}
   */
  unsent(i) {
    const { answers, stored, refused } = this.items[i];
    /** @param {Question} q */
    const whole = q =>
      q.each || q.kind === 'grid' || q.kind === 'rank' ? !this.open(i, q) : !this.lacks(i, q);
    const ready = this.questions.filter(
      q => q.id in answers && this.applies(i, q) && (answers[q.id] == null || whole(q)),
    );
    return Object.fromEntries(
      ready
        .map(q => [q.id, answers[q.id] ?? null])
        .filter(([id, v]) => canon(v) !== (stored[id] ?? 'null') && canon(v) !== refused[id]),
    );
  }

  /**
   * Whether this device holds something other than the server: a label that was chosen and taken
   * back where some are asked for leaves nothing that could be lost, and what is asked no more the
   * server does not take.
   * @param {number} i
   * @param {string} id
   */
  differs(i, id) {
    const { answers, stored } = this.items[i],
      there = stored[id] ?? 'null',
      question = this.questions.find(q => q.id === id);
    if (canon(answers[id]) === there || (question && !this.applies(i, question))) return false;
    return there !== 'null' || !empty(answers[id]) || !question || !this.lacks(i, question);
  }

  /**
   * Write what a row starts from (preselected, prefilled), as the first answer to it does. That no
   * label applies is said by `accepted` rows alone.
   * @param {number} i
   */
  touch(i, accepted = false) {
    const { answers, prefilled } = this.items[i];
    for (const q of this.questions)
      if (answers[q.id] == null && this.applies(i, q) && (accepted || q.kind !== 'labels')) {
        const start = prefilled[q.id] ?? q.preset;
        if (start != null) answers[q.id] = structuredClone(start);
      }
  }

  /**
   * Take a row as it stands: what it starts from is the answer, and all suggested marks are kept.
   * Where that changes something, undoing takes it back, and not what was answered before it.
   * @param {number} i
   */
  accept(i) {
    const { answers } = this.items[i],
      before = structuredClone(answers);
    this.touch(i, true);
    for (const q of this.questions)
      if (this.unreviewed(i, q)) answers[q.id] = answers[q.id].map(keep);
    if (canon(answers) !== canon(before)) this.past.push([i, before]);
    this.typing = '';
  }

  /**
   * @param {number} i
   * @param {string} id
   * @param {any} value
   * @param {boolean} [typed] letters of one field are undone together
   */
  set(i, id, value, typed = false) {
    const { answers } = this.items[i],
      typing = typed ? i + id : '';
    if (canon(answers[id]) === canon(value)) return;
    if (!typing || typing !== this.typing) this.past.push([i, structuredClone(answers)]);
    this.typing = typing;
    answers[id] = value;
    this.touch(i);
  }

  /**
   * An answer given on another page; to undo what was done on this one does not undo it. What was
   * asked here no more, and the server has taken back, comes to life again by no other page.
   * @param {number} i
   * @param {string} id
   * @param {any} value
   */
  takeOver(i, id, value) {
    const { answers, stored } = this.items[i];
    for (const q of this.questions)
      if ((stored[q.id] ?? 'null') === 'null' && !this.applies(i, q)) delete answers[q.id];
    answers[id] = value;
    for (const [at, before] of this.past) if (at === i) before[id] = structuredClone(value);
  }

  /** Take back the last change. @returns {number} the item it was in, or -1 */
  undo() {
    const [i, before] = this.past.pop() ?? [-1, {}];
    this.typing = '';
    if (i < 0) return i;
    // what the server has cannot be unsaid: it becomes nothing, and is asked for again
    for (const id in this.items[i].answers)
      if (!(id in before) && id in this.items[i].stored) before[id] = null;
    this.items[i].answers = before;
    return i;
  }
}
