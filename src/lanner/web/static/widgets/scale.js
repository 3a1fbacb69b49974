// A number between two ends: buttons, a list of labelled points, or a slider with a field beside it.
import { $, $$ } from '../dom.js';

const field = el => $('[type=number]', el);

export function read(el) {
  const f = field(el),
    chosen = $(':checked', el);
  if (!f) return chosen && +chosen.value;
  if (Number.isNaN(f.valueAsNumber)) return null;
  const step = +f.step || 1e-6,
    value = Math.max(+f.min, Math.min(+f.max, f.valueAsNumber));
  return +(+f.min + Math.round((value - +f.min) / step) * step).toFixed(6);
}
export function write(el, value) {
  const f = field(el),
    marks = $$('.marks button', el),
    least = Math.min(...marks.map(b => Math.abs(b.value - value)));
  if (!f)
    return $$('input', el).forEach(radio => {
      radio.checked = value != null && +radio.value === value;
    });
  if (document.activeElement !== f || read(el) !== value) f.value = value ?? '';
  $('[type=range]', el).value = value ?? (+f.min + +f.max) / 2;
  el.classList.toggle('unset', value == null);
  for (const b of marks)
    b.classList.toggle('near', value != null && Math.abs(b.value - value) === least);
  return undefined;
}
/** Whether what is being typed or moved is an answer already. */
export function typed(el, control) {
  if (control.type === 'range') {
    field(el).value = control.value;
    el.classList.remove('unset');
  }
  return control.type === 'number' && control.value !== '' && control.checkValidity();
}
/** Whether a button of the control changed the answer. */
export function press(el, b) {
  if (b.closest('.marks')) field(el).value = b.value;
  return !!b.closest('.marks');
}
export const brief = (_, value) => ({ short: String(value) });
