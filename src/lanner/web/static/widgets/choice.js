// Exactly one of several: a bar of buttons, a list of cards, or a menu.
/** @param {HTMLElement} el @returns {string|null} */
export const read = el => (el.querySelector('select') ?? el.querySelector(':checked'))?.value || null;
/** @param {HTMLElement} el @param {string|null} value */
export function write(el, value) {
  const menu = el.querySelector('select');
  if (menu) menu.value = value ?? '';
  else for (const radio of el.querySelectorAll('input')) radio.checked = radio.value === value;
}
/** @param {HTMLElement} el @param {string} value */
export function brief(el, value) {
  const radio = el.querySelector(`input[value="${CSS.escape(value)}"]`);
  return radio ? { short: radio.dataset.brief, long: radio.dataset.name } : {};
}
