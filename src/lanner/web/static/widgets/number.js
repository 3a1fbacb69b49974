// A count or a measure that is typed.
/** @param {HTMLElement} el @returns {number|null} */
export function read(el) { const f = el.querySelector('input'); return f.value === '' || Number.isNaN(f.valueAsNumber) ? null : f.valueAsNumber; }
/** @param {HTMLElement} el @param {number|null} value */
export function write(el, value) { const f = el.querySelector('input'); if (read(el) !== value) f.value = value ?? ''; }
/** @param {HTMLElement} _el @param {HTMLInputElement} control */
export const input = (_el, control) => control.checkValidity();
/** @param {HTMLElement} _el @param {number} value */
export const brief = (_el, value) => ({ short: String(value) });
