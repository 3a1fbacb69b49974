// The drawer with definitions, guidelines, keys and settings, and the search.
import { $, $$, bringIntoView, light, nameLanguages, targetOf } from './dom.js';
import { focusedElement } from './focus.js';
import { positionOf } from './selection.js';

export class Help {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.drawer = $('#drawer');
    /** @type {HTMLElement | null} what had the focus before the drawer was opened */
    this.opener = null;
    /** @type {Range[]} where the words that are looked for stand */
    this.hits = [];
    document.addEventListener('click', e => {
      const button = targetOf(e).closest('button[data-panel]');
      if (button) this.toggle(button.dataset.panel);
    });
    $('#find')?.addEventListener('input', (/** @type {Event} */ e) =>
      this.find(targetOf(e).value.trim().toLowerCase()),
    );
    nameLanguages(app.data.language);
    labelTexts(app.rows.blocks);
  }

  /** The part of the drawer that is open. @returns {string} */
  get panel() {
    return this.drawer.hidden ? '' : this.drawer.dataset.panel;
  }
  /** @param {string} name @param {boolean} [stay] open it even where it is open already */
  toggle(name, stay = false) {
    const { drawer } = this,
      shut = !stay && this.panel === name;
    if (!$(`[data-of="${name}"]`, drawer)) return;
    if (drawer.hidden) this.opener = focusedElement();
    drawer.hidden = shut;
    drawer.dataset.panel = name;
    for (const part of $$('[data-of]', drawer)) part.hidden = part.dataset.of !== name;
    for (const b of $$('button[data-panel]'))
      b.ariaExpanded = String(!shut && b.dataset.panel === name);
    for (const here of $$('.here', drawer)) here.classList.remove('here');
    if (shut) this.opener?.focus();
    else if (!stay) {
      drawer.scrollTop = 0;
      (name === 'settings' ? $('select', drawer) : drawer).focus({ preventScroll: true });
    }
    this.app.rows.settle();
  }
  /** Close the drawer. */
  shut() {
    if (this.panel) this.toggle(this.panel);
  }

  /** Lift one definition; the same again closes the drawer. @param {string} id */
  define(id) {
    const entry = document.getElementById(id);
    if (!entry) return this.toggle('definitions');
    if (this.panel === 'definitions' && entry.matches('.here')) return this.shut();
    this.toggle('definitions', true);
    entry.classList.add('here');
    bringIntoView(entry);
    return this.app.say(entry.textContent ?? '');
  }

  /** Light every place of the document that holds some words. @param {string} wanted */
  find(wanted) {
    const texts = $$(
      '.block:not([hidden], [data-fixed]) .row p, .block:not([hidden]) .row:not([hidden]) p',
    );
    this.hits = wanted
      ? texts.filter(text => text.dataset.side).flatMap(text => hitsIn(text, wanted))
      : [];
    if (this.hits.length) this.app.rows.whole();
    $('#hits').textContent = wanted && this.app.t('found', { n: this.hits.length });
    light('found', this.hits);
    bringIntoView(this.hits[0]?.startContainer.parentElement);
  }
  /** Enter in the search field goes to the next row that has it. */
  nextHit() {
    const { rows, row } = this.app,
      at = this.hits.flatMap(({ startContainer: { parentElement } }) =>
        parentElement ? rows.indexOf(parentElement) : [],
      );
    if (at.length) this.app.go(at.find(place => place > row) ?? at[0]);
  }
}

/**
 * Texts that stand under each other on a phone are labelled with the head of their column, in which
 * languages are named in the reader's own.
 * @param {Map<HTMLElement, Row[]>} blocks
 */
function labelTexts(blocks) {
  for (const [block, rows] of blocks) {
    const heads = $$('.heads > span', block)
      .slice(1)
      .map(head => head.textContent.trim().replace(/\s+/g, ' '));
    for (const { el } of rows)
      for (const [n, cell] of $$('[data-label]', el).entries())
        if (cell.dataset.label !== heads[n]) cell.dataset.label = heads[n];
  }
}

/**
 * Every place of a text that holds some words, be they marked in part.
 * @param {Element} element
 * @param {string} wanted in lower case
 * @returns {Range[]}
 */
function hitsIn(element, wanted) {
  const ranges = [],
    text = element.textContent ?? '',
    words = lowered(text);
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    const range = document.createRange(),
      from = positionOf(element, at),
      to = positionOf(element, at + wanted.length);
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    ranges.push(range);
  }
  return ranges;
}

/** A text in lower case with every letter in its place: some become two. @param {string} text */
function lowered(text) {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text]
    .map(char => (char.toLowerCase().length === char.length ? char.toLowerCase() : char))
    .join('');
}
