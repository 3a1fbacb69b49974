// A count or a measure that is typed.
import { $ } from '../dom.js';

export const read = el => {
  const n = $('input', el).valueAsNumber;
  return Number.isNaN(n) ? null : n;
};
export const write = (el, value) => {
  if (read(el) !== value) $('input', el).value = value ?? '';
};
export const typed = (_, control) => control.checkValidity();
export const brief = (_, value) => ({ short: String(value) });
