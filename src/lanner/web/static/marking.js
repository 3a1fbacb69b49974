// Marking words: with the mouse, by handles, word by word with keys, or by typing the beginning of
// a word. What is selected
// gets a menu; marks can be changed, removed, linked to other words.
import { $, $$ } from './dom.js';
import { cellsOf, Marks, outputOf, sideOf } from './marks.js';
import { Menu } from './menu.js';
import { rangeOf, watchSelection } from './selection.js';
import { clauses, findUnit, slice, words } from './text.js';

/** What can be pressed in the list of marks. */
const LISTED = '[data-span], [data-remarks], button[data-remove], [data-act=missing]';

export class Marking {
  constructor(app) {
    this.app = app;
    this.marks = new Marks(app);
    this.menu = new Menu(app, this.marks, {
      done: sel => this.commit(sel),
      remove: ({ ask, id }) => this.remove(ask, id),
      link: sel => this.beginLink(sel),
      remark: (sel, field) => this.remark(sel, field),
      unlink: sel => this.relink(sel, undefined, 'removed'),
    });
    /** The mark whose other end is looked for, and that end. */
    this.linking = null;
    /** The words that keys have reached. */
    this.cursor = null;
    if (!this.marks.asks.length) return;
    this.selection = watchSelection($('.doc'), { taken: stretch => this.selected(stretch) });
    document.addEventListener('pointerdown', ({ target }) => {
      if (!(/** @type {any} */ (target).closest?.('.row, .toolbar, .rail, .note, .wordfind')))
        this.hide();
    });
    $('.doc').addEventListener('click', e => {
      const mark = e.target.closest('mark');
      if (mark && getSelection().isCollapsed && !this.linking) this.pickAt(mark);
    });
    app.rail.form.addEventListener('click', e => this.listed(e.target.closest(LISTED)));
    $('#word')?.addEventListener('input', e => this.findWord(/** @type {any} */ (e.target).value));
  }
  get active() {
    return !!(this.menu.sel || this.linking);
  }
  get possible() {
    return this.marks.asks.length > 0;
  }
  paint(i) {
    this.marks.paint(i);
  }

  /* ---- what is marked ---- */
  commit({ ask, span, id, path }) {
    const spans = [...this.marks.of(this.app.item, ask)],
      { missing, ...fields } = Object.fromEntries(path);
    spans[id ?? spans.length] = { ...span, ...fields, ...(missing && { missing: true }) };
    this.put(ask, spans, 'marked', span.text);
  }
  remove(ask, id) {
    const left = this.marks.of(this.app.item, ask).filter((_, n) => n !== id);
    this.put(ask, left, 'removed');
  }
  put(ask, spans, word, text = '') {
    const { app } = this,
      inside = document.activeElement?.closest('.toolbar, .wordfind');
    this.close();
    app.answer(ask.q.id, spans);
    if (inside) app.rows.now?.num.focus({ preventScroll: true });
    app.rail.rest();
    app.say(app.t(word, { text }));
  }
  /** A note or a correction is being written at a mark. */
  remark(sel, { dataset: { remark: name }, value }) {
    const spans = [...this.marks.of(this.app.item, sel.ask)],
      { [name]: _, ...rest } = spans[sel.id];
    sel.span = spans[sel.id] = value.trim() ? { ...rest, [name]: value.trim() } : rest;
    this.app.answer(sel.ask.q.id, spans, true);
  }
  /** Delete: one step back in the menu, else the mark goes, else the selection. */
  delete() {
    const { path, ask, id } = this.menu.sel ?? {};
    if (path?.length) this.menu.back();
    else if (id != null) this.remove(ask, id);
    else this.close();
  }
  hide() {
    this.menu.hide();
    this.highlight(null);
  }
  close() {
    if (!this.possible) return;
    this.hide();
    this.linking = this.cursor = null;
    this.app.note('link', '');
    this.showWordField(false);
    getSelection().removeAllRanges();
  }
  /** Selected words stay lit whatever takes the focus. */
  highlight(range) {
    if (range) CSS.highlights?.set('picked', new Highlight(range));
    else CSS.highlights?.delete('picked');
  }

