// Inside a long segment, the part of the other text that belongs to where the pointer or the
// selection is. Approximate.
import { align, counterpartOf } from './align.js';
import { $, create, light, targetOf } from './dom.js';
import { pointAt, rangeOf } from './selection.js';

export class Counterpart {
  /** @param {App} app @param {number} shortest shorter segments are seen at a glance */
  constructor(app, shortest) {
    this.app = app;
    this.shortest = shortest;
    this.groups = new Map();
    this.key = '';
    this.label = create('span', 'approximate', '≈', { title: app.t('approximate'), hidden: true });
    this.waiting = 0;
    /** @type {any} where the pointer was last */
    this.moved = null;
    const area = $('.doc');
    if (!area || !('highlights' in CSS)) return;
    area.addEventListener('pointermove', (/** @type {PointerEvent} */ e) => {
      if (e.pointerType === 'touch') return;
      this.moved = e; // of several before a frame is drawn, the last one counts
      this.waiting ||= requestAnimationFrame(() => {
        const { clientX, clientY } = this.moved;
        this.waiting = 0;
        this.at(targetOf(this.moved).closest?.('.row [data-side]'), clientX, clientY);
      });
    });
    area.addEventListener('pointerleave', () => {
      cancelAnimationFrame(this.waiting);
      this.waiting = 0;
      this.clear();
    });
  }
  /**
   * @param {any} cell
   * @param {number} x
   * @param {number} y
   */
  at(cell, x, y) {
    const point = cell ? pointAt(cell, x, y) : null;
    if (point == null) return this.clear();
    return this.show(cell, point);
  }
  /** Light the counterpart of a place in a cell. @param {any} cell @param {number} point */
  show(cell, point) {
    const { side } = cell.dataset;
    if (this.app.prefs.get('counterpart') === 'off' || side === 'reference') return this.clear();
    const row = cell.closest('.row'),
      others = side === 'source' ? '.tgt' : '.src',
      other = $(others, row);
    if (!other || [...cell.textContent].length < this.shortest) return this.clear();
    const target = side === 'source' ? other : cell,
      source = side === 'source' ? cell : other;
    if (!this.groups.has(target))
      this.groups.set(target, align(source.textContent, target.textContent));
    const stretch = counterpartOf(this.groups.get(target), side, point);
    if (!stretch) return this.clear();
    const key = `${row.dataset.row} ${side} ${stretch.start} ${stretch.end}`;
    if (key === this.key) return undefined;
    this.key = key;
    light('counterpart', [rangeOf({ cell: other, ...stretch })]);
    $('.num', row).after(this.label);
    this.label.hidden = false;
    return undefined;
  }
  clear() {
    if (!this.key) return;
    this.key = '';
    this.label.hidden = true;
    light('counterpart', []);
  }
}
