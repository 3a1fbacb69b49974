// An order of the texts shown, 1 best. Two texts are three buttons; more are a line each.
const lines = el => [...el.querySelectorAll('[data-line]')], chosen = el => el.querySelector(':checked')?.value;

/** @param {HTMLElement} el @returns {number[]|null} */
export function read(el) {
  if (!lines(el).length) return chosen(el)?.split(',').map(Number) ?? null;
  const ranks = lines(el).map(line => +chosen(line) || 0);
  return ranks.some(Boolean) ? ranks : null;
}
/** @param {HTMLElement} el @param {number[]|null} value */
export function write(el, value) {
  if (!lines(el).length) for (const radio of el.querySelectorAll('input')) radio.checked = radio.value === String(value);
  lines(el).forEach((line, n) => line.querySelectorAll('input').forEach(radio => { radio.checked = +radio.value === value?.[n]; }));
}
/** @param {HTMLElement} el @param {number[]} value */
export function brief(el, value) {
  const low = Math.min(...value), best = value.flatMap((rank, n) => rank === low ? [n] : []), radio = el.querySelector(`input[value="${value}"]`);
  return { badge: radio?.dataset.brief ?? value.join(' '), long: radio?.dataset.name, best: best.length < value.length ? best : [] };
}
