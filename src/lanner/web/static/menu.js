// The menu at a selection or a mark: missing or not, kind, kind within it, severity. One can go
// back in it, it stays where
// it opened through all its steps, and it covers neither the selection nor the sentence where there
// is room beside them.
import { $, $$ } from './dom.js';

const GAP = 8;

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** Where a menu stands: outside the sentence, on the side nearer to the selection; where there is
 * no room, at the
 * selection. It hangs from its upper edge or stands on its lower one, so that a step of another
 * height moves nothing.
 * @param {{width: number, height: number}} size of the highest step @param {Box} at the selection
 * @param {Box|null} row the sentence @param {Box} view what can be seen of the texts
 * @returns {{left: number, edge: 'top'|'bottom', y: number}} */
export function placeMenu(size, at, row, view) {
  const middle = (at.left + at.right) / 2,
    most = Math.max(view.right, at.right) - size.width - GAP,
    left = Math.max(GAP, Math.min(middle - size.width / 2, most));
  const around = row ?? at,
    above = { edge: /** @type {const} */ ('bottom'), y: around.top + GAP / 2 },
    below = { edge: /** @type {const} */ ('top'), y: around.bottom - GAP / 2 };
  if (!row) {
    above.y = at.top - GAP;
    below.y = at.bottom + GAP;
  }
  const fits = place =>
    place.edge === 'bottom'
      ? place.y - size.height >= view.top
      : place.y + size.height <= view.bottom;
  const nearTop = at.top - around.top <= around.bottom - at.bottom,
    order = nearTop ? [above, below] : [below, above];
  const free = order.find(fits);
  if (free) return { left, ...free };
  if (at.top - GAP - size.height >= view.top) return { left, edge: 'bottom', y: at.top - GAP };
  return { left, edge: 'top', y: Math.min(at.bottom + GAP, view.bottom - size.height) };
}

export class Menu {
  /** @param {any} app @param {import('./marks.js').Marks} marks
   * @param {{done: (choice: any) => void, remove: (sel: any) => void, link: (sel: any) => void,
   *   remark: (sel: any, field: any) => void, unlink: (sel: any) => void}} acts */
  constructor(app, marks, acts) {
    this.app = app;
    this.marks = marks;
    this.acts = acts;
    /** What the menu is about: the question, the span, its number where it is a mark already, the
     * steps taken so far.
     * @type {any} */
    this.sel = null;
    for (const bar of marks.bars) {
      bar.addEventListener('click', e =>
        this.pressed(/** @type {any} */ (e.target).closest('button')),
      );
      // a click on a button here takes the focus and the selection from nothing
      bar.addEventListener('mousedown', e => {
        if (!(/** @type {any} */ (e.target).matches('textarea, label'))) e.preventDefault();
      });
      bar.addEventListener('input', e => this.acts.remark(this.sel, e.target));
    }
    for (const scroller of $$('.scroller')) {
      scroller.addEventListener('scroll', () => this.sel && this.place());
    }
  }

  /** `at` is what the menu stands beside: a stretch of text or an element. */
  open(ask, span, id, at) {
    const bar = this.marks.bar(ask.el);
    this.hide();
    if (this.app.frozen) return;
    this.sel = { ask, span, id, bar, at, path: [] };
    bar.hidden = false;
    this.place();
    this.show();
  }
  /** The size of the highest step: the place is chosen for it. */
  size() {
    const { bar } = this.sel,
      panels = $$('.panel, .remarks', bar),
      hidden = panels.map(panel => panel.hidden);
    const sizes = panels.map(panel => {
      for (const other of panels) other.hidden = other !== panel;
      return { width: bar.offsetWidth, height: bar.offsetHeight };
    });
    panels.forEach((panel, n) => {
      panel.hidden = hidden[n];
    });
    return {
      width: Math.max(...sizes.map(size => size.width)),
      height: Math.max(...sizes.map(size => size.height)),
    };
  }
  place() {
    const { bar, at } = this.sel,
      { rows } = this.app;
    const inText = !(at instanceof Element) || at.closest('.row'),
      view = (
        inText ? $('.scroller', rows.now.block) : document.documentElement
      ).getBoundingClientRect();
    const box = at.getBoundingClientRect(),
      row = inText ? rows.now.el.getBoundingClientRect() : null;
    this.sel.size ??= this.size();
    const seen = inText ? view : { left: 0, right: innerWidth, top: 0, bottom: innerHeight };
    const { left, edge, y } = placeMenu(this.sel.size, box, row, seen);
    bar.style.left = `${left}px`;
    bar.style.top = edge === 'top' ? `${y}px` : 'auto';
    bar.style.bottom = edge === 'bottom' ? `${innerHeight - y}px` : 'auto';
  }

