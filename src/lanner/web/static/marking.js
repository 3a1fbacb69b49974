// Marking words: a selection by mouse or by arrows, a menu at it that can be gone back in, marks that may overlap and link.
import { $, $$, made } from './dom.js';
import { watchSelection } from './selection.js';
import { cut, points, slice, words } from './text.js';

const area = at => at.getBoundingClientRect(),
  side = cell => cell.dataset.side,
  output = cell => +cell.dataset.output,
  sides = bar => bar.dataset.sides.split(' ');
const cells = row => $$('[data-side]', row.el).filter(cell => side(cell) !== 'reference');

export class Marking {
  constructor(app) {
    this.app = app;
    this.asks = app.rail.asks.filter(x => x.q.kind === 'spans');
    this.bars = $$('.toolbar');
    this.links = this.bars.some(bar => 'link' in bar.dataset);
    /** What the menu is about: the question, the span, its number where it is a mark already, the steps taken so far. */
    this.sel = null;
    /** The mark whose other end is looked for, and that end. */
    this.linking = null;
    /** The words that arrows have reached. */
    this.cursor = null;
    this.texts = new Map();
    this.painted = new Map();
    if (!this.asks.length) return;
    for (const cell of $$('.row [data-side]')) this.texts.set(cell, cell.textContent);
    this.selection = watchSelection($('.doc'), { taken: stretch => this.selected(stretch) });
    document.addEventListener('pointerdown', ({ target }) => {
      if (!target.closest?.('.row, .toolbar, .rail, .note')) this.hide();
    });
    for (const scroller of $$('.scroller'))
      scroller.addEventListener('scroll', () => {
        if (this.sel) this.place(this.sel);
      });
    for (const bar of this.bars) {
      bar.addEventListener('click', e => this.pressed(e.target.closest('button')));
      // a click here takes the focus and the selection from nothing
      bar.addEventListener('mousedown', e => e.preventDefault());
    }
    $('.doc').addEventListener('click', e => {
      const mark = e.target.closest('mark');
      if (mark && getSelection().isCollapsed && !this.linking) this.pickAt(mark);
    });
    app.rail.form.addEventListener('click', e =>
      this.listed(e.target.closest('[data-span], [data-remove], [data-act=missing]')),
    );
  }
  get active() {
    return !!(this.sel || this.linking);
  }
  spans(i, ask) {
    return this.app.store.value(i, ask.q) ?? [];
  }
  bar(el) {
    return this.bars.find(bar => bar.dataset.for === el.dataset.q);
  }
  option(el, field, value) {
    return $(`[data-field=${field}] [value="${value}"]`, this.bar(el))?.dataset;
  }
  level(el, span) {
    return this.option(el, 'severity', span.severity)?.level ?? 0;
  }
  named(el, span) {
    return [
      span.missing && this.bar(el).dataset.missing,
      ...['category', 'severity'].map(f => span[f] && this.option(el, f, span[f])?.name),
    ]
      .filter(Boolean)
      .join(', ');
  }
  /** The question whose marks may be made in a text: on its side, or on the source for what is missing. */
  asked(cell) {
    return this.asks.find(
      ({ el }) =>
        !el.hidden &&
        (sides(this.bar(el)).includes(side(cell)) ||
          (side(cell) === 'source' && this.bar(el).dataset.missing)),
    );
  }
  /** Where a row's text begins in what is judged: 0, or its place in the document when that is judged whole. */
  offset(row, cell) {
    const before = row.own ? [] : this.app.rows.all.filter(r => r.block === row.block);
    const same = r => cells(r).find(c => side(c) === side(cell) && output(c) === output(cell));
    return before
      .slice(0, before.indexOf(row))
      .reduce((n, r) => n + points(this.texts.get(same(r))) + 1, 0);
  }

