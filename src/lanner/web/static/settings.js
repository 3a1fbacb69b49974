// The reader's settings: colours, contrast, text size, keys, breaks. Kept on this device; the language is the server's.
const root = document.documentElement, SIZES = ['', 'l', 'xl', 's'];

export class Prefs {
  /** @param {() => Promise<any>} [before] what must be done before the page is loaded anew */
  constructor(before = async () => {}) {
    this.form = document.querySelector('#settings');
    this.before = before;
    this.form.addEventListener('change', e => this.changed(e.target));
    for (const f of this.form.elements) if (f.name && f.name !== 'language') this.show(f, this.get(f.name));
  }
  /** @param {string} name @returns {string} */
  get(name) { try { return localStorage.getItem('lanner-' + name) ?? ''; } catch { return root.dataset[name] ?? ''; } }
  /** @param {string} name @param {string} value */
  set(name, value) {
    if (value) root.dataset[name] = value; else delete root.dataset[name];
    try { if (value) localStorage.setItem('lanner-' + name, value); else localStorage.removeItem('lanner-' + name); } catch { /* for this page only */ }
    this.show(this.form.elements[name], value);
  }
  show(f, value) { if (f.type === 'checkbox') f.checked = (value === f.value) !== ('inverse' in f.dataset); else f.value = value; }
  changed(f) {
    if (f.name !== 'language') return this.set(f.name, f.type !== 'checkbox' ? f.value : f.checked !== ('inverse' in f.dataset) ? f.value : '');
    const url = new URL(location.href);
    url.searchParams.set('language', f.value);
    return void this.before().then(() => location.replace(url));
  }
  theme() {
    const dark = (root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
    this.set('theme', dark ? 'light' : 'dark');
  }
  size() { this.set('size', SIZES[(SIZES.indexOf(root.dataset.size ?? '') + 1) % SIZES.length]); }
}
