// Exactly one of several: a bar of buttons, a list of cards, or a menu.
import { $, $$ } from '../dom.js';

/** @param {Element} el @returns {string | null} */
export const read = el => ($('select', el) ?? $(':checked', el))?.value || null;

/** @param {Element} el @param {string | null} [value] */
export function write(el, value) {
  const menu = $('select', el);
  if (menu) menu.value = value ?? '';
  for (const radio of $$('input', el)) radio.checked = radio.value === value;
}

/**
 * @param {Element} el
 * @param {string} value
 * @returns {Brief}
 */
export function brief(el, value) {
  const option = $$('input', el).find(radio => radio.value === value);
  const { brief: short, name: long } = option?.dataset ?? {};
  return { short, long: long ?? value };
}