  /** The step that follows the choices made so far; null after the last. */
  next() {
    const { bar, path, span } = this.sel,
      [field, value] = path.at(-1) ?? [],
      taken = path.map(([name]) => name),
      panels = $$('.panel', bar);
    const within =
      field === 'category' &&
      taken.filter(name => name === field).length < 2 &&
      panels.find(panel => panel.dataset.parent === value);
    return (
      within ||
      panels.find(
        panel =>
          !panel.dataset.parent &&
          !taken.includes(panel.dataset.field) &&
          (panel.dataset.field !== 'missing' || (span.side === 'source' && span.text)),
      ) ||
      null
    );
  }
  /** Show the step one is at; after the last one the mark is made. */
  show() {
    const { ask, bar, path, span, id } = this.sel,
      now = this.next(),
      inside = bar.contains(document.activeElement);
    if (!now) return this.acts.done(this.sel);
    for (const panel of $$('.panel', bar)) panel.hidden = panel !== now;
    $('.remarks', bar).hidden = true;
    if (inside) this.enter();
    for (const button of $$('button', now)) {
      button.ariaPressed = String(id != null && span[now.dataset.field] === button.value);
    }
    $('.crumbs', bar).hidden = !path.length;
    $('.crumb', bar).textContent = path
      .map(([field, value]) => this.marks.option(ask.el, field, value)?.name)
      .filter(Boolean)
      .join(' › ');
    $('.more-acts', bar).hidden = id == null;
    for (const button of $$('[data-act=unlink]', bar)) button.hidden = !span.link;
    return undefined;
  }
  pressed(button) {
    const field = button?.closest('.panel')?.dataset.field,
      { sel } = this;
    if (!button || !sel) return;
    if (field) {
      sel.path.push([field, button.value]);
      this.show();
    } else if (button.dataset.act === 'step-back') this.back();
    else if (button.dataset.act === 'remark') this.showRemarks();
    else this.acts[button.dataset.act](sel);
  }
  /** The fields for a note and a correction, in place of the step. */
  showRemarks() {
    const { bar, span } = this.sel,
      fields = $$('[data-remark]', bar);
    for (const panel of $$('.panel', bar)) panel.hidden = true;
    for (const field of fields) field.value = span[field.dataset.remark] ?? '';
    $('.remarks', bar).hidden = false;
    $('.more-acts', bar).hidden = true;
    fields[0].focus();
  }
  back() {
    this.sel.path.pop();
    this.show();
  }
  /** Into the menu with Tab: it stands far off in the order of the page. */
  enter() {
    $('.panel:not([hidden]) button', this.sel.bar).focus();
  }
  /** What a key does here: a digit of the step that is shown, or the letter for a link. @param
   * {string} key */
  keyed(key) {
    if (!this.sel) return undefined;
    const keys = '.panel:not([hidden]) [data-k], .more-acts:not([hidden]) [data-k]';
    const button = $$(keys, this.sel.bar).find(each => each.dataset.k === key && !each.hidden);
    return button && (() => button.click());
  }
  hide() {
    for (const bar of this.marks.bars) bar.hidden = true;
    for (const mark of $$('mark.on')) mark.classList.remove('on');
    this.sel = null;
  }
}
