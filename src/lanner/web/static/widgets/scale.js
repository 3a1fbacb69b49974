// A number between two ends: buttons, a list of labelled points, or a slider with a field beside it.
import { $, $$ } from '../dom.js';
import { limitsOf, readNumber } from '../numbers.js';

const field = el => $('[inputmode]', el);

export function read(el) {
  const number = field(el),
    chosen = $(':checked', el);
  if (number) return readNumber(number.value, limitsOf(number)).value;
  return chosen && +chosen.value;
}

export function write(el, value) {
  const number = field(el);
  if (!number) {
    for (const radio of $$('input', el)) radio.checked = value != null && +radio.value === value;
    return;
  }
  const { min, max } = limitsOf(number),
    marks = $$('.marks button', el),
    least = Math.min(...marks.map(mark => Math.abs(mark.value - value)));
  if (read(el) !== value) number.value = value ?? '';
  $('[type=range]', el).value = value ?? (min + max) / 2;
  el.classList.toggle('unset', value == null);
  for (const mark of marks)
    mark.classList.toggle('near', value != null && Math.abs(mark.value - value) === least);
}

/** The field follows the slider while it is moved; the answer is taken when it is let go. */
export function typed(el, control) {
  if (control.type === 'range') {
    field(el).value = control.value;
    el.classList.remove('unset');
  }
  return false;
}

/** Whether a button of the control changed the answer. */
export function press(el, button) {
  const mark = button.closest('.marks');
  if (mark) field(el).value = button.value;
  return mark != null;
}

export const brief = (_, value) => ({ short: String(value) });
