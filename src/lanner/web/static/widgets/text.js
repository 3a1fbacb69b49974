// Free text.
import { $ } from '../dom.js';

export const read = el => $('textarea', el).value.trim() || null;
export const write = (el, value) => {
  if (read(el) !== value) $('textarea', el).value = value ?? '';
};
export const typed = () => true;
export const brief = (_, value) => ({ note: value });