  /* ---- selecting ---- */
  /** Words were selected with the mouse or by handles. */
  selected(stretch) {
    if (!this.marks.texts.has(stretch.cell)) return;
    this.take(stretch);
    if (this.linking) this.link();
  }
  /** Open the menu for a stretch of a text, or take it as the other end of a link. While its
   * beginning is still being
   * typed it is only lit: the browser's selection belongs to the field. */
  take(stretch, typing = false) {
    const { app, linking, marks } = this,
      { cell, start, end } = stretch,
      at = +cell.closest('.row').dataset.row,
      row = app.rows.all[at],
      ask = marks.askAt(cell),
      side = sideOf(cell),
      text = slice(marks.texts.get(cell), start, end);
    if (linking) {
      linking.end = { segment: row.el.dataset.segment, side, start, end, text };
      this.highlight(typing ? rangeOf(stretch) : this.selection.select(stretch));
      return;
    }
    if (!ask || row.item == null) return;
    if (row.item !== app.item) app.go(at, false);
    const several = side === 'target' && $$('.tgt', row.el).length > 1,
      from = marks.offset(row, cell);
    const span = {
      side,
      start: start + from,
      end: end + from,
      text,
      ...(several && { output: outputOf(cell) }),
      ...(!marks.marksErrors(ask, side) && { missing: true }),
    };
    const fields = ['side', 'start', 'end', 'output'],
      spans = marks.of(app.item, ask),
      same = spans.findIndex(other => fields.every(field => other[field] === span[field]));
    const range = typing ? rangeOf(stretch) : this.selection.select(stretch);
    this.menu.open(ask, spans[same] ?? span, same < 0 ? undefined : same, range);
    this.highlight(range);
  }
  /** Where several marks lie over each other, each click takes the next. */
  pickAt(mark) {
    const at = +mark.closest('.row').dataset.row,
      ids = mark.dataset.ids.split(' ').filter(Boolean),
      { sel } = this.menu;
    if (!ids.length) return;
    const now = sel ? ids.indexOf(`${sel.ask.q.id}/${sel.id}`) : -1,
      [question, id] = ids.at(now < 0 ? -1 : now - 1).split('/');
    if (at !== this.app.row) this.app.go(at, false);
    this.pick(
      this.marks.asks.find(ask => ask.q.id === question),
      +id,
    );
  }
  pick(ask, id) {
    const pieces = this.marks.pieces(ask, id);
    getSelection().removeAllRanges();
    this.highlight(null);
    this.menu.open(ask, this.marks.of(this.app.item, ask)[id], id, pieces[0] ?? ask.el);
    for (const piece of pieces) piece.classList.add('on');
  }
  /** A click in the list beside the questions. */
  listed(button) {
    const ask = button && this.app.rail.of(button);
    if (button?.dataset.span) this.pick(ask, +button.dataset.span);
    else if (button?.dataset.remarks) {
      this.pick(ask, +button.dataset.remarks);
      this.menu.showRemarks();
    } else if (button?.dataset.remove) this.remove(ask, +button.dataset.remove);
    else if (button)
      this.menu.open(ask, { side: 'source', missing: true, text: '' }, undefined, button);
  }

