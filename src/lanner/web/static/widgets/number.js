// A count or a measure that is typed.
import { $ } from '../dom.js';
import { limitsOf, readNumber } from '../numbers.js';

const field = el => $('[inputmode]', el);

export const read = el => readNumber(field(el).value, limitsOf(field(el))).value;
export function write(el, value) {
  if (read(el) !== value) field(el).value = value ?? '';
}
export const brief = (_, value) => ({ short: String(value) });
