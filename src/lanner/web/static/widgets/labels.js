// A set of labels, or labels with how often each applies. One label may stand alone.
import { $, $$ } from '../dom.js';
import { limitsOf, readNumber } from '../numbers.js';

/** @param {any} el */
const isCounted = el => el.dataset.display === 'counts';

/**
 * The label a field stands for.
 * @param {any} el
 * @param {any} field
 * @returns {string}
 */
const labelOf = (el, field) => (isCounted(el) ? field.name.split('.').at(-1) : field.value);

/** How often a field says its label applies. @param {any} field @returns {number} */
const timesIn = field =>
  field.type === 'checkbox'
    ? +field.checked
    : (readNumber(field.value, limitsOf(field)).value ?? 0);

/** How often an answer says a label applies. @param {any} value @param {string} label */
const timesOf = (value, label) =>
  Array.isArray(value) ? +value.includes(label) : (value?.[label] ?? 0);

/** @param {any} field */
function clear(field) {
  if (field.type === 'checkbox') field.checked = false;
  else field.value = '0';
}

/** @param {any} el @returns {string[] | Record<string, number>} */
export function read(el) {
  const chosen = $$('input', el)
    .map(field => /** @type {const} */ ([labelOf(el, field), timesIn(field)]))
    .filter(([, times]) => times);
  return isCounted(el) ? Object.fromEntries(chosen) : chosen.map(([label]) => label);
}

/** @param {any} el @param {any} value */
export function write(el, value) {
  for (const field of $$('input', el)) {
    const times = timesOf(value, labelOf(el, field));
    if (field.type === 'checkbox') field.checked = times > 0;
    else field.value = times;
  }
}

/**
 * The label that stands alone takes the others away, and any other takes it away; beyond the most,
 * a label is refused.
 * @param {any} el
 * @param {any} control
 */
export function allow(el, control) {
  const alone = el.dataset.exclusive,
    standsAlone = (/** @type {any} */ field) => labelOf(el, field) === alone;
  if (alone && timesIn(control))
    for (const field of $$('input', el))
      if (standsAlone(field) !== standsAlone(control)) clear(field);
  if (Object.keys(read(el)).length <= (+el.dataset.most || Infinity)) return true;
  clear(control);
  return false;
}

/** @param {any} el @param {any} pressed */
export function press(el, pressed) {
  const step = +pressed.dataset.add,
    field = step && $('input', pressed.parentElement);
  if (!field) return false;
  field.value = Math.max(0, Math.min(limitsOf(field).max, timesIn(field) + step));
  return allow(el, field);
}

/**
 * @param {any} el
 * @param {any} value
 * @param {App} app
 * @returns {Brief}
 */
export function brief(el, value, { t }) {
  const chosen = $$('input', el)
    .map(field => ({ name: field.dataset.name, times: timesOf(value, labelOf(el, field)) }))
    .filter(({ times }) => times);
  return {
    short: String(chosen.reduce((sum, { times }) => sum + times, 0)),
    long: chosen
      .map(({ name, times }) => (times > 1 ? `${name} ×${times}` : name))
      .join(t('comma')),
  };
}
