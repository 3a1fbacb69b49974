// The reader's settings: colours, contrast, text size, keys, breaks. Kept on this device; the
// language is the server's.
import { $, targetOf } from './dom.js';

const root = document.documentElement,
  SIZES = ['', 'l', 'xl', 's'];
/** Whether a tick means that something is not switched off. @param {any} field */
const isInverse = field => 'inverse' in field.dataset;

export class Prefs {
  /** @param {() => Promise<any>} [before] what must be done before the page is loaded anew */
  constructor(before = async () => {}) {
    this.form = $('#settings');
    this.form.addEventListener('change', (/** @type {Event} */ e) => {
      const field = targetOf(e);
      if (field.name !== 'language') {
        const chosen = field.type !== 'checkbox' || field.checked !== isInverse(field);
        return this.set(field.name, chosen ? field.value : '');
      }
      const url = new URL(location.href);
      url.searchParams.set('language', field.value);
      return void before().then(() => location.replace(url));
    });
    for (const { name } of this.form.elements)
      if (name && name !== 'language') this.show(name, this.get(name));
  }
  /** @param {string} name @returns {string} */
  get(name) {
    try {
      return localStorage.getItem('lanner-' + name) ?? '';
    } catch {
      return root.dataset[name] ?? '';
    }
  }
  /** @param {string} name @param {string} value */
  set(name, value) {
    if (value) root.dataset[name] = value;
    else delete root.dataset[name];
    try {
      localStorage.setItem('lanner-' + name, value);
    } catch {
      /* for this page only */
    }
    this.show(name, value);
  }
  /** @param {string} name @param {string} value */
  show(name, value) {
    const field = this.form.elements[name];
    if (field.type === 'checkbox') field.checked = (value === field.value) !== isInverse(field);
    else field.value = value;
  }
  /** From light to dark and back. */
  theme() {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
      now = root.dataset.theme || system;
    this.set('theme', now === 'dark' ? 'light' : 'dark');
  }
  /** The next size of the text. */
  size() {
    this.set('size', SIZES[(SIZES.indexOf(root.dataset.size ?? '') + 1) % SIZES.length]);
  }
}