  /* ---- showing ---- */
  paint(i) {
    const { rows } = this.app,
      all = this.links
        ? rows.all.flatMap(r =>
            r.item == null ? [] : this.asks.flatMap(x => this.spans(r.item, x)),
          )
        : [];
    const ends = all.filter(s => s.link?.end).map(s => ({ ...s.link, look: 'linked' }));
    if (this.asks.length)
      for (const row of rows.all)
        if (row.item === i || this.links)
          this.paintRow(
            row,
            ends.filter(end => end.segment === row.el.dataset.segment),
          );
  }
  paintRow(row, ends) {
    const own =
      row.item == null
        ? []
        : this.asks.flatMap(x =>
            this.spans(row.item, x).map((s, id) => ({
              ...s,
              id: `${x.q.id}/${id}`,
              look: `s${this.level(x.el, s)}${s.missing ? ' gone' : ''}${s.link ? ' links' : ''}`,
            })),
          );
    const marks = [...own, ...ends],
      key = JSON.stringify(marks);
    if (this.painted.get(row) === key) return;
    this.painted.set(row, key);
    for (const cell of cells(row)) {
      const text = this.texts.get(cell),
        from = this.offset(row, cell),
        last = points(text);
      const here = marks
        .filter(
          s =>
            s.side === side(cell) &&
            (s.output ?? 0) === output(cell) &&
            s.end > from &&
            s.end - from <= last,
        )
        .map(s => ({ ...s, start: s.start - from, end: s.end - from }));
      cell.replaceChildren(
        ...cut(text, here).map(piece => {
          const mark = piece.marks.length
            ? made('mark', piece.marks.map(s => s.look).join(' '), piece.text)
            : piece.text;
          if (piece.marks.length) mark.dataset.ids = piece.marks.flatMap(s => s.id ?? []).join(' ');
          return mark;
        }),
      );
    }
  }

