// Marked stretches of text: marking.js does the marking; here is the list of marks beside the other
// questions.
import { canon } from '../digest.js';
import { $, afterFrame, button, create } from '../dom.js';
import { whenStill } from '../pointer.js';
import { isSuggested } from '../store.js';

/** @param {any} el @returns {Span[]} */
export const read = el => el.spans;

/**
 * @param {any} el
 * @param {Span[] | null} value
 * @param {App} app
 */
export function write(el, value, app) {
  const spans = value ?? [],
    before = /** @type {Span[]} */ (el.spans ?? []),
    isMore = el.item === app.item && canon(before) === canon(spans.slice(0, before.length));
  el.spans = spans;
  el.item = app.item;
  // a new mark is seen in the text first; what the list says already stays true meanwhile
  if (isMore && spans.length > before.length) afterFrame(() => whenStill(() => draw(el, app)));
  else draw(el, app);
}

/**
 * Draw the list of marks.
 * @param {any} el
 * @param {App} app
 */
function draw(el, app) {
  const list = $('.spans', el),
    spans = /** @type {Span[]} */ (el.spans);
  /** @type {Map<string, Element>} what is listed and has not changed stays as it was drawn */
  const listed = new Map([...list.children].map(item => [item.key, item]));
  const items = spans.map((span, id) => {
    const key = canon([id, span]);
    return listed.get(key) ?? Object.assign(entry(el, list, span, id, app), { key });
  });
  if (!items.length) items.push(listed.get('') ?? none(list));
  // a copy: the collection itself shrinks while it is walked, and every second one would stay
  for (const item of [...list.children]) if (!items.includes(item)) item.remove();
  items.forEach((item, n) => {
    if (list.children[n] !== item) list.insertBefore(item, list.children[n] ?? null);
  });
  // the newest is seen; two have room
  if (spans.length > Math.max(2, listed.size)) list.scrollTop = list.scrollHeight;
}

/** What stands where nothing is marked. @param {any} list */
const none = list => create('li', 'none', list.dataset.none, { key: '' });

/**
 * One mark in the list: what it says, its words, its remarks, and what can be done with it.
 * @param {any} el
 * @param {any} list
 * @param {Span} span
 * @param {number} id
 * @param {App} app
 */
function entry(el, list, span, id, { marking, rows, t, frozen }) {
  const item = create('li'),
    name = marking.marks.named(el, span),
    change = frozen ? create('span', 'btn') : button('btn', ''),
    swatch = `sw s${marking.marks.level(el, span)}${span.missing ? ' gone' : ''}`,
    { link } = span,
    end = link && rows.all.find(row => row.el.dataset.segment === link.segment);
  change.append(create('span', swatch), create('span', '', name));
  change.dataset.span = String(id);
  if (isSuggested(span)) change.append(create('em', 'suggested', list.dataset.suggested));
  item.append(
    change,
    create('bdi', '', span.text || t('nowhere')),
    create('small', '', end ? t('linked', { n: end.name }) : ''),
  );
  const remarks = [span.note, span.correction && `→ ${span.correction}`].filter(Boolean);
  if (remarks.length) item.append(create('p', 'remark', remarks.join(' '), { dir: 'auto' }));
  if (frozen) return item;
  if (isSuggested(span)) {
    const keep = button('btn icon', '✓');
    keep.dataset.keep = String(id);
    keep.ariaLabel = `${list.dataset.keep} ${name}: ${span.text ?? ''}`;
    item.append(keep);
  }
  const remark = button('btn icon', '✎');
  remark.dataset.remarks = String(id);
  remark.ariaLabel = `${list.dataset.remarks} ${name}: ${span.text ?? ''}`;
  const remove = button('btn icon', '×');
  remove.dataset.remove = String(id);
  remove.ariaLabel = `${list.dataset.remove} ${name}: ${span.text ?? ''}`;
  item.append(remark, remove);
  return item;
}

/**
 * Marks are seen in the text, not in the margin; where two answers are to be told apart they are
 * said.
 * @param {any} el
 * @param {Span[]} value
 * @returns {Brief}
 */
export const brief = (el, value) => ({
  spoken: app => value.map(span => inWords(el, span, app)).join(app.t('comma')),
});

/** @param {any} el @param {Span} span @param {App} app */
const inWords = (el, span, { marking, t }) =>
  `${span.text || t('nowhere')} (${marking.marks.named(el, span)})`;
