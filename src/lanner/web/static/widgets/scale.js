// A number between two ends: buttons, a list of labelled points, or a slider with a field beside it.
const field = el => el.querySelector('input[type=number]'), slide = el => el.querySelector('input[type=range]');

/** @param {HTMLElement} el @returns {number|null} */
export function read(el) {
  const typed = field(el);
  if (!typed) return el.querySelector(':checked') ? Number(el.querySelector(':checked').value) : null;
  if (typed.value === '' || Number.isNaN(typed.valueAsNumber)) return null;
  const low = Number(typed.min), high = Number(typed.max), step = Number(typed.step) || 0;
  const value = Math.max(low, Math.min(high, typed.valueAsNumber));
  return step ? Number((low + Math.round((value - low) / step) * step).toFixed(6)) : value;
}

/** @param {HTMLElement} el @param {number|null} value */
export function write(el, value) {
  const typed = field(el);
  if (!typed) { for (const radio of el.querySelectorAll('input')) radio.checked = value != null && Number(radio.value) === value; return; }
  if (document.activeElement !== typed || read(el) !== value) typed.value = value ?? '';
  slide(el).value = value ?? (Number(typed.min) + Number(typed.max)) / 2;
  el.classList.toggle('unset', value == null);
  const marks = [...el.querySelectorAll('.marks button')], near = Math.min(...marks.map(b => Math.abs(b.value - value)));
  for (const mark of marks) mark.classList.toggle('near', value != null && Math.abs(mark.value - value) === near);
}

/** What a control that is being moved says before it is let go. @param {HTMLElement} el @param {HTMLInputElement} control */
export function input(el, control) {
  if (control.type === 'range') field(el).value = control.value;
  return control.type !== 'number' || (control.value !== '' && control.checkValidity());
}

/** @param {HTMLElement} el @param {HTMLButtonElement} button */
export function press(el, button) { if (!button.closest('.marks')) return false; field(el).value = button.value; return true; }

/** @param {HTMLElement} _el @param {number} value */
export const brief = (_el, value) => ({ short: String(value) });