  /* ---- by keys ---- */
  get row() {
    return this.cursor?.row ?? this.app.rows.now;
  }
  cells(row) {
    return cellsOf(row).filter(cell => this.linking || this.marks.askAt(cell));
  }
  units(cell) {
    return cell ? words(this.marks.texts.get(cell) ?? '', cell.lang) : [];
  }
  /** Arrows walk word by word, and beyond the last word into the other text; with Shift the
   * selection grows. */
  walk(step, grow) {
    const cells = this.cells(this.row),
      { from, to } = this.cursor ?? {},
      cell = this.cursor?.cell ?? cells.at(-1),
      by = cell && getComputedStyle(cell).direction === 'rtl' ? -step : step,
      units = this.units(cell);
    if (!units.length) return;
    if (to == null) return this.reach(cell, 0, 0);
    const next = to + by;
    if (units[next]) return this.reach(cell, grow ? (from ?? next) : next, next);
    const other = grow ? null : cells[cells.indexOf(cell) + by],
      count = this.units(other).length;
    if (!count) return undefined;
    const edge = by < 0 ? count - 1 : 0;
    return this.reach(other, edge, edge);
  }
  /** The first word of the next or previous part of a sentence, or its first or last word of all.
   * */
  leap(step, wholly = false, grow = false) {
    const cell = this.cursor?.cell ?? this.cells(this.row).at(-1),
      by = cell && !wholly && getComputedStyle(cell).direction === 'rtl' ? -step : step,
      units = this.units(cell),
      at = this.cursor?.to ?? -1;
    if (!units.length) return;
    const starts = wholly ? [] : clauses(this.marks.texts.get(cell) ?? '', units);
    const next = by > 0 ? starts.find(n => n > at) : starts.findLast(n => n < at),
      to = next ?? (by > 0 ? units.length - 1 : 0);
    this.reach(cell, grow ? (this.cursor?.from ?? to) : to, to);
  }
  /** Select words `from` to `to` of a text and bring them into sight. */
  reach(cell, from, to) {
    const units = this.units(cell),
      row = this.app.rows.all[+cell.closest('.row').dataset.row];
    const stretch = {
      cell,
      start: units[Math.min(from, to)].start,
      end: units[Math.max(from, to)].end,
    };
    const range = this.selection.select(stretch);
    this.app.rows.views.get(row.block).reveal(range.getBoundingClientRect());
    this.take(stretch);
    this.cursor = { row, cell, from, to };
  }
  /** The next text of the row. */
  other() {
    const cells = this.row && this.possible ? this.cells(this.row) : [];
    if (!cells.length) return;
    const cell = cells[(cells.indexOf(this.cursor?.cell ?? cells.at(-1)) + 1) % cells.length];
    if (this.units(cell).length) this.reach(cell, 0, 0);
  }

  /* ---- typing the beginning of a word ---- */
  showWordField(open) {
    const field = $('#word');
    if (!field || field.closest('.wordfind').hidden === !open) return;
    field.closest('.wordfind').hidden = !open;
    field.value = '';
    if (open) field.focus();
  }
  /** To the next place where a text goes on with what was typed: a word, or a sign of punctuation.
   * */
  findWord(typed) {
    const cells = this.cells(this.row),
      at = Math.max(0, cells.indexOf(this.cursor?.cell ?? cells.at(-1)));
    for (const cell of [...cells.slice(at), ...cells.slice(0, at)]) {
      const unit = findUnit(this.marks.texts.get(cell) ?? '', cell.lang, typed);
      if (!unit) continue;
      const to = this.units(cell).findIndex(word => word.end > unit.start);
      this.take({ cell, ...unit }, true);
      this.cursor = { row: this.row, cell, from: to, to };
      return;
    }
  }
  /** Enter in that field: the words stay selected, the keys are the menu's again. */
  wordFound() {
    this.showWordField(false);
    this.app.rows.now?.num.focus({ preventScroll: true });
  }

  /* ---- links ---- */
  beginLink(sel) {
    const { app } = this;
    this.hide();
    this.linking = { ...sel, end: null };
    app.say(app.t('linking'));
    app.note('link', app.t('linking'), ['×', () => this.close()]);
  }
  /** Another row, while looking for the other end of a link. */
  moveRow(by) {
    const { rows } = this.app,
      row = rows.all[rows.all.indexOf(this.row) + by];
    if (row?.block !== rows.now.block) return;
    if (row.el.hidden) rows.whole();
    if (row.el.hidden) return;
    const side = sideOf(this.cursor?.cell ?? cellsOf(row).at(-1)),
      cell = cellsOf(row).find(other => sideOf(other) === side);
    this.cursor = { row, cell };
    if (this.units(cell).length) this.reach(cell, 0, 0);
  }
  link() {
    if (this.linking.end) this.relink(this.linking, this.linking.end, 'link_made');
  }
  relink({ ask, id }, link, word) {
    const spans = this.marks.of(this.app.item, ask).map((span, n) => {
      if (n !== id) return span;
      const { link: _, ...rest } = span;
      return link ? { ...rest, link } : rest;
    });
    this.put(ask, spans, word);
  }
}
