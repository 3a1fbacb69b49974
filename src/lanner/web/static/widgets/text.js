// Free text.
import { $ } from '../dom.js';

/** @param {Element} el @returns {string | null} */
export const read = el => $('textarea', el).value.trim() || null;

/** @param {Element} el @param {string | null} value */
export function write(el, value) {
  if (read(el) !== value) $('textarea', el).value = value ?? '';
}

/** A text is an answer letter by letter. */
export const typed = () => true;

/**
 * @param {Element} _
 * @param {string} value
 * @returns {Brief}
 */
export const brief = (_, value) => ({ note: value });
