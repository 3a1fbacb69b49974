// The menu at a selection or a mark: missing or not, kind, kind within it, severity. One can go
// back in it, it stays where it opened through all its steps, and it covers neither the selection
// nor the sentence where there is room beside them.
import { $, $$, setHidden, setText, targetOf } from './dom.js';
import { focusedElement } from './focus.js';
import { isSuggested } from './store.js';

const GAP = 8;

/**
 * Where a menu stands: outside the sentence, on the side nearer to the selection; where there is no
 * room, at the selection, over the questions rather than over the words. It hangs from its upper
 * edge or stands on its lower one, so that a step of another height moves nothing.
 * @param {{width: number, height: number}} size of the highest step
 * @param {Box} at the selection
 * @param {Box|null} row the sentence
 * @param {Box} view what can be seen of the texts
 * @param {number} [screen] its lower edge
 * @returns {{left: number, edge: 'top'|'bottom', y: number}}
 */
export function placeMenu(size, at, row, view, screen = view.bottom) {
  const middle = (at.left + at.right) / 2,
    most = Math.max(view.right, at.right) - size.width - GAP,
    left = Math.max(view.left + GAP, Math.min(middle - size.width / 2, most));
  const around = row ?? at,
    above = { edge: /** @type {const} */ ('bottom'), y: around.top + GAP / 2 },
    below = { edge: /** @type {const} */ ('top'), y: around.bottom - GAP / 2 };
  if (!row) {
    above.y = at.top - GAP;
    below.y = at.bottom + GAP;
  }
  const fits = (/** @type {typeof above | typeof below} */ place) =>
    place.edge === 'bottom'
      ? place.y - size.height >= view.top
      : place.y + size.height <= view.bottom;
  const nearTop = at.top - around.top <= around.bottom - at.bottom,
    order = nearTop ? [above, below] : [below, above];
  const free = order.find(fits);
  if (free) return { left, ...free };
  if (at.top - GAP - size.height >= view.top) return { left, edge: 'bottom', y: at.top - GAP };
  if (at.bottom + GAP + size.height <= screen || at.top - GAP < size.height)
    return { left, edge: 'top', y: Math.min(at.bottom + GAP, screen - size.height) };
  return { left, edge: 'bottom', y: at.top - GAP };
}

/** What is seen of the page: part of it where fingers have enlarged it, or above a keyboard. */
function seenPart() {
  const {
    offsetLeft: left,
    offsetTop: top,
    width,
    height,
  } = visualViewport ?? {
    offsetLeft: 0,
    offsetTop: 0,
    width: innerWidth,
    height: innerHeight,
  };
  return { left, top, right: left + width, bottom: top + height };
}

export class Menu {
  /**
   * @param {App} app
   * @param {import('./marks.js').Marks} marks
   * @param {{
   *   done: (choice: Choice) => void,
   *   keep: (choice: Choice) => void,
   *   remove: (choice: Choice) => void,
   *   link: (choice: Choice) => void,
   *   remark: (choice: Choice, field: any) => void,
   *   unlink: (choice: Choice) => void,
   * }} acts
   */
  constructor(app, marks, acts) {
    this.app = app;
    this.marks = marks;
    this.acts = acts;
    /** @type {Choice | null} null while no menu is open */
    this.choice = null;
    /** @type {Map<string, {width: number, height: number}>} */
    this.sizes = new Map();
    for (const bar of /** @type {HTMLElement[]} */ (marks.bars)) {
      bar.addEventListener('click', e => this.pressed(targetOf(e).closest('button')));
      // a click on a button here takes the focus and the selection from nothing
      bar.addEventListener('mousedown', e => {
        if (!targetOf(e).matches('textarea, label')) e.preventDefault();
      });
      bar.addEventListener('input', e => {
        if (this.choice) this.acts.remark(this.choice, e.target);
      });
    }
    for (const scroller of $$('.scroller')) {
      scroller.addEventListener('scroll', () => this.choice && this.place(this.choice));
    }
    for (const screen of [window, visualViewport])
      screen?.addEventListener('resize', () => {
        if (!this.choice) return;
        this.choice.size = undefined;
        this.place(this.choice);
      });
  }

  /**
   * @param {Ask} ask
   * @param {Span} span
   * @param {number | undefined} id
   * @param {Range | Element} at what the menu stands beside: a stretch of text or an element
   */
  open(ask, span, id, at) {
    const bar = this.marks.bar(ask.el);
    this.hide(this.app.frozen ? null : bar);
    if (this.app.frozen) return;
    this.choice = { ask, span, id, bar, at, path: [] };
    this.place(this.choice); // before it is shown: so the page is laid out once
    setHidden(bar, false);
    this.show(this.choice);
  }
  /** Measure every menu while nothing is to be done, so that the first one opens as quickly. */
  prepare() {
    if (this.choice) return;
    for (const bar of this.marks.bars) for (const isNew of [true, false]) this.sizeOf(bar, isNew);
  }
  /**
   * The size of the highest step: the place is chosen for it. It is measured once for each size of
   * the window and the text, since every step is laid out for it.
   * @param {any} bar
   * @param {boolean} isNew whether the mark is still to be made, so that it cannot be removed
   */
  sizeOf(bar, isNew) {
    const { size: textSize } = document.documentElement.dataset,
      key = [bar.dataset.for, innerWidth, innerHeight, textSize, isNew].join(),
      size = this.sizes.get(key) ?? this.measure(bar, isNew);
    this.sizes.set(key, size);
    return size;
  }
  /** @param {any} bar @param {boolean} isNew */
  measure(bar, isNew) {
    const panels = $$('.panel, .remarks', bar),
      parts = [bar, $('.more-acts', bar), ...panels],
      hidden = parts.map(part => part.hidden);
    bar.hidden = false;
    parts[1].hidden = isNew;
    const sizes = panels.map(panel => {
      for (const other of panels) other.hidden = other !== panel;
      return { width: bar.offsetWidth, height: bar.offsetHeight };
    });
    parts.forEach((part, n) => {
      part.hidden = hidden[n];
    });
    return {
      width: Math.max(...sizes.map(size => size.width)),
      height: Math.max(...sizes.map(size => size.height)),
    };
  }
  /** @param {Choice} choice */
  place(choice) {
    const { bar, at } = choice,
      { now } = this.app.rows,
      row = at instanceof Element && !at.closest('.row') ? undefined : now;
    choice.size ??= this.sizeOf(bar, choice.id == null);
    const seen = seenPart(),
      texts = row ? $('.scroller', row.block).getBoundingClientRect() : seen;
    const view = {
      left: Math.max(seen.left, texts.left),
      right: Math.min(seen.right, texts.right),
      top: Math.max(seen.top, texts.top),
      bottom: Math.min(seen.bottom, texts.bottom),
    };
    const sentence = row ? row.el.getBoundingClientRect() : null,
      words = at.getBoundingClientRect(),
      { left, edge, y } = placeMenu(choice.size, words, sentence, view, seen.bottom);
    bar.style.left = `${left}px`;
    bar.style.top = edge === 'top' ? `${y}px` : 'auto';
    bar.style.bottom = edge === 'bottom' ? `${innerHeight - y}px` : 'auto';
  }

