// What is asked and what has been answered. No page and no network here, so that it can be tested alone.

/** @typedef {{question: string, is?: string[], is_not?: string[], at_least?: number, at_most?: number}} Condition */
/** @typedef {{id: string, kind: string, need: number, most: number, required: boolean, when: Condition[], each: string,
 *   exclusive: string, preset: any}} Question */
/** @typedef {{answers: Record<string, any>, base: Record<string, number|null>, stored: Record<string, string>,
 *   earlier: Record<string, any>, prefilled: Record<string, any>}} Item */

/** One spelling of a value, whatever the order of its keys.
 * @param {any} value @returns {string} */
export function canon(value) {
  if (Array.isArray(value)) return '[' + value.map(canon).join() + ']';
  if (value && typeof value === 'object') return '{' + Object.keys(value).sort().map(k => JSON.stringify(k) + ':' + canon(value[k])).join() + '}';
  return JSON.stringify(value ?? null);
}

/** @param {any} value */
export const empty = value => value == null || value === '' || (typeof value === 'object' && !Object.keys(value).length);

/** Whether an earlier answer meets a condition; an answer not given meets none.
 * @param {Condition} condition @param {Record<string, any>} answers */
export function holds(condition, answers) {
  const value = answers[condition.question];
  if (value == null) return false;
  const given = Array.isArray(value) ? value.map(String) : typeof value === 'object' ? Object.keys(value) : [String(value)];
  if (condition.is?.length && !given.some(v => condition.is?.includes(v))) return false;
  if (condition.is_not?.length && given.some(v => condition.is_not?.includes(v))) return false;
  if (condition.at_least == null && condition.at_most == null) return true;
  return typeof value === 'number' && value >= (condition.at_least ?? -Infinity) && value <= (condition.at_most ?? Infinity);
}

export class Store {
  /** @param {Question[]} questions @param {Item[]} items */
  constructor(questions, items) {
    this.questions = questions;
    this.items = items;
    /** @type {[number, Record<string, any>][]} */
    this.past = [];
    this.typing = '';
  }

  /** @param {number} i */
  all(i) { return { ...this.items[i].earlier, ...this.items[i].answers }; }

  /** Labels that a repeated question is asked about. @param {number} i @param {Question} q @returns {string[]} */
  chosen(i, q) {
    const value = this.all(i)[q.each], labels = Array.isArray(value) ? value : Object.keys(value ?? {});
    const exclusive = this.questions.find(x => x.id === q.each)?.exclusive;
    return labels.filter(label => label !== exclusive);
  }

  /** @param {number} i @param {Question} q */
  applies(i, q) { return q.when.every(c => holds(c, this.all(i))) && (!q.each || this.chosen(i, q).length > 0); }

  /** What is shown: the answer, else what the question starts from. @param {number} i @param {Question} q */
  value(i, q) { return this.items[i].answers[q.id] ?? this.items[i].prefilled[q.id] ?? q.preset ?? null; }

  /** Whether a required answer is missing or incomplete. @param {number} i @param {Question} q */
  lacks(i, q) { return q.required && q.need > 0 && this.applies(i, q) && this.open(i, q) > 0; }

  /** How much of an answer is missing. @param {number} i @param {Question} q @returns {number} */
  open(i, q) {
    const v = this.value(i, q);
    if (q.each) return this.chosen(i, q).filter(label => empty(v?.[label])).length;
    if (q.kind === 'labels') {
      const given = Array.isArray(v) ? v : Object.keys(v ?? {});
      return q.exclusive && given.includes(q.exclusive) ? 0 : Math.max(0, q.need - given.length);
    }
    if (q.kind === 'grid') return Math.max(0, q.need - Object.values(v ?? {}).filter(x => x != null).length);
    if (q.kind === 'rank') return v?.every?.(x => x > 0) ? 0 : 1;
    return empty(v) ? q.need : 0;
  }

  /** @param {number} i */
  missing(i) { return this.questions.filter(q => this.lacks(i, q)); }
  /** @param {number} i */
  started(i) { return Object.values(this.items[i].answers).some(v => v != null); }
  /** @param {number} i @returns {''|'partial'|'done'} */
  state(i) { return !this.started(i) ? '' : this.missing(i).length ? 'partial' : 'done'; }

  /** Answers the server does not have yet and would accept. @param {number} i @returns {Record<string, any>} */
  unsent(i) {
    const item = this.items[i], out = /** @type {Record<string, any>} */ ({});
    for (const q of this.questions) {
      if (!(q.id in item.answers) || !this.applies(i, q)) continue;
      const v = item.answers[q.id] ?? null, complete = v == null ? !q.required : q.each || q.kind === 'grid' || q.kind === 'rank' ? !this.open(i, q) : !this.lacks(i, q);
      if (complete && canon(v) !== (item.stored[q.id] ?? 'null')) out[q.id] = v;
    }
    return out;
  }

  /** Write what a row starts from (preselected, prefilled), as the first answer to it does. @param {number} i */
  touch(i) {
    const { answers, prefilled } = this.items[i];
    for (const q of this.questions) {
      const start = prefilled[q.id] ?? q.preset;
      if (start != null && answers[q.id] == null && this.applies(i, q)) answers[q.id] = structuredClone(start);
    }
  }

  /** @param {number} i @param {string} id @param {any} value @param {boolean} [typed] letters of one field are undone together */
  set(i, id, value, typed = false) {
    const { answers } = this.items[i], typing = typed ? i + id : '';
    if (canon(answers[id]) === canon(value)) return;
    if (!typing || typing !== this.typing) this.past.push([i, structuredClone(answers)]);
    this.typing = typing;
    answers[id] = value;
    this.touch(i);
  }

  /** Take back the last change. @returns {number} the item it was in, or -1 */
  undo() {
    const last = this.past.pop();
    this.typing = '';
    if (!last) return -1;
    const [i, before] = last, item = this.items[i];
    // an answer that the server has cannot be unsaid: it becomes nothing, and is asked for again
    for (const id of Object.keys(item.answers)) if (!(id in before) && id in item.stored) before[id] = null;
    item.answers = before;
    return i;
  }
}
