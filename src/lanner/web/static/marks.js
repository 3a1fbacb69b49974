// The marks of the texts: which there are, and how they are drawn. Where marks overlap, each has a
// line of its own.
import { $, $$, made } from './dom.js';
import { assignLanes, cut, points } from './text.js';

const LANES = 3;

export const sideOf = cell => cell.dataset.side;
export const outputOf = cell => +cell.dataset.output;
/** The texts of a row in which something can be marked. */
export const cellsOf = row =>
  $$('[data-side]', row.el).filter(cell => sideOf(cell) !== 'reference');

export class Marks {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.asks = app.rail.asks.filter(x => x.q.kind === 'spans');
    this.bars = $$('.toolbar');
    this.links = this.bars.some(bar => 'link' in bar.dataset);
    /** @type {Map<HTMLElement, string>} every text as it was sent */
    this.texts = new Map();
    this.painted = new Map();
    if (this.asks.length)
      for (const cell of $$('.row [data-side]')) this.texts.set(cell, cell.textContent);
  }

  /** @param {number} i @param {any} ask */
  of(i, ask) {
    return this.app.store.value(i, ask.q) ?? [];
  }
  bar(el) {
    return this.bars.find(bar => bar.dataset.for === el.dataset.q);
  }
  option(el, field, value) {
    return $(`[data-field=${field}] [value="${value}"]`, this.bar(el))?.dataset;
  }
  /** How severe a mark is, from 0 (not said) to 4. */
  level(el, span) {
    return this.option(el, 'severity', span.severity)?.level ?? 0;
  }
  /** What a mark says, in words. */
  named(el, span) {
    const kinds = ['category', 'severity'].map(
      field => span[field] && this.option(el, field, span[field])?.name,
    );
    return [span.missing && this.bar(el).dataset.missing, ...kinds].filter(Boolean).join(', ');
  }
  /** Whether a question takes marks on a side that stand for an error there; else they say what is
   * missing. */
  marksErrors(ask, side) {
    return this.bar(ask.el).dataset.sides.split(' ').includes(side);
  }
  /** The question whose marks may be made in a text: on its side, or on the source for what is
   * missing. */
  askAt(cell) {
    const side = sideOf(cell);
    return this.asks.find(
      ask =>
        !ask.el.hidden &&
        (this.marksErrors(ask, side) || (side === 'source' && this.bar(ask.el).dataset.missing)),
    );
  }
  /** Where a row's text begins in what is judged: 0, or its place in the document when that is
   * judged whole. */
  offset(row, cell) {
    const rows = row.own ? [] : this.app.rows.all.filter(other => other.block === row.block);
    const same = other =>
      cellsOf(other).find(c => sideOf(c) === sideOf(cell) && outputOf(c) === outputOf(cell));
    return rows
      .slice(0, rows.indexOf(row))
      .reduce((sum, other) => sum + points(this.texts.get(same(other)) ?? '') + 1, 0);
  }

  /** Draw the marks of an item; where marks link, also those whose other end lies in it. */
  paint(i) {
    if (!this.asks.length) return;
    const { rows } = this.app;
    const linked = this.links
      ? rows.all
          .filter(row => row.item != null)
          .flatMap(row => this.asks.flatMap(ask => this.of(row.item, ask)))
          .filter(span => span.link?.end)
          .map(span => ({ ...span.link, look: 'linked', lane: 'linked' }))
      : [];
    for (const row of rows.all) {
      if (row.item !== i && !this.links) continue;
      const ends = linked.filter(end => end.segment === row.el.dataset.segment);
      this.paintRow(row, [...this.own(row), ...ends]);
    }
  }
  own(row) {
    if (row.item == null) return [];
    return this.asks.flatMap(ask =>
      this.of(row.item, ask).map(({ note: _, correction: __, ...span }, id) => ({
        ...span,
        id: `${ask.q.id}/${id}`,
        look: [
          `s${this.level(ask.el, span)}`,
          ...(span.missing ? ['gone'] : []),
          ...(span.link ? ['links'] : []),
        ].join(' '),
        lane: span.missing ? 'gone' : `s${this.level(ask.el, span)}`,
      })),
    );
  }
  paintRow(row, marks) {
    const key = JSON.stringify(marks);
    if (this.painted.get(row) === key) return;
    this.painted.set(row, key);
    for (const cell of cellsOf(row)) {
      const text = this.texts.get(cell) ?? '',
        from = this.offset(row, cell),
        length = points(text);
      const here = marks
        .filter(
          span =>
            span.side === sideOf(cell) &&
            (span.output ?? 0) === outputOf(cell) &&
            span.end > from &&
            span.end - from <= length,
        )
        .map(span => ({ ...span, start: span.start - from, end: span.end - from }));
      const lanes = assignLanes(here);
      cell.replaceChildren(...cut(text, here).map(piece => this.piece(piece, here, lanes)));
    }
  }
  /** A piece of a text with the lines of all marks over it. */
  piece({ text, marks }, all, lanes) {
    if (!marks.length) return text;
    const el = made('mark', marks.map(span => span.look).join(' '), text);
    el.dataset.ids = marks.flatMap(span => span.id ?? []).join(' ');
    for (const span of marks) {
      const lane = Math.min(LANES - 1, lanes[all.indexOf(span)]);
      el.style.setProperty(`--lane${lane}`, `var(--line-${span.lane})`);
    }
    return el;
  }

  /** The pieces of one mark of the current item. */
  pieces(ask, id) {
    const { rows, item } = this.app;
    return $$('mark').filter(
      mark =>
        mark.dataset.ids.split(' ').includes(`${ask.q.id}/${id}`) &&
        rows.all[+mark.closest('.row').dataset.row].item === item,
    );
  }
}