  /** The step that follows the choices made so far; none after the last. @param {Choice} choice */
  nextStep({ bar, path, span }) {
    const [field, value] = path.at(-1) ?? [],
      fields = path.map(([name]) => name),
      panels = $$('.panel', bar);
    const within =
      field === 'category' &&
      fields.filter(name => name === field).length < 2 &&
      panels.find(panel => panel.dataset.parent === value);
    if (within) return within;
    return panels.find(
      panel =>
        !panel.dataset.parent &&
        !fields.includes(panel.dataset.field) &&
        (panel.dataset.field !== 'missing' || (span.side === 'source' && span.text)),
    );
  }
  /** Show the step one is at; after the last one the mark is made. @param {Choice} choice */
  show(choice) {
    const { ask, bar, path, span, id } = choice,
      step = this.nextStep(choice),
      inside = bar.contains(focusedElement());
    if (!step) return this.acts.done(choice);
    for (const panel of $$('.panel', bar)) setHidden(panel, panel !== step);
    setHidden($('.remarks', bar), true);
    if (inside) this.enter();
    const { field } = step.dataset,
      value = field === 'category' ? span.category : field === 'severity' ? span.severity : null;
    for (const option of $$('button', step)) {
      const pressed = String(id != null && option.value === value);
      if (option.ariaPressed !== pressed) option.ariaPressed = pressed;
    }
    const names = path.map(([name, chosen]) => this.marks.option(ask.el, name, chosen)?.name);
    const missing = span.missing && bar.dataset.missing;
    setHidden($('.crumbs', bar), !path.length && !missing);
    setHidden($('[data-act=step-back]', bar), !path.length);
    setText($('.crumb', bar), [missing, ...names].filter(Boolean).join(' › '));
    setHidden($('.more-acts', bar), id == null);
    for (const option of $$('[data-act=unlink]', bar)) setHidden(option, !span.link);
    for (const option of $$('[data-act=keep]', bar)) setHidden(option, !isSuggested(span));
    return undefined;
  }
  /** @param {any} button the button that was clicked, if any */
  pressed(button) {
    const field = button?.closest('.panel')?.dataset.field,
      { choice } = this;
    if (!button || !choice) return;
    if (field) {
      choice.path.push([field, button.value]);
      this.show(choice);
    } else if (button.dataset.act === 'step-back') this.back();
    else if (button.dataset.act === 'remark') this.showRemarks();
    else if (button.dataset.act === 'keep') this.acts.keep(choice);
    else if (button.dataset.act === 'remove') this.acts.remove(choice);
    else if (button.dataset.act === 'link') this.acts.link(choice);
    else if (button.dataset.act === 'unlink') this.acts.unlink(choice);
  }
  /** The fields for a note and a correction, in place of the step. */
  showRemarks() {
    if (!this.choice) return;
    const { bar, span } = this.choice,
      [note, correction] = ['note', 'correction'].map(name => $(`[data-remark=${name}]`, bar));
    for (const panel of $$('.panel', bar)) panel.hidden = true;
    note.value = span.note ?? '';
    correction.value = span.correction ?? '';
    $('.remarks', bar).hidden = false;
    $('.more-acts', bar).hidden = true;
    note.focus();
  }
  /** One step back. */
  back() {
    if (!this.choice) return;
    this.choice.path.pop();
    this.show(this.choice);
  }
  /** Into the menu with Tab: it stands far off in the order of the page. */
  enter() {
    if (this.choice) $('.panel:not([hidden]) button', this.choice.bar).focus();
  }
  /**
   * What a key does here: a digit of the step that is shown, or the letter for a link.
   * @param {string} key
   */
  keyed(key) {
    if (!this.choice) return undefined;
    const keys = '.panel:not([hidden]) [data-k], .more-acts:not([hidden]) [data-k]';
    const button = $$(keys, this.choice.bar).find(each => each.dataset.k === key && !each.hidden);
    return button && (() => this.pressed(button));
  }
  /** @param {any} [except] a bar that is to be shown again */
  hide(except) {
    for (const bar of this.marks.bars) if (bar !== except) setHidden(bar, true);
    for (const mark of $$('mark.on')) mark.classList.remove('on');
    this.choice = null;
  }
}
