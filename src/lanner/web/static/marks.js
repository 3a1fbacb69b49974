// The marks of the texts: which there are, and how they are drawn. Where marks overlap, each has a
// line of its own.
import { $, $$, afterFrame, create, light, prepareLight, replaceChanged } from './dom.js';
import { whenStill } from './pointer.js';
import { rangeOf } from './selection.js';
import { isSuggested } from './store.js';
import { assignLanes, cut, points, seams } from './text.js';

/** More than so many lines under one another cannot be told apart. */
const LANES = 3;

/** @param {HTMLElement} cell */
export const sideOf = cell => cell.dataset.side ?? '';
/** @param {HTMLElement} cell */
export const outputOf = cell => Number(cell.dataset.output);
/**
 * The texts of a row in which something can be marked.
 * @param {Row} row
 * @returns {HTMLElement[]}
 */
export const cellsOf = row =>
  $$('[data-side]', row.el).filter(cell => sideOf(cell) !== 'reference');

export class Marks {
  /**
   * @param {App} app
   * @param {() => void} onDraw called when marks that were only lit have been drawn
   */
  constructor(app, onDraw) {
    this.app = app;
    this.onDraw = onDraw;
    this.asks = app.rail.asks.filter(x => x.q.kind === 'spans');
    this.bars = $$('.toolbar');
    this.links = this.bars.some(bar => 'link' in bar.dataset);
    /** @type {Map<HTMLElement, string>} every text as it was sent */
    this.texts = new Map();
    /** @type {Map<HTMLElement, string>} the marks that are drawn in each text */
    this.painted = new Map();
    /** @type {Map<HTMLElement, number[]>} where long texts are cut */
    this.seams = new Map();
    /** @type {Map<HTMLElement, DrawnMark[]>} long texts with a mark that is only lit yet */
    this.undrawn = new Map();
    if (!this.asks.length) return;
    for (const cell of $$('.row [data-side]')) {
      const text = cell.textContent,
        between = seams(text);
      this.texts.set(cell, text);
      this.seams.set(cell, between);
      if (between.length) this.draw(cell, []);
    }
    if ([...this.seams.values()].some(between => between.length)) prepareLight('fresh');
  }

  /**
   * @param {number} i
   * @param {Ask} ask
   * @returns {Span[]}
   */
  of(i, ask) {
    return this.app.store.value(i, ask.q) ?? [];
  }
  /** The menu of a question. @param {any} el */
  bar(el) {
    return this.bars.find(bar => bar.dataset.for === el.dataset.q);
  }
  /**
   * @param {any} el
   * @param {string} field
   * @param {string | undefined} value
   */
  option(el, field, value) {
    return $(`[data-field=${field}] [value="${value}"]`, this.bar(el))?.dataset;
  }
  /** How severe a mark is, from 0 (not said) to 4. @param {any} el @param {Span} span */
  level(el, span) {
    return this.option(el, 'severity', span.severity)?.level ?? 0;
  }
  /** What a mark says, in words. @param {any} el @param {Span} span */
  named(el, span) {
    const { category, severity, missing } = span;
    const categoryName = category && this.option(el, 'category', category)?.name;
    const severityName = severity && this.option(el, 'severity', severity)?.name;
    const parts = [missing && this.bar(el).dataset.missing, categoryName, severityName];
    return parts.filter(Boolean).join(this.app.t('comma'));
  }
  /**
   * Whether a question takes marks on a side that stand for an error there; else they say what is
   * missing.
   * @param {Ask} ask
   * @param {string} side
   */
  marksErrors(ask, side) {
    return this.bar(ask.el).dataset.sides.split(' ').includes(side);
  }
  /**
   * The question whose marks may be made in a text: on its side, or on the source for what is
   * missing.
   * @param {HTMLElement} cell
   */
  askAt(cell) {
    const side = sideOf(cell);
    return this.asks.find(
      ask =>
        !ask.el.hidden &&
        (this.marksErrors(ask, side) || (side === 'source' && this.bar(ask.el).dataset.missing)),
    );
  }
  /**
   * Where a row's text begins in what is judged: 0, or its place in the document when that is
   * judged whole.
   * @param {Row} row
   * @param {HTMLElement} cell
   */
  offset(row, cell) {
    if (row.own) return 0;
    const rows = this.app.rows.all.filter(other => other.block === row.block);
    let offset = 0;
    for (const other of rows.slice(0, rows.indexOf(row))) {
      const same = cellsOf(other).find(
        c => sideOf(c) === sideOf(cell) && outputOf(c) === outputOf(cell),
      );
      offset += points((same && this.texts.get(same)) ?? '') + 1;
    }
    return offset;
  }

