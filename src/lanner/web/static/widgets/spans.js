// Marked stretches of text. The marking itself is done in the texts (marking.js); here is the list beside the questions.
/** @param {HTMLElement} el @param {any[]|null} value @param {any} app */
export function write(el, value, app) { app?.marking?.list(el, value ?? []); }
/** @param {HTMLElement} el */
export const read = el => el.spans ?? [];
/** @param {HTMLElement} _el @param {any[]} value */
export const brief = (_el, value) => ({ spans: value });
