// The questions: shows the answers of the current item, takes new ones, and knows which question is
// armed.

import { canon } from './digest.js';
import { $, $$, near } from './dom.js';
import { isHopeless, limitsOf, readNumber } from './numbers.js';
import * as choice from './widgets/choice.js';
import * as grid from './widgets/grid.js';
import * as labels from './widgets/labels.js';
import * as number from './widgets/number.js';
import * as rank from './widgets/rank.js';
import * as scale from './widgets/scale.js';
import * as spans from './widgets/spans.js';
import * as text from './widgets/text.js';

const KINDS = { choice, grid, labels, number, rank, scale, spans, text },
  json = (s, none) => (s ? JSON.parse(s) : none);

export class Rail {
  constructor(form, app) {
    this.form = form;
    this.app = app;
    this.armed = null;
    this.tried = new Set();
    /** @type {any} the field in which a number is being typed that is no answer yet */
    this.typing = null;
    /** @type {Map<string, string>} numbers that were refused, as they were typed, by item and field
     * */
    this.refused = new Map();
    this.asks = $$('.q', form).map(el => {
      const {
        q: id,
        kind,
        need,
        most,
        required,
        each = '',
        when,
        exclusive,
        preset,
        short: name,
      } = el.dataset;
      return {
        el,
        name,
        key: '',
        kind: KINDS[kind],
        q: {
          id,
          kind,
          need: +need,
          most: +most || Infinity,
          required: required != null,
          each,
          exclusive,
          when: json(when, []),
          preset: json(preset, null),
        },
      };
    });
    this.auto = 'autoarm' in form.dataset;
    form.addEventListener('change', e => this.changed(e.target));
    form.addEventListener('input', e => this.moved(e.target));
    form.addEventListener('click', e => this.clicked(e.target.closest('button')));
    form.addEventListener('focusin', ({ target }) => {
      const at = target.closest('[data-line]') ?? target.closest('.q');
      if (at && !at.contains(this.armed)) this.arm(at, false);
    });
  }
  of(el) {
    return this.asks.find(x => x.el === el.closest('.q'));
  }
  lines(x) {
    return $$('[data-line]', x.el).filter(line => !line.hidden);
  }
  read(x) {
    return x.q.each
      ? Object.fromEntries(
          this.lines(x)
            .map(line => [line.dataset.line, x.kind.read(line)])
            .filter(([, v]) => v != null),
        )
      : x.kind.read(x.el);
  }
  take(x, typed = false) {
    x.key = ''; // the page shows something else than what was last written to it
    this.app.answer(x.q.id, this.read(x), typed);
  }

  /** Show the answers of an item; those that are shown already only where the row is another
   * (`anew`). */
  show(i, anew) {
    const { store } = this.app;
    for (const x of this.asks) {
      const { el, q, kind } = x,
        v = store.value(i, q),
        chosen = q.each && store.chosen(i, q),
        key = canon([v, chosen]),
        hidden = !store.applies(i, q);
      if (el.hidden !== hidden) el.hidden = hidden;
      if (hidden) continue;
      if (anew || (x.key !== key && !el.contains(this.typing))) {
        if (!q.each) kind.write(el, v, this.app);
        else
          for (const line of $$('[data-line]', el)) {
            line.hidden = !chosen.includes(line.dataset.line);
            kind.write(line, v?.[line.dataset.line] ?? null);
          }
      }
      x.key = key;
      this.hint(el, q, i);
      this.showRefused(x, i);
    }
  }
  /** The fields of a question that take a typed number. */
  fields(x) {
    return $$('[inputmode]', x.el).filter(field => !field.closest('[data-line][hidden]'));
  }
  /** A refused number stays as it was typed, and what is wrong with it is said, until it is mended.
   * */
  showRefused(x, i) {
    for (const field of this.fields(x)) {
      const text = this.refused.get(`${i}/${field.name}`);
      field.toggleAttribute('aria-invalid', text != null);
      if (text == null) continue;
      field.setAttribute('aria-invalid', 'true');
      if (field !== this.typing) field.value = text;
      this.hint(x.el, x.q, i, this.problem(field));
      x.el.classList.add('tried');
    }
  }
  /** What is wrong with a typed number, in words. */
  problem(field) {
    const limits = limitsOf(field),
      { problem } = readNumber(field.value, limits);
    const { min: low, max: high, step } = limits;
    return problem ? this.app.t(problem, { text: field.value.trim(), low, high, step }) : '';
  }
  /** Whether a number of an item was refused and not mended since. */
  refuses(i, x = null) {
    const names = x && this.fields(x).map(field => `${i}/${field.name}`);
    return [...this.refused.keys()].some(key =>
      names ? names.includes(key) : key.startsWith(`${i}/`),
    );
  }
  /** Take the number that is being typed, before anything else happens. */
  commit() {
    if (this.typing) this.changed(this.typing);
  }
  /** Say beside a question what it still misses. */
  hint(el, q, i, words = '') {
    const { store, t } = this.app,
      lack = store.lacks(i, q),
      hint = $('.hint', el),
      left = store.open(i, q);
    el.classList.toggle('tried', lack && this.tried.has(i));
    const text =
      words ||
      (!lack ? '' : q.need > 1 && left < q.need ? t('more', { n: left }) : el.dataset.hint);
    hint.hidden = !text;
    if (hint.textContent !== text) hint.textContent = text;
  }

