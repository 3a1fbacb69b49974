// A set of labels, or labels with how often each applies. One label may stand alone.
import { $, $$ } from '../dom.js';
import { limitsOf, readNumber } from '../numbers.js';

const counted = el => el.dataset.display === 'counts',
  id = (el, f) => (counted(el) ? f.name.split('.').at(-1) : f.value);
const times = f =>
  f.type === 'checkbox' ? +f.checked : (readNumber(f.value, limitsOf(f)).value ?? 0);

export function read(el) {
  const given = $$('input', el)
    .map(f => [id(el, f), times(f)])
    .filter(([, n]) => n);
  return counted(el) ? Object.fromEntries(given) : given.map(([label]) => label);
}
export function write(el, value) {
  for (const f of $$('input', el)) {
    const n = Array.isArray(value) ? +value.includes(f.value) : (value?.[id(el, f)] ?? 0);
    if (f.type === 'checkbox') f.checked = n > 0;
    else f.value = n;
  }
}
/** The label that stands alone takes the others away, and any other takes it away; beyond the most,
 * a label is refused. */
export function allow(el, control) {
  const alone = el.dataset.exclusive,
    single = f => id(el, f) === alone;
  if (alone && times(control))
    for (const f of $$('input', el))
      if (single(f) !== single(control)) {
        if (f.type === 'checkbox') f.checked = false;
        else f.value = '0';
      }
  if (Object.keys(read(el)).length <= (+el.dataset.most || Infinity)) return true;
  if (control.type === 'checkbox') control.checked = false;
  else control.value = '0';
  return false;
}
export function press(el, b) {
  const f = b.dataset.add && $('input', b.parentElement);
  if (f) f.value = Math.max(0, Math.min(limitsOf(f).max, times(f) + +b.dataset.add));
  return !!f && allow(el, f);
}
export function brief(el, value) {
  const given = $$('input', el)
    .map(f => [f.dataset.name, Array.isArray(value) ? +value.includes(f.value) : value[id(el, f)]])
    .filter(([, n]) => n);
  return {
    short: String(given.reduce((sum, [, n]) => sum + n, 0)),
    long: given.map(([name, n]) => (n > 1 ? `${name} ×${n}` : name)).join(', '),
  };
}
