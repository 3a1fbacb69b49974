// An order of the texts shown, 1 best. Two texts are three buttons; more are a line each.
import { $, $$ } from '../dom.js';

const lines = el => $$('[data-line]', el),
  chosen = el => $(':checked', el)?.value;

export function read(el) {
  const ranks = lines(el).map(line => +chosen(line) || 0);
  return ranks.length
    ? ranks.some(Boolean)
      ? ranks
      : null
    : (chosen(el)?.split(',').map(Number) ?? null);
}
export function write(el, value) {
  if (!lines(el).length)
    $$('input', el).forEach(radio => {
      radio.checked = radio.value === String(value);
    });
  lines(el).forEach((line, n) => {
    for (const radio of $$('input', line)) radio.checked = +radio.value === value?.[n];
  });
}
export function brief(el, value) {
  const { brief: badge = value.join(' '), name: long } = $(`[value="${value}"]`, el)?.dataset ?? {},
    top = Math.min(...value),
    best = value.flatMap((rank, n) => (rank === top ? [n] : []));
  return { badge, long, best: best.length < value.length ? best : [] };
}