  /* ---- the menu ---- */
  /** `at` is what the menu stands beside: a stretch of text or an element. */
  open(ask, span, id, at) {
    const bar = this.bar(ask.el);
    this.hide();
    if (this.app.frozen) return;
    this.sel = { ask, span, id, bar, at, path: [] };
    bar.hidden = false;
    this.stage();
  }
  /** Put the menu beside what it is about, also while that scrolls; every step has a size of its own. */
  place({ bar, at }) {
    const doc = area($('.doc')),
      box = area(at);
    const below = matchMedia('(pointer: coarse)').matches || box.top < bar.offsetHeight + 60; // on touch the system's own menu is above
    bar.style.left =
      Math.max(
        8,
        Math.min(
          box.left + box.width / 2 - bar.offsetWidth / 2,
          Math.max(doc.right, box.right) - bar.offsetWidth - 8,
        ),
      ) + 'px';
    bar.style.top =
      Math.max(
        8,
        Math.min(
          innerHeight - bar.offsetHeight - 8,
          below ? box.bottom + 8 : box.top - bar.offsetHeight - 8,
        ),
      ) + 'px';
  }
  /** Show the step one is at: missing or not, kind, kind within it, severity; after the last one the mark is made. */
  stage() {
    const { ask, bar, path, span, id } = this.sel,
      [field, value] = path.at(-1) ?? [],
      taken = path.map(([f]) => f),
      panels = $$('.panel', bar);
    const inner =
      field === 'category' &&
      taken.filter(f => f === field).length < 2 &&
      panels.find(p => p.dataset.parent === value);
    const now =
      inner ||
      panels.find(
        p =>
          !p.dataset.parent &&
          !taken.includes(p.dataset.field) &&
          (p.dataset.field !== 'missing' || (span.side === 'source' && span.text)),
      );
    const inside = bar.contains(document.activeElement);
    if (!now) return this.commit();
    for (const p of panels) p.hidden = p !== now;
    if (inside) this.enter();
    for (const b of $$('button', now))
      b.ariaPressed = String(id != null && span[now.dataset.field] === b.value);
    $('.crumbs', bar).hidden = !path.length;
    $('.crumb', bar).textContent = path
      .map(([f, v]) => this.option(ask.el, f, v)?.name)
      .filter(Boolean)
      .join(' › ');
    $('.more-acts', bar).hidden = id == null;
    for (const b of $$('[data-act=unlink]', bar)) b.hidden = !span.link;
    return this.place(this.sel);
  }
  pressed(b) {
    const field = b?.closest('.panel')?.dataset.field,
      { app, sel } = this;
    if (field) {
      sel.path.push([field, b.value]);
      this.stage();
    } else if (b?.dataset.act === 'step-back') this.back();
    else if (b?.dataset.act === 'remove') this.remove(sel.ask, sel.id);
    else if (b?.dataset.act === 'unlink') this.relink(sel, undefined, 'removed');
    else if (b) {
      this.hide();
      this.linking = { ...sel, item: app.item, end: null };
      app.say(app.t('linking'));
      app.note('link', app.t('linking'), ['×', () => this.close()]);
    }
  }
  back() {
    this.sel.path.pop();
    this.stage();
  }
  /** Into the menu with Tab: it stands far off in the order of the page. */
  enter() {
    $('.panel:not([hidden]) button', this.sel.bar).focus();
  }
  /** A key for the menu: a digit of the step that is shown, or the letter for a link. */
  menu(k) {
    const b =
      this.sel &&
      $$('.panel:not([hidden]) [data-k], .more-acts:not([hidden]) [data-k]', this.sel.bar).find(
        x => x.dataset.k === k,
      );
    return b && (() => b.click());
  }
  delete() {
    const { path, ask, id } = this.sel ?? {};
    if (path?.length) this.back();
    else if (id != null) this.remove(ask, id);
    else this.close();
  }
  commit() {
    const { ask, span, id, path } = this.sel,
      spans = [...this.spans(this.app.item, ask)],
      { missing, ...fields } = Object.fromEntries(path);
    spans[id ?? spans.length] = { ...span, ...fields, ...(missing && { missing: true }) };
    this.put(ask, spans, 'marked', span.text);
  }
  remove(ask, id) {
    this.put(
      ask,
      this.spans(this.app.item, ask).filter((_, n) => n !== id),
      'removed',
    );
  }
  put(ask, spans, word, text) {
    const { app } = this,
      inside = document.activeElement?.closest('.toolbar');
    this.close();
    app.answer(ask.q.id, spans);
    if (inside) app.rows.now?.num.focus({ preventScroll: true });
    app.rail.rest();
    app.say(app.t(word, { text }));
  }
  hide() {
    for (const bar of this.bars) bar.hidden = true;
    for (const mark of $$('mark.on')) mark.classList.remove('on');
    this.sel = null;
  }
  close() {
    if (!this.asks.length) return;
    this.hide();
    this.linking = this.cursor = null;
    this.app.note('link', '');
    getSelection().removeAllRanges();
  }
  /** A click in the list beside the questions. */
  listed(b) {
    const ask = b && this.app.rail.of(b);
    if (b?.dataset.span) this.pick(ask, +b.dataset.span);
    else if (b?.dataset.remove) this.remove(ask, +b.dataset.remove);
    else if (b) this.open(ask, { side: 'source', missing: true, text: '' }, undefined, b);
  }

  /* ---- selecting ---- */
  /** Words were selected with the mouse or by handles. */
  selected({ cell, start, end }) {
    if (!this.texts.has(cell)) return;
    this.stretch(cell, start, end);
    if (this.linking) this.link();
  }
  stretch(cell, start, end) {
    const { app, linking } = this,
      at = +cell.closest('.row').dataset.row,
      row = app.rows.all[at],
      ask = this.asked(cell),
      text = slice(this.texts.get(cell), start, end),
      from = this.offset(row, cell);
    if (linking) {
      linking.end = { segment: row.el.dataset.segment, side: side(cell), start, end, text };
      return;
    }
    if (!ask || row.item == null) return;
    if (row.item !== app.item) app.go(at, false);
    const several = side(cell) === 'target' && $$('.tgt', row.el).length > 1,
      gone = !sides(this.bar(ask.el)).includes(side(cell));
    const span = {
      side: side(cell),
      start: start + from,
      end: end + from,
      text,
      ...(several && { output: output(cell) }),
      ...(gone && { missing: true }),
    };
    const spans = this.spans(app.item, ask),
      same = spans.findIndex(s => ['side', 'start', 'end', 'output'].every(f => s[f] === span[f]));
    const range = this.selection.select({ cell, start, end });
    this.open(ask, spans[same] ?? span, same < 0 ? undefined : same, range);
  }
  /** Where several marks lie over each other, each click takes the next. */
  pickAt(mark) {
    const at = +mark.closest('.row').dataset.row,
      ids = mark.dataset.ids.split(' ').filter(Boolean),
      { sel } = this;
    if (!ids.length) return;
    const now = sel ? ids.indexOf(`${sel.ask.q.id}/${sel.id}`) : -1,
      [q, id] = ids.at(now < 0 ? -1 : now - 1).split('/');
    if (at !== this.app.row) this.app.go(at, false);
    this.pick(
      this.asks.find(x => x.q.id === q),
      +id,
    );
  }
  pick(ask, id) {
    const marks = $$('mark').filter(
      m =>
        m.dataset.ids.split(' ').includes(`${ask.q.id}/${id}`) &&
        this.app.rows.all[+m.closest('.row').dataset.row].item === this.app.item,
    );
    getSelection().removeAllRanges();
    this.open(ask, this.spans(this.app.item, ask)[id], id, marks[0] ?? ask.el);
    for (const mark of marks) mark.classList.add('on');
  }

