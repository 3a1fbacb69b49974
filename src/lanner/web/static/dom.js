// The few words in which the page is spoken to.
export const $ = (css, root = document) => root.querySelector(css);
export const $$ = (css, root = document) => [...root.querySelectorAll(css)];
/** An element with a class, a text and properties. */
export const made = (tag, className = '', textContent = '', more = {}) =>
  Object.assign(document.createElement(tag), { className, textContent, ...more });
/** A text with its {places} filled. @param {string} text @param {Record<string, any>} values @returns {string} */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
/** A button that is no part of a form. */
export const button = (className, textContent, onclick) =>
  made('button', className, textContent, { type: 'button', onclick });
export const near = el => el?.scrollIntoView({ block: 'nearest' });