  /**
   * Draw the marks of an item; where marks link, also those whose other end lies in it.
   * @param {number} i
   */
  paint(i) {
    if (!this.asks.length) return;
    const { rows } = this.app,
      links = this.links ? this.allLinks() : [];
    for (const row of rows.all) {
      if (row.item !== i && !this.links) continue;
      const ends = links
        .filter(link => link.segment === row.el.dataset.segment)
        .map(link => ({ ...link, look: 'linked', lane: 'linked' }));
      this.paintRow(row, [...this.own(row), ...ends]);
    }
  }
  /** The other ends of all marks. @returns {Link[]} */
  allLinks() {
    const items = new Set(this.app.rows.all.flatMap(({ item }) => item ?? []));
    const spans = [...items].flatMap(item => this.asks.flatMap(ask => this.of(item, ask)));
    return spans.flatMap(({ link }) => (link?.end ? [link] : []));
  }
  /** The marks of a row's own item that have a place. @param {Row} row @returns {DrawnMark[]} */
  own({ item }) {
    if (item == null) return [];
    return this.asks.flatMap(ask =>
      this.of(item, ask).flatMap((span, n) => {
        const { side, start, end, output, missing, link } = span;
        if (start == null || end == null) return [];
        const level = `s${this.level(ask.el, span)}`,
          suggested = isSuggested(span) && 'suggested',
          look = [level, missing && 'gone', link && 'links', suggested].filter(Boolean).join(' '),
          id = `${ask.q.id}/${n}`;
        return [{ side, start, end, output, id, look, lane: missing ? 'gone' : level }];
      }),
    );
  }
  /** @param {Row} row @param {DrawnMark[]} marks */
  paintRow(row, marks) {
    for (const cell of cellsOf(row)) {
      const mine = marks.filter(
        span => span.side === sideOf(cell) && (span.output ?? 0) === outputOf(cell),
      );
      const key = JSON.stringify(mine);
      if ((this.painted.get(cell) ?? '[]') === key) continue;
      const before = this.painted.get(cell) ?? '[]';
      this.painted.set(cell, key);
      const text = this.texts.get(cell) ?? '',
        from = this.offset(row, cell),
        length = points(text);
      const here = mine
        .filter(span => span.end > from && span.end - from <= length)
        .map(span => ({ ...span, start: span.start - from, end: span.end - from }));
      const isLonger = mine.length > JSON.parse(before).length;
      if (isLonger && this.seams.get(cell)?.length && $('html[data-ready]'))
        this.drawSoon(cell, here);
      else this.draw(cell, here);
    }
  }
  /**
   * A mark in a long text lays it out anew: the frame that answers the key shows its words lit, and
   * the next one the mark.
   * @param {HTMLElement} cell
   * @param {DrawnMark[]} marks with their places in its text
   */
  drawSoon(cell, marks) {
    if (!this.undrawn.size) afterFrame(() => whenStill(() => this.drawRest()));
    this.undrawn.set(cell, marks);
    const drawn = new Set(this.idsIn(cell));
    light(
      'fresh',
      marks.filter(({ id }) => id && !drawn.has(id)).map(span => rangeOf({ cell, ...span })),
    );
  }
  /** Draw the marks that are only lit. */
  drawRest() {
    if (!this.undrawn.size) return;
    for (const [cell, marks] of [...this.undrawn]) this.draw(cell, marks);
    light('fresh', []);
    this.onDraw();
  }
  /** The marks that a text shows. @param {ParentNode} root @returns {string[]} */
  idsIn(root) {
    return $$('mark', root).flatMap(mark => mark.dataset.ids.split(' '));
  }
  /** @param {HTMLElement} cell @param {DrawnMark[]} marks with their places in its text */
  draw(cell, marks) {
    this.undrawn.delete(cell);
    const lanes = assignLanes(marks),
      pieces = cut(this.texts.get(cell) ?? '', marks, this.seams.get(cell));
    replaceChanged(
      cell,
      pieces.map(piece => this.piece(piece.text, piece.marks, marks, lanes)),
    );
  }
  /**
   * A piece of a text with the lines of all marks over it.
   * @param {string} text
   * @param {DrawnMark[]} marks over this piece
   * @param {DrawnMark[]} all marks of the text
   * @param {number[]} lanes of all these marks
   * @returns {Node}
   */
  piece(text, marks, all, lanes) {
    if (!marks.length) return document.createTextNode(text);
    const el = create('mark', marks.map(span => span.look).join(' '), text);
    el.dataset.ids = marks.flatMap(span => span.id ?? []).join(' ');
    for (const span of marks) {
      const lane = Math.min(LANES - 1, lanes[all.indexOf(span)]);
      el.style.setProperty(`--lane${lane}`, `var(--line-${span.lane})`);
    }
    return el;
  }

  /**
   * Show a text again as it was sent, where a translation or an extension of the browser has
   * changed it on the page: places in it would be others.
   * @param {HTMLElement} cell
   * @returns {boolean} whether it was changed
   */
  restore(cell) {
    const { rows } = this.app,
      text = this.texts.get(cell);
    if (text == null || cell.textContent === text) return false;
    this.draw(cell, []);
    this.painted.delete(cell);
    this.paint(rows.all[rows.indexOf(cell)].item ?? -1);
    return true;
  }

  /** The pieces of one mark of the current item. @param {Ask} ask @param {number} id */
  pieces(ask, id) {
    const { rows, item } = this.app;
    this.drawRest();
    return $$('mark').filter(
      mark =>
        mark.dataset.ids.split(' ').includes(`${ask.q.id}/${id}`) &&
        rows.all[rows.indexOf(mark)].item === item,
    );
  }
}
