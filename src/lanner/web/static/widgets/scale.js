// A number between two ends: buttons, a list of labelled points, or a slider with a field.
import { $, $$ } from '../dom.js';
import { limitsOf, readNumber } from '../numbers.js';

/** @param {Element} el */
const field = el => $('[inputmode]', el);

/** @param {Element} el @returns {number | null} */
export function read(el) {
  const number = field(el),
    chosen = $(':checked', el);
  if (number) return readNumber(number.value, limitsOf(number)).value;
  return chosen ? +chosen.value : null;
}

/** @param {Element} el @param {number | null} value */
export function write(el, value) {
  const number = field(el);
  if (!number) {
    for (const radio of $$('input', el)) radio.checked = value != null && +radio.value === value;
    return;
  }
  const { min, max } = limitsOf(number),
    marks = $$('.marks button', el),
    lit = intervalOf(
      marks.map(mark => +mark.value),
      value,
    );
  const slider = $('[type=range]', el),
    place = String(value ?? (min + max) / 2);
  // what was refused reads as nothing, and is not to stand at the next sentence
  if (value == null || read(el) !== value) number.value = value ?? '';
  if (slider.value !== place) slider.value = place; // to write it again has it laid out again
  el.classList.toggle('unset', value == null);
  for (const mark of marks) mark.classList.toggle('lit', lit.includes(+mark.value));
  const share = (/** @type {number} */ point) => (point - min) / (max - min),
    track = $('.ticks', el);
  if (!track) return;
  for (const tick of $$('i:not([style])', track))
    tick.style.setProperty('--at', tick.dataset.share);
  const ends = { '--low': Math.min(...lit), '--high': Math.max(...lit) };
  for (const [name, end] of Object.entries(ends)) {
    const at = String(lit.length ? share(end) : 0);
    if (track.style.getPropertyValue(name) !== at) track.style.setProperty(name, at);
  }
}

/**
 * The described points that a value lies between: both ends of the interval, or the point itself.
 * @param {number[]} points
 * @param {number|null} value
 * @returns {number[]}
 */
export function intervalOf(points, value) {
  if (value == null || !points.length) return [];
  const below = points.filter(point => point <= value),
    above = points.filter(point => point >= value);
  const ends = [
    ...(below.length ? [Math.max(...below)] : []),
    ...(above.length ? [Math.min(...above)] : []),
  ];
  return [...new Set(ends)];
}

/**
 * The field follows the slider while it is moved; the answer is taken when it is let go.
 * @param {Element} el
 * @param {any} control
 */
export function typed(el, control) {
  if (control.type === 'range') {
    field(el).value = control.value;
    el.classList.remove('unset');
  }
  return false;
}

/**
 * Whether a button of the control changed the answer.
 * @param {Element} el
 * @param {HTMLButtonElement} button
 */
export function press(el, button) {
  const mark = button.closest('.marks');
  if (mark) field(el).value = button.value;
  return mark != null;
}

/**
 * @param {Element} _
 * @param {number} value
 * @returns {Brief}
 */
export const brief = (_, value) => ({ short: String(value) });
