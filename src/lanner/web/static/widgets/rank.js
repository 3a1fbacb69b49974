// An order of the texts shown, 1 best. Two texts are three buttons; more are a line each.
import { $, $$ } from '../dom.js';

/** @param {Element} el */
const lines = el => $$('[data-line]', el);
/** @param {Element} el @returns {string | undefined} */
const chosen = el => $(':checked', el)?.value;

/** @param {Element} el @returns {number[] | null} */
export function read(el) {
  if (!lines(el).length) return chosen(el)?.split(',').map(Number) ?? null;
  const ranks = lines(el).map(line => Number(chosen(line) ?? 0));
  return ranks.some(Boolean) ? ranks : null;
}

/**
 * Where no two may share a place, the one that had it gives it up.
 * @param {any} el
 * @param {any} control
 */
export function allow(el, control) {
  if (+el.dataset.most === 1)
    for (const radio of $$('input:checked', el))
      if (radio !== control && radio.value === control.value) radio.checked = false;
  return true;
}

/** @param {Element} el @param {number[] | null} value */
export function write(el, value) {
  if (!lines(el).length)
    for (const radio of $$('input', el)) radio.checked = radio.value === String(value);
  for (const [n, line] of lines(el).entries())
    for (const radio of $$('input', line)) radio.checked = +radio.value === value?.[n];
}

/**
 * While some have no place yet, none is shown as the best.
 * @param {Element} el
 * @param {number[]} value
 * @returns {Brief}
 */
export function brief(el, value) {
  const places = value.map(rank => rank || '–').join(' '),
    { brief: badge = places, name: long } = $(`[value="${value}"]`, el)?.dataset ?? {};
  const top = Math.min(...value),
    best = value.flatMap((rank, n) => (rank === top ? [n] : []));
  return { badge, long, best: top > 0 && best.length < value.length ? best : [] };
}
