// The questions: shows the answers of the current item, takes new ones, and knows which question is armed.
import * as choice from './widgets/choice.js';
import * as grid from './widgets/grid.js';
import * as labels from './widgets/labels.js';
import * as number from './widgets/number.js';
import * as rank from './widgets/rank.js';
import * as scale from './widgets/scale.js';
import * as spans from './widgets/spans.js';
import * as text from './widgets/text.js';
/** @typedef {import('./store.js').Question} Question */

/** @type {Record<string, any>} */
const KINDS = { choice, grid, labels, number, rank, scale, spans, text };
const json = s => s ? JSON.parse(s) : null;

/** @param {any} words @param {string} key @param {Record<string, any>} [values] @returns {string} */
export const say = (words, key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

export class Rail {
  /** @param {HTMLFormElement} form @param {any} app */
  constructor(form, app) {
    this.form = form;
    this.app = app;
    /** @type {HTMLElement|null} */
    this.armed = null;
    this.asks = [...form.querySelectorAll('.q')].map(el => ({ el, kind: KINDS[el.dataset.kind], q: /** @type {Question} */ ({
      id: el.dataset.q, kind: el.dataset.kind, need: +el.dataset.need, most: +el.dataset.most || Infinity, required: 'required' in el.dataset, each: el.dataset.each ?? '',
      when: json(el.dataset.when) ?? [], exclusive: el.dataset.exclusive ?? '', preset: json(el.dataset.preset) }) }));
    this.tried = new Set();
    form.addEventListener('change', e => this.changed(e));
    form.addEventListener('input', e => this.moved(e));
    form.addEventListener('click', e => this.clicked(e));
    form.addEventListener('focusin', e => { const x = this.of(e.target), at = x && (e.target.closest('[data-line]') ?? x.el); if (at && at !== this.armed && !at.contains(this.armed)) this.arm(at, false); });
  }

  /** @param {any} el */
  of(el) { return this.asks.find(x => x.el === el.closest('.q')); }
  lines(x) { return [...x.el.querySelectorAll('[data-line]')].filter(line => !line.hidden); }
  read(x) { return x.q.each ? Object.fromEntries(this.lines(x).map(line => [line.dataset.line, x.kind.read(line)]).filter(([, v]) => v != null)) : x.kind.read(x.el); }

  /** Show the answers of an item. @param {number} i */
  show(i) {
    const { store } = this.app;
    for (const x of this.asks) {
      const { el, q, kind } = x, applies = store.applies(i, q), v = store.value(i, q);
      el.hidden = !applies;
      if (!applies) continue;
      if (q.each) {
        const chosen = store.chosen(i, q);
        for (const line of el.querySelectorAll('[data-line]')) { line.hidden = !chosen.includes(line.dataset.line); kind.write(line, v?.[line.dataset.line] ?? null); }
      } else kind.write(el, v, this.app);
      this.hint(x, i);
    }
  }

  /** Say beside a question what it still misses. */
  hint(x, i, words = '') {
    const { store } = this.app, lack = store.lacks(i, x.q), hint = x.el.querySelector('.hint'), left = store.open(i, x.q);
    x.el.classList.toggle('tried', lack && this.tried.has(i));
    if (!hint) return;
    hint.hidden = !lack && !words;
    hint.textContent = words || (lack ? x.q.need > 1 && left < x.q.need ? say(this.app.words, 'more', { n: left }) : x.el.dataset.hint : '');
  }

  /** Arm a question or one line of it: digits answer it from now on. @param {any} el @param {boolean} [focus] */
  arm(el, focus = true) {
    this.armed?.classList.remove('armed');
    this.armed?.closest('.q')?.classList.remove('armed');
    const x = el && this.of(el);
    if (x && el === x.el && !x.q.preset) { const lines = this.lines(x); el = lines.find(line => x.kind.read(line) == null && !line.querySelector(':checked')) ?? lines[0] ?? el; }
    this.armed = el;
    if (!el) return;
    el.classList.add('armed');
    x?.el.classList.add('armed');
    if (!focus) return;
    this.app.sheet(true);
    if (x?.el.dataset.display === 'counts') return el.scrollIntoView({ block: 'nearest' });   // digits are for the labels
    (el.querySelector(':checked') ?? el.querySelector('textarea, [type=number], select') ?? el.querySelector('input, button'))?.focus({ preventScroll: true });
    el.scrollIntoView({ block: 'nearest' });
  }

  /** What is armed when a row is opened: the first gap, where digits are not needed for picking lines. */
  rest() {
    const gap = 'autoarm' in this.form.dataset ? this.gap() : null;
    this.arm(gap?.el ?? null, false);
  }
  gap() { const { store, item } = this.app; return this.asks.find(x => store.lacks(item, x.q)); }

  /** What comes after an answer: the next open line, the question that follows, the next gap. */
  advance(x, line) {
    const lines = this.lines(x), next = lines.slice(lines.indexOf(line) + 1).find(l => !l.querySelector(':checked'));
    if (line && x.q.preset) return this.arm(null);
    if (line && next) return this.arm(next, false);
    const follow = this.asks.find(y => y.q.id === x.el.dataset.next && !y.el.hidden && y.kind !== text);
    if ('autoarm' in this.form.dataset) return this.rest();
    return this.arm(follow?.el ?? null, false);
  }

  take(x, typed = false) { this.app.answer(x.q.id, this.read(x), typed); }

  changed(e) {
    const x = this.of(e.target), c = e.target;
    if (!x) return;
    if (x.kind.allow && !x.kind.allow(x.el, c)) { const words = say(this.app.words, 'too_many', { n: x.q.most }); this.hint(x, this.app.item, words); this.app.say(words); return; }
    this.take(x);
    const { store, item } = this.app;
    if (c.type === 'radio' || c.matches('select')) this.advance(x, c.closest('[data-line]'));
    else if (c.type === 'checkbox' && store.value(item, x.q)?.length === x.q.most) this.advance(x, null);
  }

  moved(e) {
    const x = this.of(e.target);
    if (!x?.kind.input || x.q.each || e.target.matches('[type=radio], [type=checkbox]') || !x.kind.input(x.el, e.target)) return;
    if (e.target.type === 'range') x.el.classList.remove('unset');
    else this.take(x, true);
  }

  clicked(e) {
    const b = e.target.closest('button'), x = b && this.of(b);
    if (!b) return;
    if (b.dataset.def) this.app.help.define(b.dataset.def);
    else if (x?.kind.press?.(x.el, b)) this.take(x);
  }

  /** A digit for what is armed. @param {string} key @returns {(() => void)|undefined} */
  digit(key) {
    const input = this.armed?.querySelector(`[data-k="${CSS.escape(key)}"]`), typed = this.armed?.querySelector('[type=number]:not(.opt *)');
    if (input) return () => { if (input.matches('input')) input.focus({ preventScroll: true }); input.click(); };
    if (typed && /^\d$/.test(key)) return () => { typed.focus({ preventScroll: true }); typed.value = key; typed.dispatchEvent(new Event('input', { bubbles: true })); };
    return undefined;
  }

  /** A letter that arms a question, or a digit that picks a line. @param {string} key @returns {(() => void)|undefined} */
  letter(key) {
    const el = [...this.form.querySelectorAll('.q:not([hidden])[data-letter], .q:not([hidden]) [data-pick]')].find(x => (x.dataset.letter ?? x.dataset.pick) === key);
    return el && (() => this.arm(el));
  }

  /** What the margin of a row says about an answer. */
  brief(i) {
    const { store } = this.app, item = store.items[i];
    return this.asks.filter(x => store.applies(i, x.q) && (item.answers[x.q.id] != null || x.q.kind === 'scale' && store.started(i))).map(x => {
      const v = item.answers[x.q.id];
      if (v == null) return { ask: x, short: x.q.required ? '?' : '' };
      if (!x.q.each) return { ask: x, ...x.kind.brief(x.el, v) };
      const parts = Object.entries(v).map(([line, one]) => x.kind.brief(x.el.querySelector(`[data-line="${line}"]`), one).short ?? '');
      return { ask: x, short: parts.join(' ') };
    });
  }
}
