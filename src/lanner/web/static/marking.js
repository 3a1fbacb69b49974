// Marking words: with the mouse, by handles, word by word with keys, or by typing the beginning of
// a word. What is selected gets a menu; marks can be changed, removed, linked to other words.
import { canon } from './digest.js';
import { $, $$, light, prepareLight, targetOf } from './dom.js';
import { focusedElement } from './focus.js';
import { cellsOf, Marks, outputOf, sideOf } from './marks.js';
import { Menu } from './menu.js';
import { rangeOf, watchSelection } from './selection.js';
import { keep } from './store.js';
import { clauses, findUnit, slice, wholeWords, words } from './text.js';

/** What can be pressed in the list of marks. */
const LISTED =
  'button:is([data-span], [data-remarks], [data-remove], [data-keep], [data-act=missing])';

/** @param {Element} cell */
const isRightToLeft = cell => getComputedStyle(cell).direction === 'rtl';

/** @param {Span} a @param {Span} b */
const isSamePlace = (a, b) =>
  a.side === b.side && a.start === b.start && a.end === b.end && a.output === b.output;

export class Marking {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.marks = new Marks(app, () => this.lightAgain());
    this.menu = new Menu(app, this.marks, {
      done: choice => this.commit(choice),
      keep: ({ ask, id }) => this.keep(ask, id),
      remove: ({ ask, id }) => this.remove(ask, id),
      link: choice => this.beginLink(choice),
      remark: (choice, field) => this.remark(choice, field),
      unlink: choice => this.relink(choice, undefined, 'removed'),
    });
    /** @type {(Choice & {end: Link | null}) | null} the mark whose other end is looked for */
    this.linking = null;
    /** @type {Cursor | null} */
    this.cursor = null;
    /** @type {Cursor | null} where the last mark was made: the next arrow goes on from there */
    this.left = null;
    /** @type {CellStretch | null} what is lit */
    this.lit = null;
    /** @type {WeakMap<HTMLElement, Stretch[]>} the words of each text that was walked in */
    this.wordsOf = new WeakMap();
    if (!this.marks.asks.length) return;
    prepareLight('picked'); // before the first key
    this.selection = watchSelection(
      $('.doc'),
      (stretch, exact) => this.selected(stretch, exact),
      () => this.hide(),
    );
    (window.requestIdleCallback ?? setTimeout)(() => this.menu.prepare());
    document.addEventListener('pointerdown', e => {
      if (targetOf(e).closest?.('.row, .toolbar, .rail, .note, .wordfind')) return;
      this.selection?.clear();
      this.hide();
    });
    $('.doc').addEventListener('click', (/** @type {MouseEvent} */ e) => {
      const mark = targetOf(e).closest('mark');
      if (mark && getSelection()?.isCollapsed && !this.linking) this.pickAt(mark);
    });
    app.rail.form.addEventListener('click', e => this.listed(targetOf(e).closest(LISTED)));
    for (const way of ['mouseover', 'mouseleave'])
      app.rail.form.addEventListener(way, e => this.point(targetOf(e).closest('.spans li')));
    $('#word')?.addEventListener('input', (/** @type {Event} */ e) =>
      this.findWord(targetOf(e).value),
    );
  }
  get active() {
    return !!(this.menu.choice || this.linking);
  }
  /** Whether anything can be marked on this page. */
  get possible() {
    return this.marks.asks.length > 0;
  }
  /**
   * Draw the marks of an item. Where its answer was undone or changed in another window, the mark
   * that the menu is about may stand elsewhere, or words be marked that were only selected: what is
   * pressed next must not change a neighbour, or mark them twice.
   * @param {number} i
   */
  paint(i) {
    this.marks.paint(i);
    const { ask, id, span } = this.menu.choice ?? this.linking ?? {};
    if (!ask || !span) return;
    const spans = this.marks.of(this.app.item, ask),
      isMarked = span.start != null && spans.some(other => isSamePlace(other, span));
    if (id == null ? isMarked : canon(spans[id]) !== canon(span)) this.close();
    else this.lightAgain();
  }
  /** The texts may have been drawn anew: what the menu is about is to be seen in them. */
  lightAgain() {
    const { lit, menu } = this,
      { choice } = menu;
    if (lit) {
      const range = this.selection?.select(lit) ?? rangeOf(lit);
      this.highlight(range, lit);
      if (choice) choice.at = range;
    } else if (choice?.id != null) this.outline(choice.ask, choice.id);
  }
  /**
   * The pieces of the mark that the menu is about are outlined, and it stands beside them.
   * @param {Ask} ask
   * @param {number} id
   */
  outline(ask, id) {
    const pieces = this.marks.pieces(ask, id);
    for (const piece of pieces) piece.classList.add('on');
    if (this.menu.choice && pieces[0]) this.menu.choice.at = pieces[0];
  }

  /* ---- what is marked ---- */
  /** The last step of the menu was taken: the mark is made or changed. @param {Choice} choice */
  commit({ ask, span, id, path }) {
    const { app, cursor } = this,
      spans = [...this.marks.of(app.item, ask)],
      { missing, ...fields } = Object.fromEntries(path);
    if (id == null && spans.length >= ask.q.most) {
      const words = app.t('too_many', { n: ask.q.most });
      this.close();
      app.rail.hint(ask.el, ask.q, app.item, words);
      return app.say(words);
    }
    spans[id ?? spans.length] = keep({ ...span, ...fields, ...(missing && { missing: true }) });
    this.put(ask, spans, 'marked', span.text);
    this.left = cursor;
  }
  /** A suggested mark is right. @param {Ask} ask @param {number | undefined} id */
  keep(ask, id) {
    const spans = this.marks
      .of(this.app.item, ask)
      .map((span, n) => (n === id ? keep(span) : span));
    this.put(ask, spans, 'mark_kept', spans[id ?? -1]?.text);
  }
  /** @param {Ask} ask @param {number | undefined} id */
  remove(ask, id) {
    const left = this.marks.of(this.app.item, ask).filter((_, n) => n !== id);
    this.put(ask, left, 'removed');
  }
  /**
   * Answer with these marks and say what was done.
   * @param {Ask} ask
   * @param {Span[]} spans
   * @param {string} words their name
   * @param {string} [text]
   */
  put(ask, spans, words, text = '') {
    const { app } = this,
      inside = focusedElement().closest('.toolbar, .wordfind');
    this.close();
    app.answer(ask.q.id, spans);
    if (inside) app.rows.focus();
    app.rail.rest();
    app.say(app.t(words, { text }));
  }
  /**
   * A note or a correction is being written at a mark.
   * @param {Choice} choice
   * @param {any} field
   */
  remark(choice, { dataset: { remark: name }, value }) {
    const { ask, id } = choice,
      spans = [...this.marks.of(this.app.item, ask)];
    if (id == null) return;
    const span = /** @type {Record<string, any> & Span} */ (keep(spans[id]));
    if (value.trim()) span[name] = value.trim();
    else delete span[name];
    choice.span = spans[id] = span;
    this.app.answer(ask.q.id, spans, true);
  }
  /** Delete: one step back in the menu, else the mark goes, else the selection. */
  delete() {
    const { choice } = this.menu;
    if (choice?.path.length) this.menu.back();
    else if (choice?.id != null) this.remove(choice.ask, choice.id);
    else this.close();
  }
  hide() {
    this.menu.hide();
    this.highlight(null);
  }
  close() {
    if (!this.possible) return;
    this.selection?.clear(); // first: it makes the browser lay out what has changed
    this.hide();
    this.linking = this.cursor = this.left = null;
    this.app.note('link', '');
    this.showWordField(false);
  }
  /**
   * Selected words stay lit whatever takes the focus.
   * @param {Range | null} range
   * @param {CellStretch | null} [stretch] the same
   */
  highlight(range, stretch = null) {
    this.lit = range && stretch;
    light('picked', range ? [range] : []);
    return range;
  }

  /* ---- selecting ---- */
  /** Whether words of a text can be marked. @param {HTMLElement} cell */
  canMark(cell) {
    const { rows } = this.app;
    return this.marks.askAt(cell) != null && rows.all[rows.indexOf(cell)].item != null;
  }
  /**
   * Words were selected with the mouse or by handles.
   * @param {DrawnStretch} selected
   * @param {boolean} exact to the letter
   */
  selected({ drawn, ...selected }, exact) {
    const { cell } = selected,
      text = this.marks.texts.get(cell);
    if (text == null || !(this.linking || this.canMark(cell))) return; // selected to be copied
    if (this.marks.restore(cell)) {
      this.selection?.clear();
      return this.app.note('altered', this.app.t('altered'), ['×']);
    }
    const stretch = exact ? selected : wholeWords(text, this.units(cell), selected, drawn);
    this.take(stretch);
    this.cursor = this.cursorAt(stretch);
    if (this.linking) this.link();
  }
  /**
   * Open the menu for a stretch of a text, or take it as the other end of a link. While its
   * beginning is still being typed it is only lit: the browser's selection belongs to the field.
   * @param {CellStretch} stretch
   * @param {boolean} [typing]
   * @returns {Range | null} what is lit
   */
  take(stretch, typing = false) {
    const { app, linking, marks } = this,
      { cell, start, end } = stretch,
      at = app.rows.indexOf(cell),
      row = app.rows.all[at],
      ask = marks.askAt(cell),
      side = sideOf(cell),
      text = slice(marks.texts.get(cell) ?? '', start, end);
    marks.restore(cell);
    const select = () => (typing ? rangeOf(stretch) : this.selection?.select(stretch)) ?? null;
    if (linking) {
      linking.end = { segment: row.el.dataset.segment ?? '', side, start, end, text };
      return this.highlight(select(), stretch);
    }
    if (!ask || row.item == null) return null;
    if (row.item !== app.item) app.go(at, false);
    const several = side === 'target' && $$('.tgt', row.el).length > 1,
      from = marks.offset(row, cell);
    /** @type {Span} */
    const span = {
      side,
      start: start + from,
      end: end + from,
      text,
      ...(several && { output: outputOf(cell) }),
      ...(!marks.marksErrors(ask, side) && { missing: true }),
    };
    const spans = marks.of(app.item, ask),
      same = spans.findIndex(other => isSamePlace(other, span)),
      range = select();
    this.menu.open(ask, spans[same] ?? span, same < 0 ? undefined : same, range ?? cell);
    return this.highlight(range, stretch);
  }
  /**
   * Where several marks lie over each other, each click takes the next.
   * @param {HTMLElement} mark
   */
  pickAt(mark) {
    const at = this.app.rows.indexOf(mark),
      ids = (mark.dataset.ids ?? '').split(' ').filter(Boolean),
      { choice } = this.menu;
    if (!ids.length) return;
    const now = choice ? ids.indexOf(`${choice.ask.q.id}/${choice.id}`) : -1,
      [question, id] = (ids.at(now < 0 ? -1 : now - 1) ?? '').split('/'),
      ask = this.marks.asks.find(each => each.q.id === question);
    if (at !== this.app.row) this.app.go(at, false);
    if (ask) this.pick(ask, +id);
  }
  /** Open the menu for a mark. @param {Ask} ask @param {number} id */
  pick(ask, id) {
    const [first] = this.marks.pieces(ask, id);
    this.selection?.clear();
    this.highlight(null);
    this.menu.open(ask, this.marks.of(this.app.item, ask)[id], id, first ?? ask.el);
    this.outline(ask, id);
  }
  /** A click in the list beside the questions. @param {HTMLElement | null} button */
  listed(button) {
    const ask = button && this.app.rail.of(button);
    if (!ask) return;
    const { span, remarks, remove, keep: kept } = button.dataset;
    if (span) this.pick(ask, +span);
    else if (remarks) {
      this.pick(ask, +remarks);
      this.menu.showRemarks();
    } else if (remove) this.remove(ask, +remove);
    else if (kept) this.keep(ask, +kept);
    else {
      this.selection?.clear();
      this.highlight(null);
      this.menu.open(ask, { side: 'source', missing: true, text: '' }, undefined, button);
    }
  }

  /** The mark that is pointed at in the list is seen in the text. @param {Element | null} entry */
  point(entry) {
    const id = entry && $('[data-span]', entry)?.dataset.span,
      ask = id && this.app.rail.of(entry);
    for (const mark of $$('mark.pointed')) mark.classList.remove('pointed');
    if (ask) for (const piece of this.marks.pieces(ask, +id)) piece.classList.add('pointed');
  }

  /* ---- by keys ---- */
  /** Where arrows set out from. @returns {Partial<Cursor>} */
  get place() {
    return this.cursor ?? this.left ?? {};
  }
  /** The row that keys act on. */
  get row() {
    return this.cursor?.row ?? this.app.rows.now;
  }
  /** The texts of that row in which something can be marked now. @returns {HTMLElement[]} */
  get cells() {
    const cells = this.row ? cellsOf(this.row) : [];
    return cells.filter(cell => this.linking || this.marks.askAt(cell));
  }
  /** The words that a stretch touches. @param {CellStretch} stretch @returns {Cursor} */
  cursorAt({ cell, start, end }) {
    const { rows } = this.app,
      units = this.units(cell),
      from = units.findIndex(word => word.end > start),
      to = units.findLastIndex(word => word.start < end);
    return {
      row: rows.all[rows.indexOf(cell)],
      cell,
      from: Math.max(0, from),
      to: Math.max(0, to),
    };
  }
  /** @param {HTMLElement | null | undefined} cell */
  units(cell) {
    if (!cell) return [];
    const units = this.wordsOf.get(cell) ?? words(this.marks.texts.get(cell) ?? '', cell.lang);
    this.wordsOf.set(cell, units);
    return units;
  }
  /**
   * Arrows walk word by word, and beyond the last word into the other text; with Shift the
   * selection grows.
   * @param {number} step
   * @param {boolean} grow
   */
  walk(step, grow) {
    const { cells } = this,
      { from, to, cell = cells.at(-1) } = this.place,
      units = this.units(cell);
    if (!cell || !units.length) return;
    if (to == null) return this.reach(cell, 0, 0);
    const by = isRightToLeft(cell) ? -step : step,
      next = to + by;
    if (units[next]) return this.reach(cell, grow ? (from ?? next) : next, next);
    const other = grow ? null : cells[cells.indexOf(cell) + by],
      count = this.units(other).length,
      edge = by < 0 ? count - 1 : 0;
    if (other && count) this.reach(other, edge, edge);
  }
  /**
   * The first word of the next or previous part of a sentence, or its first or last word of all.
   * @param {number} step
   * @param {boolean} [wholly]
   * @param {boolean} [grow]
   */
  leap(step, wholly = false, grow = false) {
    const { from, to: at = -1, cell = this.cells.at(-1) } = this.place,
      units = this.units(cell);
    if (!cell || !units.length) return;
    const by = !wholly && isRightToLeft(cell) ? -step : step,
      starts = wholly ? [] : clauses(this.marks.texts.get(cell) ?? '', units),
      next = by > 0 ? starts.find(n => n > at) : starts.findLast(n => n < at),
      to = next ?? (by > 0 ? units.length - 1 : 0);
    this.reach(cell, grow ? (from ?? to) : to, to);
  }
  /**
   * Select words `from` to `to` of a text and bring them into sight.
   * @param {HTMLElement} cell
   * @param {number} from
   * @param {number} to
   */
  reach(cell, from, to) {
    const { rows } = this.app,
      units = this.units(cell),
      row = rows.all[rows.indexOf(cell)],
      { start } = units[Math.min(from, to)],
      { end } = units[Math.max(from, to)],
      stretch = { cell, start, end };
    // before the menu is changed: then nothing needs to be laid out for it
    rows.viewOf(row).reveal(rangeOf(stretch).getBoundingClientRect());
    this.take(stretch);
    this.cursor = { row, cell, from, to };
  }
  /** The next text of the row. */
  other() {
    const { cells } = this,
      now = this.place.cell ?? cells.at(-1);
    if (!now) return;
    const cell = cells[(cells.indexOf(now) + 1) % cells.length];
    if (this.units(cell).length) this.reach(cell, 0, 0);
  }

  /* ---- typing the beginning of a word ---- */
  /** @param {boolean} open */
  showWordField(open) {
    const field = $('#word');
    if (!field || field.closest('.wordfind').hidden === !open) return;
    field.closest('.wordfind').hidden = !open;
    field.value = '';
    if (open) field.focus();
  }
  /**
   * To the next place where a text goes on with what was typed: a word, or a sign of punctuation.
   * @param {string} typed
   */
  findWord(typed) {
    const { cells, row } = this,
      now = this.cursor?.cell ?? cells.at(-1),
      at = now ? Math.max(0, cells.indexOf(now)) : 0;
    for (const cell of [...cells.slice(at), ...cells.slice(0, at)]) {
      const unit = findUnit(this.marks.texts.get(cell) ?? '', cell.lang, typed);
      if (!unit || !row) continue;
      const to = this.units(cell).findIndex(word => word.end > unit.start);
      this.take({ cell, ...unit }, true);
      this.cursor = { row, cell, from: to, to };
      return;
    }
  }
  /** Enter in that field: the words stay selected, the keys are the menu's again. */
  wordFound() {
    this.showWordField(false);
    this.app.rows.focus();
  }

  /* ---- links ---- */
  /** @param {Choice} choice */
  beginLink(choice) {
    const { app } = this;
    this.hide();
    this.linking = { ...choice, end: null };
    app.say(app.t('linking'));
    app.note('link', app.t('linking'), ['×', () => this.close()]);
  }
  /** Another row, while looking for the other end of a link. @param {number} by */
  moveRow(by) {
    const { rows } = this.app,
      from = this.row,
      row = from && rows.all[rows.all.indexOf(from) + by];
    if (!row || row.block !== rows.now?.block) return;
    if (row.el.hidden) rows.whole();
    if (row.el.hidden) return;
    const now = this.cursor?.cell ?? cellsOf(row).at(-1),
      cell = now && cellsOf(row).find(other => sideOf(other) === sideOf(now));
    this.cursor = { row, cell };
    if (cell && this.units(cell).length) this.reach(cell, 0, 0);
  }
  link() {
    if (this.linking?.end) this.relink(this.linking, this.linking.end, 'link_made');
  }
  /**
   * @param {Choice} choice
   * @param {Link | undefined} link
   * @param {string} words their name
   */
  relink({ ask, id }, link, words) {
    const spans = this.marks.of(this.app.item, ask).map((span, n) => {
      if (n !== id) return span;
      const { link: _, ...rest } = keep(span);
      return link ? { ...rest, link } : rest;
    });
    this.put(ask, spans, words);
  }
}
