// The texts: which row is active, which stand in the window, and what each row's margin says.
import { canon } from './digest.js';
import { $, $$, afterFrame, create, fill, setHidden, setText, targetOf } from './dom.js';
import { focusedElement, focusSoon } from './focus.js';
import { View } from './scrolling.js';

/** How many more sentences one press unfolds. */
const MORE = 5;

/** @param {any} el @returns {Row} */
function rowOf(el) {
  const block = el.closest('.block'),
    num = $('.num', el),
    item = el.dataset.item ?? block.dataset.item;
  return {
    el,
    block,
    num,
    item: item == null ? null : +item,
    own: el.dataset.item != null,
    name: $('b', num).textContent,
    label: num.ariaLabel,
  };
}

export class Rows {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.all = $$('.row').map(rowOf);
    this.strip = $$('.strip a');
    /** @type {HTMLElement | null} the number in the strip that was brought into view */
    this.stop = null;
    /** @type {Row[]} the rows drawn as active: one, once the page has begun */
    this.active = this.all.filter(({ el }) => el.matches('.is-active'));
    /** @type {Map<HTMLElement, Row[]>} the rows of each block */
    this.blocks = new Map();
    for (const row of this.all)
      this.blocks.set(row.block, [...(this.blocks.get(row.block) ?? []), row]);
    /** @type {Map<number, string>} the answers that the margin of each item says */
    this.summed = new Map();
    /** @type {Map<HTMLElement, [number, number]>} the first and last row shown of each block */
    this.windows = new Map();
    /** @type {Set<HTMLElement>} what is laid out though it is hidden, since a step shows it */
    this.ahead = new Set();
    /** @type {Map<HTMLElement, View>} */
    this.views = new Map($$('.block').map(el => [el, new View($('.scroller', el))]));
    $('.doc')?.addEventListener('click', (/** @type {MouseEvent} */ e) => this.clicked(e));
  }
  /** The active row; none in a questionnaire. @returns {Row | undefined} */
  get now() {
    return this.all[this.app.row];
  }
  /** The row of an item. @param {number} item */
  of(item) {
    return this.all.findIndex(row => row.item === item);
  }
  /** The row that an element stands in. @param {Element} el @returns {number} */
  indexOf(el) {
    return Number(/** @type {HTMLElement} */ (el.closest('.row')).dataset.row);
  }
  /** @param {Row} row @returns {View} */
  viewOf(row) {
    return /** @type {View} */ (this.views.get(row.block));
  }
  /**
   * The next place to stop at: a judged sentence, or any sentence where the document is judged.
   * @param {number} from
   * @param {number} step
   */
  next(from, step) {
    for (let at = from + step; this.all[at]; at += step) if (this.all[at].item != null) return at;
    return -1;
  }

  /** @param {number} at */
  activate(at) {
    const row = this.all[at];
    this.follow(row);
    for (const { el, num } of this.active)
      if (el !== row.el) {
        el.classList.remove('is-active');
        num.ariaCurrent = null;
      }
    this.active = [row];
    row.el.classList.add('is-active');
    if (row.num.ariaCurrent !== 'true') row.num.ariaCurrent = 'true';
    if (row.block.hidden)
      for (const block of this.blocks.keys()) this.fold(block, block !== row.block);
    for (const a of this.strip) {
      const current = +a.dataset.of === row.item ? 'true' : null;
      if (a.ariaCurrent !== current) a.ariaCurrent = current;
      if (!current || a === this.stop) continue;
      this.stop = a;
      afterFrame(() => a.scrollIntoView({ block: 'nearest', inline: 'center' }));
    }
    this.open(at);
    this.follow(row);
  }
  /** A focus that is on the number of one row goes to that of another. @param {Row} row */
  follow(row) {
    if (focusedElement().matches('.num')) this.focusOn(row);
  }
  /** The focus goes to the number of a row, where that is shown. @param {Row | undefined} row */
  focusOn(row) {
    const from = focusedElement();
    if (!row || row.el.hidden || row.block.hidden || from === row.num) return;
    const isRinged = from.matches('.num:focus-visible'),
      ring = (/** @type {boolean} */ moved) => {
        from.classList.toggle('unringed', moved);
        row.el.classList.toggle('ringed', moved);
      };
    // the ring is drawn with the row, at once
    if (isRinged) ring(true);
    focusSoon(row.num, { preventScroll: true }, isRinged ? () => ring(false) : undefined);
  }
  /**
   * Into view, once all has been changed: the page is laid out once.
   * @param {Row} row
   * @param {boolean} scroll
   * @param {boolean} jump
   */
  reveal(row, scroll, jump) {
    if (scroll) this.viewOf(row).show(row.el, jump);
  }
  /** The keys act on the active row again. */
  focus() {
    this.focusOn(this.now);
  }

  /**
   * The window of a long document grows as one moves and never shrinks, unless the protocol fixes
   * it.
   * @param {number} at
   * @param {number} [up] so many rows more above
   * @param {number} [down] and below
   */
  open(at, up = 0, down = 0) {
    const { block } = this.all[at],
      { before, after, fixed } = block.dataset;
    if (before == null) return;
    const isFixed = fixed != null,
      rows = this.blocks.get(block) ?? [],
      here = rows.indexOf(this.all[at]),
      last = rows.length - 1,
      known = this.windows.get(block),
      [from, to] = isFixed ? [here, here] : (known ?? this.sent(rows, here));
    const low = Math.max(0, Math.min(from - (isFixed ? 0 : up), here - Number(before))),
      high = Math.min(last, Math.max(to + (isFixed ? 0 : down), here + Number(after)));
    if (known?.[0] === low && known[1] === high) return;
    this.windows.set(block, [low, high]);
    for (const [n, { el }] of rows.entries()) this.fold(el, n < low || n > high);
    this.showMore($('.above', block), isFixed ? 0 : low);
    this.showMore($('.below', block), isFixed ? 0 : last - high);
  }
  /**
   * The first and last row that the server sent unfolded; the row itself where it lies elsewhere.
   * @param {Row[]} rows of a block
   * @param {number} here
   * @returns {[number, number]}
   */
  sent(rows, here) {
    const low = rows.findIndex(({ el }) => !el.hidden),
      high = rows.findLastIndex(({ el }) => !el.hidden);
    return low <= here && here <= high ? [low, high] : [here, here];
  }
  /**
   * Hide or show a row or a block. What is hidden now stays laid out until the step is on the
   * screen: to take it apart is work as well, and the way back may lead to it.
   * @param {HTMLElement} el
   * @param {boolean} hidden
   */
  fold(el, hidden) {
    if (el.hidden === hidden) return;
    if (hidden) this.layOutUnseen(el);
    else el.ariaHidden = null;
    el.hidden = hidden;
  }
  /** Lay out what the next step down or up will show, so that it costs that key nothing. */
  prepareSteps() {
    const { now } = this,
      rows = now ? (this.blocks.get(now.block) ?? []) : [],
      [low, high] = (now && this.windows.get(now.block)) ?? [0, rows.length - 1],
      beside = [1, -1].map(by => this.all[this.next(this.app.row, by)]?.block),
      near = [rows[high + 1]?.el, rows[low - 1]?.el, ...beside].filter(el => el?.hidden);
    for (const el of this.ahead) if (!near.includes(el)) el.classList.remove('ahead');
    this.ahead.clear();
    for (const el of near) this.layOutUnseen(el);
  }
  /** @param {HTMLElement} el that is hidden, or is about to be */
  layOutUnseen(el) {
    el.ariaHidden = 'true';
    el.classList.add('ahead');
    this.ahead.add(el);
  }
  /** The links to the rows that are folded away. @param {any} more @param {number} count */
  showMore(more, count) {
    const link = $('a', more);
    setHidden(more, !count);
    if (count) setText($('b', link), fill(link.dataset.words, { n: Math.min(MORE, count) }));
  }
  /** A screen up or down, wherever the focus is. @param {number} by */
  page(by) {
    if (this.now) this.viewOf(this.now).page(by);
  }
  /** The height or the size of the text has changed. */
  settle() {
    if (this.now) this.viewOf(this.now).settle();
  }
  /** Where the window leaves room on the screen, more of the document is unfolded. */
  fill() {
    const { now } = this;
    if (!now || now.block.dataset.before == null || now.block.dataset.fixed != null) return;
    const view = $('.scroller', now.block).getBoundingClientRect();
    for (let n = 0; n < 20 && !$('.below', now.block).hidden; n++) {
      const last = this.all.findLast(row => row.block === now.block && !row.el.hidden);
      if (!last || last.el.getBoundingClientRect().bottom > view.bottom) break;
      this.open(this.app.row, 0, MORE);
    }
  }
  /** Unfold the whole document. */
  whole() {
    this.open(this.app.row, Infinity, Infinity);
  }

  /** Say in an item's margin what was answered. @param {number} i @param {string} state */
  mark(i, state) {
    const key = canon([state, this.app.store.all(i)]);
    if (this.summed.get(i) === key) return;
    this.summed.set(i, key);
    const brief = this.app.rail.brief(i),
      best = brief.flatMap(b => b.best ?? []),
      short = brief
        .map(b => b.short)
        .filter(Boolean)
        .join(' · ');
    for (const a of this.strip) if (+a.dataset.of === i) a.className = state && 'is-' + state;
    for (const { el, num, label } of this.all.filter(row => row.own && row.item === i)) {
      const mine = $('.mine', el),
        parts = brief.flatMap(b => b.glyph ?? (b.badge ? create('span', 'badge', b.badge) : []));
      for (const name of ['done', 'partial']) el.classList.toggle('is-' + name, state === name);
      num.ariaLabel = state ? `${label}, ${this.app.t(state)}` : label;
      if (short && !mine) parts.push(create('span', 'sum', short));
      if (brief.some(b => b.note)) parts.push(create('span', 'sum', '✎'));
      $('.brief', num).replaceChildren(...parts);
      mine?.replaceChildren(
        ...brief.filter(b => b.long).flatMap((b, n) => [create(n ? 'span' : 'b', '', b.long), ' ']),
      );
      for (const cell of $$('.tgt', el))
        cell.classList.toggle('best', best.includes(+cell.dataset.output));
    }
  }

  /** @param {MouseEvent} e */
  clicked(e) {
    const target = targetOf(e),
      more = target.closest('.more a')?.dataset.act,
      stop = target.closest('.strip a, .row'),
      at = +(stop?.dataset.at ?? stop?.dataset.row);
    if (more || target.closest('.num, .strip a')) e.preventDefault();
    if (more === 'whole') this.whole();
    else if (more)
      this.open(this.app.row, more === 'earlier' ? MORE : 0, more === 'later' ? MORE : 0);
    else if (
      stop &&
      at !== this.app.row &&
      this.all[at].item != null &&
      getSelection()?.isCollapsed &&
      !this.app.marking.linking
    )
      this.app.go(at, stop.matches('a'));
  }
}
