// A count or a measure that is typed.
import { $ } from '../dom.js';
import { limitsOf, readNumber } from '../numbers.js';

/** @param {Element} el */
const field = el => $('[inputmode]', el);

/** @param {Element} el */
export const read = el => readNumber(field(el).value, limitsOf(field(el))).value;

/** @param {Element} el @param {number | null} value */
export function write(el, value) {
  // what was refused reads as nothing, and is not to stand at the next sentence
  if (value == null || read(el) !== value) field(el).value = value ?? '';
}

/**
 * @param {Element} _
 * @param {number} value
 * @returns {Brief}
 */
export const brief = (_, value) => ({ short: String(value) });