  /* ---- by keys ---- */
  get here() {
    return this.cursor?.row ?? this.app.rows.now;
  }
  choices(row) {
    return cells(row).filter(cell => this.linking || this.asked(cell));
  }
  /** Arrows walk word by word, and beyond the last word into the other text; with Shift the selection grows. */
  walk(step, grow) {
    const row = this.here,
      sides = this.choices(row),
      { from: start, to: old } = this.cursor ?? {},
      was = this.cursor?.cell ?? sides.at(-1),
      by = was && getComputedStyle(was).direction === 'rtl' ? -step : step;
    const there = was && words(this.texts.get(was), was.lang),
      beyond = old != null && !grow && !there[old + by] && sides[sides.indexOf(was) + by],
      cell = beyond || was,
      text = this.texts.get(cell),
      all = beyond ? words(text, cell.lang) : there;
    if (!all?.length) return;
    const to =
        old == null
          ? 0
          : beyond
            ? by < 0
              ? all.length - 1
              : 0
            : Math.max(0, Math.min(all.length - 1, old + by)),
      from = grow ? (start ?? to) : to;
    const ends = [all[Math.min(from, to)].start, all[Math.max(from, to)].end];
    const range = this.selection.select({ cell, start: ends[0], end: ends[1] });
    row.block.querySelector('.scroller').scrollBy(0, this.beyond(range, row.block));
    this.stretch(cell, ...ends);
    this.cursor = { row, cell, from, to };
  }
  /** How far words are out of sight. */
  beyond(range, block) {
    const box = area(range),
      view = area($('.scroller', block));
    return box.top < view.top || box.bottom > view.bottom
      ? box.top - view.top - view.height / 3
      : 0;
  }
  /** The next text of the row. */
  other() {
    const row = this.here,
      all = row && this.asks.length ? this.choices(row) : [];
    if (all.length) {
      this.cursor = {
        row,
        cell: all[(all.indexOf(this.cursor?.cell ?? all.at(-1)) + 1) % all.length],
      };
      this.walk(0, false);
    }
  }
  /** Another row, while looking for the other end of a link. */
  row(by) {
    const { rows } = this.app,
      row = rows.all[rows.all.indexOf(this.here) + by];
    if (row?.block !== rows.now.block) return;
    if (row.el.hidden) rows.whole();
    if (row.el.hidden) return;
    this.cursor = {
      row,
      cell: cells(row).find(cell => side(cell) === side(this.cursor?.cell ?? cells(row).at(-1))),
    };
    this.walk(0, false);
  }
  link() {
    if (this.linking.end) this.relink(this.linking, this.linking.end, 'link_made');
  }
  relink({ ask, id, item = this.app.item }, link, word) {
    this.put(
      ask,
      this.spans(item, ask).map((span, n) =>
        n === id ? (link ? { ...span, link } : (({ link: _, ...rest }) => rest)(span)) : span,
      ),
      word,
    );
  }
}
