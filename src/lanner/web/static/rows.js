// The texts: which row is active, which stand in the window, and what each row's margin says.
import { say } from './rail.js';

/** @typedef {{el: HTMLElement, item: number|null, block: HTMLElement, num: HTMLElement}} Row */

export class Rows {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.doc = document.querySelector('.doc');
    /** @type {Row[]} */
    this.all = [...document.querySelectorAll('.row')].map(el => {
      const block = el.closest('.block'), item = el.dataset.item ?? block.dataset.item;
      return { el, block, item: item == null ? null : +item, num: el.querySelector('.num') };
    });
    /** @type {WeakMap<HTMLElement, [number, number]>} */
    this.windows = new WeakMap();
    this.strip = [...document.querySelectorAll('.strip a')];
    this.doc?.addEventListener('click', e => this.clicked(e));
  }

  /** The next place to stop at: every judged sentence, or every sentence where the document is judged. @param {number} from @param {number} step */
  next(from, step) {
    for (let at = from + step; at >= 0 && at < this.all.length; at += step) if (this.all[at].item != null) return at;
    return -1;
  }
  /** @param {number} item */
  of(item) { return this.all.findIndex(row => row.item === item); }

  /** Make a row the active one. @param {number} at @param {boolean} [scroll] */
  activate(at, scroll = true) {
    const row = this.all[at], before = this.all[this.app.row];
    before?.el.classList.remove('is-active');
    before?.num.removeAttribute('aria-current');
    row.el.classList.add('is-active');
    row.num.setAttribute('aria-current', 'true');
    if (row.block.hidden) for (const { block } of this.all) block.hidden = block !== row.block;
    for (const a of this.strip) a.toggleAttribute('aria-current', +a.dataset.of === row.item);
    this.windowed(at);
    if (scroll) row.el.scrollIntoView({ block: 'nearest' });
    if (document.activeElement?.matches('.num')) row.num.focus({ preventScroll: true });
  }

  /** The window of a long document grows as one moves and never shrinks, unless the protocol fixes it.
   * @param {number} at @param {number} [up] @param {number} [down] */
  windowed(at, up = 0, down = 0) {
    const { block } = this.all[at], rows = this.all.filter(r => r.block === block), { before, after, fixed } = block.dataset;
    if (before == null) return;
    const here = rows.indexOf(this.all[at]), last = rows.length - 1, old = fixed == null ? this.windows.get(block) : undefined;
    const low = Math.max(0, Math.min((old?.[0] ?? here) - up, here - before)), high = Math.min(last, Math.max((old?.[1] ?? here) + down, here + +after));
    this.windows.set(block, [low, high]);
    rows.forEach((r, n) => { r.el.hidden = n < low || n > high; });
    for (const [where, n] of [['.above', low], ['.below', last - high]]) {
      const more = block.querySelector(where), link = more.querySelector('a');
      more.hidden = !n || fixed != null;
      link.querySelector('b').textContent = link.dataset.words.replace('{n}', Math.min(5, n));
    }
  }
  whole() { this.windowed(this.app.row, Infinity, Infinity); }

  /** Mark what is done in a row's margin. @param {number} i item @param {string} state */
  mark(i, state) {
    const brief = this.app.rail.brief(i), { words } = this.app;
    for (const a of this.strip) if (+a.dataset.of === i) a.className = state && 'is-' + state;
    for (const { el, num } of this.all.filter(r => r.item === i && r.el.dataset.item != null)) {
      el.classList.toggle('is-done', state === 'done');
      el.classList.toggle('is-partial', state === 'partial');
      num.dataset.name ??= num.getAttribute('aria-label');
      num.setAttribute('aria-label', num.dataset.name + (state ? ', ' + say(words, state === 'done' ? 'judged' : 'partial') : ''));
      const shorts = brief.map(b => b.short).filter(Boolean), box = num.querySelector('.brief'), mine = el.querySelector('.mine');
      const parts = brief.flatMap(b => b.glyph ? [b.glyph] : b.badge ? [made('span', 'badge', b.badge)] : []);
      if (!mine && shorts.length) parts.push(made('span', 'sum', shorts.join(' · ')));
      if (brief.some(b => b.note)) parts.push(made('span', 'sum', '✎'));
      box.replaceChildren(...parts);
      mine?.replaceChildren(...brief.filter(b => b.long).flatMap((b, n) => [made(n ? 'span' : 'b', '', b.long), ' ']));
      const best = brief.flatMap(b => b.best ?? []);
      for (const cell of el.querySelectorAll('.tgt')) cell.classList.toggle('best', best.includes(+cell.dataset.output));
    }
  }

  clicked(e) {
    const row = e.target.closest('.row'), stop = e.target.closest('.strip a'), act = e.target.closest('.more a');
    if (act) {
      e.preventDefault();
      this.windowed(this.app.row, { earlier: 5, later: 0, whole: Infinity }[act.dataset.act], { earlier: 0, later: 5, whole: Infinity }[act.dataset.act]);
    } else if (stop) { e.preventDefault(); this.app.go(+stop.dataset.at); } else if (row) {
      if (e.target.closest('.num')) e.preventDefault();
      const at = +row.dataset.row;
      if (at !== this.app.row && this.all[at].item != null && getSelection().isCollapsed) this.app.go(at, false);
    }
  }
}

/** @param {string} tag @param {string} name @param {string} text */
export function made(tag, name, text = '') { const el = document.createElement(tag); el.className = name; el.textContent = text; return el; }
