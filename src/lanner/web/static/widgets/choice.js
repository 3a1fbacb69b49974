// Exactly one of several: a bar of buttons, a list of cards, or a menu.
import { $, $$ } from '../dom.js';

export const read = el => ($('select', el) ?? $(':checked', el))?.value || null;
export function write(el, value) {
  const menu = $('select', el);
  if (menu) menu.value = value ?? '';
  for (const radio of $$('input', el)) radio.checked = radio.value === value;
}
export function brief(el, value) {
  const { brief: short, name: long } =
    $$('input', el).find(radio => radio.value === value)?.dataset ?? {};
  return { short, long: long ?? value };
}
