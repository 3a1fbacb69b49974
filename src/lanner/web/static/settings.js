// The reader's settings: colours, contrast, text size, keys, breaks. Kept on this device; the
// language is the server's.
import { $ } from './dom.js';

const root = document.documentElement,
  SIZES = ['', 'l', 'xl', 's'],
  inverse = f => 'inverse' in f.dataset;

export class Prefs {
  /** @param {() => Promise<any>} [before] what must be done before the page is loaded anew */
  constructor(before = async () => {}) {
    this.form = $('#settings');
    this.form.addEventListener('change', ({ target: f }) => {
      if (f.name !== 'language')
        return this.set(f.name, f.type !== 'checkbox' || f.checked !== inverse(f) ? f.value : '');
      const url = new URL(location.href);
      url.searchParams.set('language', f.value);
      return void before().then(() => location.replace(url));
    });
    for (const { name } of this.form.elements)
      if (name && name !== 'language') this.show(name, this.get(name));
  }
  get(name) {
    try {
      return localStorage.getItem('lanner-' + name) ?? '';
    } catch {
      return root.dataset[name] ?? '';
    }
  }
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
  show(name, value) {
    const f = this.form.elements[name];
    if (f.type === 'checkbox') f.checked = (value === f.value) !== inverse(f);
    else f.value = value;
  }
  theme() {
    this.set(
      'theme',
      (root.dataset.theme ||
        (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
        ? 'light'
        : 'dark',
    );
  }
  size() {
    this.set('size', SIZES[(SIZES.indexOf(root.dataset.size ?? '') + 1) % SIZES.length]);
  }
}
