// The drawer with definitions, guidelines, keys and settings; the search.
import { say } from './rail.js';

const $ = s => document.querySelector(s);

export class Help {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.drawer = $('#drawer');
    this.opener = null;
    document.addEventListener('click', e => { const b = e.target.closest('button[data-panel]'); if (b) this.toggle(b.dataset.panel); });
    $('#find')?.addEventListener('input', e => this.find(e.target.value));
    const names = typeof Intl.DisplayNames === 'function' ? new Intl.DisplayNames([app.data.language], { type: 'language', fallback: 'none' }) : null;
    for (const el of document.querySelectorAll('[data-lang]')) try { el.textContent = names?.of(el.dataset.lang) || el.textContent; } catch { /* no such code: the English name stays */ }
  }

  get panel() { return this.drawer.hidden ? '' : this.drawer.dataset.panel; }
  /** @param {string} name @param {boolean} [stay] */
  toggle(name, stay = false) {
    const shut = !stay && this.panel === name;
    if (!this.drawer.querySelector(`[data-of="${name}"]`)) return;
    if (this.drawer.hidden) this.opener = document.activeElement;
    this.drawer.hidden = shut;
    this.drawer.dataset.panel = name;
    for (const part of this.drawer.querySelectorAll('[data-of]')) part.hidden = part.dataset.of !== name;
    for (const b of document.querySelectorAll('button[data-panel]')) b.setAttribute('aria-expanded', String(!shut && b.dataset.panel === name));
    for (const here of this.drawer.querySelectorAll('.here')) here.classList.remove('here');
    if (shut) this.opener?.focus?.(); else if (!stay) { this.drawer.scrollTop = 0; if (name === 'settings') $('#settings select').focus(); else this.drawer.focus({ preventScroll: true }); }
    this.app.rows.all[this.app.row]?.el.scrollIntoView({ block: 'nearest' });
  }
  shut() { if (this.panel) this.toggle(this.panel); }

  /** Lift one definition; the same again closes the drawer. @param {string} id */
  define(id) {
    const entry = document.getElementById(id);
    if (!entry) return this.toggle('definitions');
    if (this.panel === 'definitions' && entry.classList.contains('here')) return this.shut();
    this.toggle('definitions', true);
    entry.classList.add('here');
    entry.scrollIntoView({ block: 'nearest' });
    return this.app.say(entry.textContent);
  }

  /** @param {string} text */
  find(text) {
    const wanted = text.trim().toLowerCase(), hits = [];
    if (wanted) for (const p of document.querySelectorAll('.block:not([hidden]) .row p:not(.mine)')) {
      const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
      for (let n = walk.nextNode(); n; n = walk.nextNode()) for (let at = n.data.toLowerCase().indexOf(wanted); at >= 0; at = n.data.toLowerCase().indexOf(wanted, at + 1)) {
        const range = document.createRange();
        range.setStart(n, at);
        range.setEnd(n, Math.min(n.data.length, at + wanted.length));
        hits.push(range);
      }
    }
    if (hits.length) this.app.rows.whole();
    this.hits = hits;
    $('#hits').textContent = wanted ? say(this.app.words, 'found', { n: hits.length }) : '';
    globalThis.CSS?.highlights?.set('found', new Highlight(...hits));
    hits[0]?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
  }
  /** Enter in the search field goes to the next row that has it. */
  found() {
    const at = (this.hits ?? []).map(h => +h.startContainer.parentElement.closest('.row').dataset.row), next = at.find(r => r > this.app.row) ?? at[0];
    if (next != null) this.app.go(next);
  }
}
