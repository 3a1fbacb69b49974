// The drawer with definitions, guidelines, keys and settings, and the search.
import { $, $$, nameLanguages, near } from './dom.js';

export class Help {
  constructor(app) {
    this.app = app;
    this.drawer = $('#drawer');
    this.hits = [];
    document.addEventListener('click', e => {
      const b = e.target.closest('button[data-panel]');
      if (b) this.toggle(b.dataset.panel);
    });
    $('#find')?.addEventListener('input', e => this.find(e.target.value.trim().toLowerCase()));
    nameLanguages(app.data.language);
  }

  get panel() {
    return this.drawer.hidden ? '' : this.drawer.dataset.panel;
  }
  toggle(name, stay = false) {
    const { drawer } = this,
      shut = !stay && this.panel === name;
    if (!$(`[data-of="${name}"]`, drawer)) return;
    if (drawer.hidden) this.opener = document.activeElement;
    drawer.hidden = shut;
    drawer.dataset.panel = name;
    for (const part of $$('[data-of]', drawer)) part.hidden = part.dataset.of !== name;
    for (const b of $$('button[data-panel]'))
      b.ariaExpanded = String(!shut && b.dataset.panel === name);
    for (const here of $$('.here', drawer)) here.classList.remove('here');
    if (shut) this.opener?.focus();
    else if (!stay) {
      drawer.scrollTop = 0;
      (name === 'settings' ? $('select', drawer) : drawer).focus({ preventScroll: true });
    }
    this.app.rows.settle();
  }
  shut() {
    if (this.panel) this.toggle(this.panel);
  }

  /** Lift one definition; the same again closes the drawer. */
  define(id) {
    const entry = document.getElementById(id);
    if (!entry) return this.toggle('definitions');
    if (this.panel === 'definitions' && entry.matches('.here')) return this.shut();
    this.toggle('definitions', true);
    entry.classList.add('here');
    near(entry);
    return this.app.say(entry.textContent);
  }

  find(wanted) {
    this.hits = [];
    if (wanted)
      for (const p of $$(
        '.block:not([hidden], [data-fixed]) .row p, .block:not([hidden]) .row:not([hidden]) p',
      ).filter(p => p.dataset.side)) {
        const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
        for (let n = walk.nextNode(); n; n = walk.nextNode())
          for (
            let at = n.data.toLowerCase().indexOf(wanted);
            at >= 0;
            at = n.data.toLowerCase().indexOf(wanted, at + 1)
          ) {
            const range = document.createRange();
            range.setStart(n, at);
            range.setEnd(n, Math.min(n.length, at + wanted.length));
            this.hits.push(range);
          }
      }
    if (this.hits.length) this.app.rows.whole();
    $('#hits').textContent = wanted && this.app.t('found', { n: this.hits.length });
    CSS.highlights?.set('found', new Highlight(...this.hits));
    near(this.hits[0]?.startContainer.parentElement);
  }
  /** Enter in the search field goes to the next row that has it. */
  found() {
    const at = this.hits.map(hit => +hit.startContainer.parentElement.closest('.row').dataset.row);
    if (at.length) this.app.go(at.find(row => row > this.app.row) ?? at[0]);
  }
}
