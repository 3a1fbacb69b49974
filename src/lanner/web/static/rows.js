// The texts: which row is active, which stand in the window, and what each row's margin says.
import { $, $$, fill, made } from './dom.js';
import { View } from './scrolling.js';

export class Rows {
  constructor(app) {
    this.app = app;
    this.all = $$('.row').map(el => {
      const block = el.closest('.block'),
        num = $('.num', el),
        item = el.dataset.item ?? block.dataset.item;
      return {
        el,
        block,
        num,
        item: item && +item,
        own: el.dataset.item != null,
        name: $('b', num).textContent,
        label: num.ariaLabel,
      };
    });
    this.strip = $$('.strip a');
    this.windows = new Map();
    this.views = new Map($$('.block').map(el => [el, new View($('.scroller', el))]));
    $('.doc')?.addEventListener('click', e => this.clicked(e));
  }
  get now() {
    return this.all[this.app.row];
  }
  /** The row of an item. */
  of(item) {
    return this.all.findIndex(row => row.item === item);
  }
  /** The next place to stop at: a judged sentence, or any sentence where the document is judged. */
  next(from, step) {
    for (let at = from + step; this.all[at]; at += step) if (this.all[at].item != null) return at;
    return -1;
  }

  activate(at) {
    const row = this.all[at];
    for (const { el, num } of this.all)
      if (el.matches('.is-active')) {
        el.classList.remove('is-active');
        num.ariaCurrent = null;
      }
    row.el.classList.add('is-active');
    row.num.ariaCurrent = 'true';
    if (row.block.hidden) for (const { block } of this.all) block.hidden = block !== row.block;
    for (const a of this.strip) a.ariaCurrent = +a.dataset.of === row.item ? 'true' : null;
    this.open(at);
  }
  /** Into view, once all has been changed: the page is laid out once. */
  reveal({ el, num, block }, scroll, jump) {
    if (scroll) this.views.get(block).show(el, jump);
    if (document.activeElement?.matches('.num')) num.focus({ preventScroll: true });
  }

  /** The window of a long document grows as one moves and never shrinks, unless the protocol fixes
   * it. */
  open(at, up = 0, down = 0) {
    const { block } = this.all[at],
      { before, after, fixed } = block.dataset;
    if (before == null) return;
    const rows = this.all.filter(r => r.block === block),
      here = rows.indexOf(this.all[at]),
      last = rows.length - 1,
      [from, to] = (fixed == null && this.windows.get(block)) || [here, here];
    if (fixed != null) up = down = 0;
    const low = Math.max(0, Math.min(from - up, here - before)),
      high = Math.min(last, Math.max(to + down, here + +after));
    this.windows.set(block, [low, high]);
    rows.forEach(({ el }, n) => {
      el.hidden = n < low || n > high;
    });
    for (const [more, n] of [
      [$('.above', block), low],
      [$('.below', block), last - high],
    ]) {
      const link = $('a', more);
      more.hidden = !n || fixed != null;
      $('b', link).textContent = fill(link.dataset.words, { n: Math.min(5, n) });
    }
  }
  /** A screen up or down, wherever the focus is. */
  page(by) {
    this.views.get(this.now.block).page(by);
  }
  /** The height or the size of the text has changed. */
  settle() {
    if (this.now) this.views.get(this.now.block).settle();
  }
  /** Where the window leaves room on the screen, more of the document is unfolded. */
  fill() {
    const { now } = this;
    if (!now || now.block.dataset.before == null || now.block.dataset.fixed != null) return;
    const view = $('.scroller', now.block).getBoundingClientRect();
    for (let n = 0; n < 20 && !$('.below', now.block).hidden; n++) {
      const shown = this.all.filter(row => row.block === now.block && !row.el.hidden);
      if (shown.at(-1).el.getBoundingClientRect().bottom > view.bottom) break;
      this.open(this.app.row, 0, 5);
    }
  }
  whole() {
    this.open(this.app.row, Infinity, Infinity);
  }

  /** Say in an item's margin what was answered. */
  mark(i, state) {
    const brief = this.app.rail.brief(i),
      best = brief.flatMap(b => b.best ?? []),
      short = brief
        .map(b => b.short)
        .filter(Boolean)
        .join(' · ');
    for (const a of this.strip) if (+a.dataset.of === i) a.className = state && 'is-' + state;
    for (const { el, num, label } of this.all.filter(r => r.own && r.item === i)) {
      const mine = $('.mine', el),
        parts = brief.flatMap(b => b.glyph ?? (b.badge ? made('span', 'badge', b.badge) : []));
      for (const name of ['done', 'partial']) el.classList.toggle('is-' + name, state === name);
      num.ariaLabel = state ? `${label}, ${this.app.t(state)}` : label;
      if (short && !mine) parts.push(made('span', 'sum', short));
      if (brief.some(b => b.note)) parts.push(made('span', 'sum', '✎'));
      $('.brief', num).replaceChildren(...parts);
      mine?.replaceChildren(
        ...brief.filter(b => b.long).flatMap((b, n) => [made(n ? 'span' : 'b', '', b.long), ' ']),
      );
      for (const cell of $$('.tgt', el))
        cell.classList.toggle('best', best.includes(+cell.dataset.output));
    }
  }

  clicked(e) {
    const more = e.target.closest('.more a')?.dataset.act,
      stop = e.target.closest('.strip a, .row'),
      at = +(stop?.dataset.at ?? stop?.dataset.row);
    if (more || e.target.closest('.num, .strip a')) e.preventDefault();
    if (more)
      this.open(
        this.app.row,
        { earlier: 5, whole: Infinity }[more],
        { later: 5, whole: Infinity }[more],
      );
    else if (
      stop &&
      at !== this.app.row &&
      this.all[at].item != null &&
      getSelection().isCollapsed &&
      !this.app.marking.linking
    )
      this.app.go(at, stop.matches('a'));
  }
}
