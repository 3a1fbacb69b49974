// The judging page: one current row, its questions, and what happens when they are answered.
import { Clock } from './clock.js';
import { open } from './db.js';
import { Help } from './help.js';
import { listen } from './keys.js';
import { Marking } from './marking.js';
import { Rail, say } from './rail.js';
import { Rows, made } from './rows.js';
import { Saving } from './saving.js';
import { Prefs } from './settings.js';
import { Store, canon } from './store.js';

const $ = s => document.querySelector(s);
const data = JSON.parse($('#data').textContent), form = $('#questions');

class App {
  constructor() {
    this.data = data;
    this.words = data.words;
    this.frozen = data.finished;
    this.row = -1;
    this.item = 0;
    this.rail = new Rail(form, this);
    this.rows = new Rows(this);
    this.store = new Store(this.rail.asks.map(x => x.q), data.items.map(i => ({
      answers: Object.fromEntries(Object.entries(i.saved).map(([q, s]) => [q, s.value])), base: Object.fromEntries(Object.entries(i.saved).map(([q, s]) => [q, s.id])),
      stored: Object.fromEntries(Object.entries(i.saved).map(([q, s]) => [q, canon(s.value)])), earlier: i.earlier, prefilled: i.prefilled,
      elapsed: i.elapsed, active: i.active, explanation: i.explanation })));
    /** @type {string[]} */
    this.states = data.items.map(() => '');
    this.help = new Help(this);
    this.prefs = new Prefs(() => this.saving.flush(this.item));
    this.marking = new Marking(this);
    this.clock = new Clock(data.idle * 1000);
    this.worked = data.minutesToday * 60;
    this.sitting = 0;
    listen(this);
    form.addEventListener('submit', e => { e.preventDefault(); this.accept(); });
    $('#finish').addEventListener('submit', e => { e.preventDefault(); void this.finish(); });
    document.addEventListener('click', e => this.act(e.target.closest('[data-act], [data-go]'), e));
  }

  async start() {
    this.saving = new Saving(this, await open());
    await this.saving.start();
    for (const i of this.states.keys()) this.refresh(i, false);
    const kept = Number(new URLSearchParams(location.search).get('row') ?? this.saving.lastRow()) - 1;
    const given = this.rows.all.findIndex(r => r.el.classList.contains('is-active'));
    this.go(this.rows.all[kept]?.item != null ? kept : given, false);
    this.rows.all[this.row]?.el.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    this.footer();
    this.time();
    document.documentElement.dataset.ready = '';
  }

  /** @param {string} text */
  say(text) { $('#say').textContent = text; }
  /** A line above the page that stays until it is answered. @param {string} id @param {string} text @param {[string, () => void][]} acts */
  note(id, text, acts) {
    const note = made('p', 'note'), words = made('span', '', text);
    note.id = 'note-' + id;
    note.setAttribute('role', 'alert');
    note.append(words, ...acts.map(([label, act]) => { const b = made('button', 'btn line small', label); b.type = 'button'; b.onclick = () => { note.remove(); act(); }; return b; }));
    $('#' + note.id)?.remove();
    if (text) $('#notes').append(note);
  }

  /** Open a row. @param {number} at @param {boolean} [scroll] */
  go(at, scroll = true) {
    const row = this.rows.all[at];
    if (at >= 0 && row?.item == null) return;
    if (this.row >= 0 || this.saving.opened) this.saving.leave(this.item);
    this.saving.opened = true;
    if (row) {
      this.marking.close();
      this.rows.activate(at, scroll);
      this.row = at;
      this.item = /** @type {number} */ (row.item);
      const number = row.num.textContent.match(/\d+/)?.[0], heading = $('#heading');
      if (row.el.dataset.item != null) heading.textContent = heading.dataset.words.replace('{n}', number);
      this.saving.remember(at + 1);
    }
    this.show();
    this.rail.rest();
  }
  step(by) { const at = this.rows.next(this.row, by); if (at >= 0) this.go(at); }

  show() {
    this.rail.show(this.item);
    const why = this.store.items[this.item].explanation, box = $('#explanation');
    box.hidden = !why;
    box.querySelector('p').textContent = why;
  }

  /** Bring everything that shows an item up to date. @param {number} i @param {boolean} [footer] */
  refresh(i, footer = true) {
    const state = this.store.state(i);
    this.states[i] = state;
    this.rows.mark(i, state);
    this.marking.paint(i);
    if (i === this.item && footer) this.show();
    if (footer) this.footer();
  }

  /** @param {string} id @param {any} value @param {boolean} [typed] */
  answer(id, value, typed = false) {
    if (this.frozen) return;
    this.store.set(this.item, id, value, typed);
    this.saving.changed(this.item);
    this.refresh(this.item);
  }