  /** Arm a question or one line of it: digits answer it from now on. */
  arm(el, focus = true) {
    for (const armed of $$('.armed', this.form)) armed.classList.remove('armed');
    const x = el && this.of(el),
      lines = x && el === x.el && !x.q.preset ? this.lines(x) : [];
    el = this.armed = lines.find(line => !$(':checked', line)) ?? lines[0] ?? el;
    if (!el) return;
    for (const part of [el, x.el]) part.classList.add('armed');
    if (!focus) return;
    this.app.sheet(true);
    // where digits count labels, no field may swallow them
    if (x.el.dataset.display !== 'counts')
      (
        $(':checked', el) ??
        $('textarea, [inputmode], select', el) ??
        $('input', el) ??
        $('button:not(.info)', el)
      )?.focus();
    else near(el);
  }
  /** The next or previous question: what up and down mean in a questionnaire. */
  step(by) {
    const shown = this.asks.filter(x => !x.el.hidden),
      at = shown.findIndex(x => x.el.contains(this.armed ?? document.activeElement));
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (!next) return;
    this.arm(next.el);
    near(next.el);
  }
  gap() {
    const { store, item, practice } = this.app;
    const lacks = q => store.lacks(item, q) && (!practice || practice.asks(item, q.id));
    return this.asks.find(x => lacks(x.q) || (!x.el.hidden && this.refuses(item, x)));
  }
  /** What is armed when a row is opened: the first gap, where digits are not needed for picking
   * lines. */
  rest() {
    this.arm((this.auto && this.gap()?.el) || null, false);
  }
  /** What comes after an answer: the next open line, the next gap, the question that follows. */
  advance(x, line) {
    const lines = this.lines(x),
      open = lines.slice(lines.indexOf(line) + 1).find(l => !$(':checked', l));
    if (line && (open || x.q.preset)) return this.arm(open ?? null, false);
    return this.auto
      ? this.rest()
      : this.arm(
          this.asks.find(y => y.q.id === x.el.dataset.next && !y.el.hidden)?.el ?? null,
          false,
        );
  }

  changed(c) {
    const x = this.of(c),
      { app } = this;
    if (!x) return;
    if (c.matches('[inputmode]') && !this.numbered(c)) return;
    if (c.type === 'range') this.refused.delete(`${app.item}/${this.fields(x)[0].name}`);
    if (x.kind.allow?.(x.el, c) === false) {
      this.hint(x.el, x.q, app.item, app.t('too_many', { n: x.q.most }));
      return app.say(app.t('too_many', { n: x.q.most }));
    }
    this.take(x);
    if (
      c.matches('[type=radio], select') ||
      (c.type === 'checkbox' && app.store.value(app.item, x.q)?.length === x.q.most)
    )
      this.advance(x, c.closest('[data-line]'));
  }
  /** Whether a field holds a number of its scale, or nothing; what is neither is refused. */
  numbered(field) {
    const { app } = this,
      key = `${app.item}/${field.name}`,
      { problem } = readNumber(field.value, limitsOf(field));
    this.typing = null;
    if (problem) {
      this.refused.set(key, field.value);
      app.say(this.problem(field));
    } else this.refused.delete(key);
    if (problem) app.refresh(app.item);
    return !problem;
  }
  /** Something is typed or moved. A text is an answer letter by letter; a number when it is
   * complete. */
  moved(c) {
    const x = this.of(c);
    if (!x) return;
    if (c.matches('[inputmode]')) {
      this.typing = c;
      if (isHopeless(c.value, limitsOf(c))) this.hint(x.el, x.q, this.app.item, this.problem(c));
      else if (!this.refused.has(`${this.app.item}/${c.name}`)) this.hint(x.el, x.q, this.app.item);
      if (x.q.kind !== 'labels' && !x.q.each) this.app.keep(x.q, x.kind.read(x.el));
    } else if (x.kind.typed?.(x.el, c) && !x.q.each) this.take(x, true);
  }
  clicked(b) {
    const x = b && this.of(b);
    this.commit();
    if (b?.dataset.def) this.app.help.define(b.dataset.def);
    else if (x?.kind.press?.(x.el, b)) {
      for (const field of this.fields(x)) this.refused.delete(`${this.app.item}/${field.name}`);
      this.take(x);
    }
  }

  /** What a digit does to what is armed. */
  digit(key) {
    const { armed } = this,
      input = armed && $(`[data-k="${CSS.escape(key)}"]`, armed),
      f = armed && /\d/.test(key) && $('.slide [inputmode], input.count', armed);
    if (input)
      return () => {
        if (input.matches('input')) input.focus({ preventScroll: true });
        input.click();
      };
    return (
      f &&
      (() => {
        f.focus();
        f.value = key;
        f.dispatchEvent(new Event('input', { bubbles: true }));
      })
    );
  }
  /** A letter that arms a question, or a digit that picks a line. */
  letter(key) {
    const el = $$('.q:not([hidden])[data-letter], .q:not([hidden]) [data-pick]', this.form).find(
      ({ dataset }) => (dataset.letter ?? dataset.pick) === key,
    );
    return el && (() => this.arm(el));
  }

  /** What the margin of a row says about its answers. */
  brief(i) {
    const { store } = this.app,
      { answers } = store.items[i];
    return this.asks
      .filter(x => store.applies(i, x.q))
      .map(({ el, q, kind }) => {
        const v = answers[q.id];
        if (v == null)
          return { short: q.kind === 'scale' && q.required && store.started(i) ? '?' : '' };
        return q.each
          ? {
              short: Object.keys(v)
                .map(line => kind.brief($(`[data-line="${line}"]`, el), v[line]).short)
                .join(' '),
            }
          : kind.brief(el, v);
      });
  }
}
