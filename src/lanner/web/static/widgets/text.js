// Free text.
const field = el => el.querySelector('textarea');
/** @param {HTMLElement} el @returns {string|null} */
export const read = el => field(el).value.trim() || null;
/** @param {HTMLElement} el @param {string|null} value */
export function write(el, value) { const f = field(el); if ((read(el) ?? '') !== (value ?? '')) f.value = value ?? ''; }
export const input = () => true;
/** @param {HTMLElement} _el @param {string} value */
export const brief = (_el, value) => ({ note: value });
