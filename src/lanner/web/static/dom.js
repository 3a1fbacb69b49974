// Short names for what every script does with the page. The page's own markup is the contract:
// elements found by a selector are taken at its word, which is why they are `any`.

/**
 * @param {string} css
 * @param {ParentNode} [root]
 * @returns {any}
 */
export const $ = (css, root = document) => root.querySelector(css);
/**
 * @param {string} css
 * @param {ParentNode} [root]
 * @returns {any[]}
 */
export const $$ = (css, root = document) => [...root.querySelectorAll(css)];

/** What an event happened to. @param {Event} event @returns {any} */
export const targetOf = event => event.target;

/**
 * An element with a class, a text and properties.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [textContent]
 * @param {Record<string, any>} [properties]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const create = (tag, className = '', textContent = '', properties = {}) =>
  Object.assign(document.createElement(tag), { className, textContent, ...properties });

/**
 * A button that is no part of a form.
 * @param {string} className
 * @param {string} textContent
 * @param {() => void} [onclick]
 */
export const button = (className, textContent, onclick) =>
  create('button', className, textContent, { type: 'button', onclick });

/** What waits for a frame to be drawn waits no longer than this, in milliseconds. */
const LONGEST_FRAME = 50;
/** @type {(() => void)[] | null} what waits for the next frame */
let waiting = null;
/**
 * Do something once the next frame has been drawn, or soon where none is drawn. What waits for the
 * same frame is asked for once, and done one by one: a key that is pressed meanwhile comes between.
 * @param {() => void} work
 */
export function afterFrame(work) {
  if (waiting) {
    waiting.push(work);
    return;
  }
  const works = [work];
  waiting = works;
  const close = () => {
    if (waiting === works) waiting = null; // what comes now is for another frame
  };
  const begin = () => {
    close();
    const [first, ...others] = works.splice(0);
    for (const other of others) setTimeout(other);
    first?.();
  };
  requestAnimationFrame(() => {
    close();
    setTimeout(begin);
  });
  setTimeout(begin, LONGEST_FRAME);
}

/**
 * Change a text; nothing is laid out again where it is the same.
 * @param {Element} element that holds nothing but a text
 * @param {string} text
 */
export function setText(element, text) {
  const node = element.firstChild;
  if (element.textContent === text) return;
  // the node stays: a new one would be styled anew, with all that depends on it
  if (node instanceof Text && text && !node.nextSibling) node.data = text;
  else element.textContent = text;
}
/**
 * Give an element other children; those at both ends that are equal stay, and need no new layout.
 * @param {Element} element
 * @param {Node[]} nodes
 */
export function replaceChanged(element, nodes) {
  const old = [...element.childNodes],
    most = Math.min(old.length, nodes.length),
    isEqual = (/** @type {number} */ at) => old.at(at)?.isEqualNode(nodes.at(at) ?? null);
  let head = 0,
    tail = 0;
  while (head < most && isEqual(head)) head += 1;
  while (tail < most - head && isEqual(-1 - tail)) tail += 1;
  const next = old[old.length - tail] ?? null;
  for (const node of old.slice(head, old.length - tail)) node.remove();
  for (const node of nodes.slice(head, nodes.length - tail)) element.insertBefore(node, next);
}
/**
 * Hide or show: what is written again is styled again.
 * @param {HTMLElement} element
 * @param {boolean} hidden
 */
export function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}
/**
 * Give a class to one element and take it from those that have it.
 * @param {string} name
 * @param {Iterable<Element>} from
 * @param {Element | null | undefined} to
 */
export function moveClass(name, from, to) {
  for (const element of from) if (element !== to) element.classList.remove(name);
  to?.classList.add(name);
}

/**
 * From now on the page has the styles of a highlight: without them each text is styled faster.
 * @param {string} name
 */
export const prepareLight = name => document.documentElement.classList.add(`lights-${name}`);
/**
 * Light places of the texts; without any, nothing is lit.
 * @param {string} name of the highlight
 * @param {Range[]} ranges
 */
export function light(name, ranges) {
  if (ranges.length) {
    prepareLight(name);
    CSS.highlights?.set(name, new Highlight(...ranges));
  } else CSS.highlights?.delete(name);
}

/** A text with its {places} filled. @param {string} text @param {Record<string, any>} values */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

/** Scroll no farther than needed to show an element. @param {Element | null | undefined} element */
export const bringIntoView = element => element?.scrollIntoView({ block: 'nearest' });

/**
 * Languages are named in the reader's own; where that has no name, the English one stays.
 * @param {string} language
 */
export function nameLanguages(language) {
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'none' });
  for (const element of $$('[data-lang]')) {
    try {
      element.textContent = names.of(element.dataset.lang) ?? element.textContent;
    } catch {
      /* no such code */
    }
  }
}

/**
 * How days and hours are written on every page: in its language, English in one of its ways.
 * @param {Intl.DateTimeFormatOptions} how
 */
export function written(how) {
  const { lang } = document.documentElement;
  return new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { ...how, hourCycle: 'h23' });
}
