// The few words in which the page is spoken to.
/** @param {string} css @param {ParentNode} [root] @returns {any} */
export const $ = (css, root = document) => root.querySelector(css);
/** @param {string} css @param {ParentNode} [root] @returns {any[]} */
export const $$ = (css, root = document) => [...root.querySelectorAll(css)];
/** An element with a class, a text and properties. */
export const made = (tag, className = '', textContent = '', more = {}) =>
  Object.assign(document.createElement(tag), { className, textContent, ...more });
/** A text with its {places} filled. @param {string} text @param {Record<string, any>} values
 * @returns {string} */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
/** A button that is no part of a form. */
export const button = (className, textContent, onclick) =>
  made('button', className, textContent, { type: 'button', onclick });
export const near = el => el?.scrollIntoView({ block: 'nearest' });
/** Languages are named in the reader's own; where that has no name, the English one stays. @param
 * {string} language */
export function nameLanguages(language) {
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'none' });
  for (const el of $$('[data-lang]')) {
    try {
      el.textContent = names.of(el.dataset.lang) ?? el.textContent;
    } catch {
      /* no such code */
    }
  }
}
