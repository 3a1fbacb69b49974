// Where the active sentence stands: whole, its middle near 40 % of the height, so that what follows
// can be read too.
const HEIGHT = 0.4;
const MARGIN = 12;
/** Farther than so many screens one jumps: a long glide shows nothing. */
const FAR = 3;

/**
 * How far a view must be scrolled for a row to stand right; of a row higher than the view, its
 * beginning shows.
 * @param {number} top of the row in the scrolled content
 * @param {number} height of the row
 * @param {number} view height
 * @param {number} [covered] how much of the view a notice above the page lies over
 * @returns {number}
 */
export function restingPlace(top, height, view, covered = 0) {
  const spare = (view - covered - height) / 2,
    // a row that just fits is whole, with less around it
    margin = spare < 0 ? MARGIN : Math.min(MARGIN, spare),
    low = top + height + margin - view,
    high = top - margin - covered;
  return Math.max(0, Math.min(high, Math.max(low, top + height / 2 - view * HEIGHT)));
}

/** One scrolled text, and the row that is to stand right in it. */
export class View {
  /** @param {HTMLElement} scroller */
  constructor(scroller) {
    this.scroller = scroller;
    /** @type {HTMLElement|null} the row that is on its way, or stands where it belongs */
    this.row = null;
    /** @type {number|null} where the pages that were turned end, while they are turned */
    this.aim = null;
    // whoever scrolls, or takes hold of the text, decides for themselves what they see
    for (const gesture of ['wheel', 'pointerdown', 'touchmove']) {
      scroller.addEventListener(gesture, () => this.stop(), { passive: true });
    }
    scroller.addEventListener('scrollend', () => {
      this.aim = null;
      this.settle();
    });
    new ResizeObserver(() => this.settle()).observe(scroller);
  }

  /** How far the row is from where it should stand. */
  get distance() {
    if (!this.row) return 0;
    const { scroller } = this,
      box = this.row.getBoundingClientRect(),
      view = scroller.getBoundingClientRect();
    const top = box.top - view.top - scroller.clientTop + scroller.scrollTop,
      last = document.querySelector('#notes > :last-child')?.getBoundingClientRect(),
      covered = Math.max(0, (last?.bottom ?? 0) - view.top),
      wanted = restingPlace(top, box.height, scroller.clientHeight, covered);
    return Math.min(wanted, scroller.scrollHeight - scroller.clientHeight) - scroller.scrollTop;
  }

  /** Bring a row to where it should stand. @param {HTMLElement} row */
  show(row, jump = false) {
    this.row = row;
    this.aim = null;
    const { distance, scroller } = this,
      far = Math.abs(distance) > FAR * scroller.clientHeight;
    scroller.scrollBy({ top: distance, behavior: jump || far ? 'instant' : 'auto' });
  }

  /** Rows that come into sight may turn out higher or lower than was expected. */
  settle() {
    const { distance } = this;
    if (Math.abs(distance) >= 1) this.scroller.scrollBy({ top: distance, behavior: 'instant' });
  }

  /** Bring words into sight that are not. @param {DOMRect} box */
  reveal(box) {
    const { scroller } = this,
      view = scroller.getBoundingClientRect();
    if (box.top >= view.top && box.bottom <= view.bottom) return;
    this.row = null;
    scroller.scrollBy(0, box.top - view.top - view.height / 3);
  }

  /** Nothing moves any more. */
  stop() {
    const { scroller } = this;
    this.row = this.aim = null;
    scroller.scrollTo({ top: scroller.scrollTop, behavior: 'instant' });
  }

  /** A screen up or down. @param {number} by */
  page(by) {
    const { scroller } = this;
    this.row = null;
    this.aim = (this.aim ?? scroller.scrollTop) + by * scroller.clientHeight * 0.85;
    scroller.scrollTo({ top: this.aim });
  }
}
