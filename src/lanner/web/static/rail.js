// The questions: shows the answers of the current item, takes new ones, and knows which question is armed.

import { canon } from './digest.js';
import { $, $$, near } from './dom.js';
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
    this.app.answer(x.q.id, this.read(x), typed);
  }

  /** Show the answers of an item; those that are shown already only where the row is another (`anew`). */
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
      if (anew || x.key !== key) {
        if (!q.each) kind.write(el, v, this.app);
        else
          for (const line of $$('[data-line]', el)) {
            line.hidden = !chosen.includes(line.dataset.line);
            kind.write(line, v?.[line.dataset.line] ?? null);
          }
      }
      x.key = key;
      this.hint(el, q, i);
    }
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
        $('textarea, [type=number], select', el) ??
        $('input', el) ??
        $('button:not(.info)', el)
      )?.focus();
    else near(el);
  }
  gap() {
    return this.asks.find(x => this.app.store.lacks(this.app.item, x.q));
  }
  /** What is armed when a row is opened: the first gap, where digits are not needed for picking lines. */
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
  moved(c) {
    const x = this.of(c);
    if (
      x?.kind.typed &&
      !x.q.each &&
      c.matches('textarea, [type=number], [type=range]') &&
      x.kind.typed(x.el, c)
    )
      this.take(x, true);
  }
  clicked(b) {
    const x = b && this.of(b);
    if (b?.dataset.def) this.app.help.define(b.dataset.def);
    else if (x?.kind.press?.(x.el, b)) this.take(x);
  }

  /** What a digit does to what is armed. */
  digit(key) {
    const { armed } = this,
      input = armed && $(`[data-k="${CSS.escape(key)}"]`, armed),
      f = armed && /\d/.test(key) && $('.slide [type=number], input.count', armed);
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