  undo() {
    const i = this.frozen ? -1 : this.store.undo();
    if (i < 0) return this.say(say(this.words, 'nothing_undo'));
    if (i !== this.item) this.go(this.rows.of(i));
    this.saving.changed(i);
    this.refresh(i);
    this.rail.rest();
    return this.say(say(this.words, 'undone'));
  }

  /** Go on if the row is complete; else to what is missing. */
  accept() {
    if (this.frozen) return this.step(1);
    const gap = this.rail.gap();
    if (gap) {
      this.rail.tried.add(this.item);
      this.show();
      this.rail.arm(gap.el);
      this.footer();
      return this.say(`${$('#heading').textContent}: ${gap.el.querySelector('.hint')?.textContent || say(this.words, 'something')}`);
    }
    this.store.touch(this.item);
    this.saving.changed(this.item);
    this.refresh(this.item);
    void this.saving.flush(this.item);
    if (!this.rows.all.length) return void this.finish();
    const n = this.states.length, next = this.states.map((_, k) => (this.item + 1 + k) % n).find(i => this.states[i] !== 'done');
    if (next == null) return this.say(say(this.words, 'complete'));
    this.go(this.rows.of(next));
    return this.rows.all[this.row].num.focus({ preventScroll: true });
  }

  async finish() {
    const open = this.states.findIndex((state, i) => state !== 'done' && (state || this.store.questions.some(q => q.required) || !this.store.started(i)));
    if (open >= 0) { if (this.rows.all.length) this.go(this.rows.of(open)); return this.accept(); }
    if (await this.saving.settled()) { this.saving.done = true; $('#finish').submit(); } else this.note('finish', say(this.words, 'wait_finish'), [['×', () => {}]]);
    return undefined;
  }

  /** The foot of the questions: what is still missing, in words, with the way there. */
  footer() {
    const left = $('#left'), { words, states, store } = this, done = $('#done');
    if (this.frozen) return;
    const n = states.filter(s => s === 'done').length, part = states.flatMap((s, i) => s === 'partial' || (s === '' && this.rail.tried.has(i)) ? [i] : []);
    const fresh = states.length - n - part.length;
    if (done) { done.textContent = done.dataset.words.replace('{done}', n).replace('{all}', states.length); $('#docbar').value = n; }
    $('#finish-button')?.classList.toggle('primary', n === states.length);
    const links = part.map(i => {
      const what = store.missing(i).map(q => this.rail.asks.find(x => x.q === q)?.el.dataset.short).join(', ');
      const b = made('button', 'link', states.length > 1 ? say(words, 'missing_row', { n: this.rows.all[this.rows.of(i)]?.num.querySelector('b').textContent, what }) : what);
      b.type = 'button';
      b.onclick = () => { if (this.rows.all.length) this.go(this.rows.of(i)); this.accept(); };
      return b;
    });
    const parts = links.length ? [say(words, 'missing') + ' ', ...links.flatMap((b, k) => k ? [' ', b] : [b])] : [];
    if (fresh && states.length > 1) parts.push((links.length ? ' · ' : '') + say(words, 'not_started', { n: fresh }));
    left.replaceChildren(...(n === states.length ? [say(words, 'complete')] : parts));
  }

  /** The sheet of questions on a small screen. @param {boolean} [open] */
  sheet(open = $('.work').classList.contains('shut')) {
    $('.work').classList.toggle('shut', !open);
    $('.sheet')?.setAttribute('aria-expanded', String(open));
  }

  act(el, e) {
    if (!el || el.closest('.more')) return;
    const acts = { undo: () => this.undo(), close: () => this.help.shut(), sheet: () => this.sheet(), theme: () => this.prefs.theme(), size: () => { this.prefs.size(); this.rows.all[this.row]?.el.scrollIntoView({ block: 'nearest' }); } };
    if (el.dataset.go) { e.preventDefault(); this.step(+el.dataset.go); } else acts[el.dataset.act]?.();
  }

  /** Minutes worked, and a word about breaks. */
  time() {
    for (const sign of ['keydown', 'pointermove', 'pointerdown', 'wheel', 'scroll']) addEventListener(sign, () => this.clock.touch(), { passive: true, capture: true });
    document.addEventListener('visibilitychange', () => this.clock.show(!document.hidden));
    const mins = $('#mins');
    setInterval(() => {
      const { active } = this.saving.spend(this.item);
      this.worked += active;
      this.sitting = active ? this.sitting + active : Math.max(0, this.sitting - 10);
      if (mins) mins.textContent = mins.dataset.words.replace('{n}', Math.floor(this.worked / 60));
      if (data.breakAfter && this.sitting > data.breakAfter * 60 && this.prefs.get('breaks') !== 'off') {
        this.note('break', say(this.words, 'break', { n: Math.floor(this.sitting / 60) }), [[say(this.words, 'break_ok'), () => {}], [say(this.words, 'break_off'), () => this.prefs.set('breaks', 'off')]]);
        this.sitting = 0;
      }
    }, 5000);
  }
}

void new App().start();
