// Between the answers of this page and the outbox: when something is sent, what came back, what another page did.
import { Outbox } from './outbox.js';
import { say } from './rail.js';
import { alone, send } from './sending.js';
import { canon } from './store.js';

const PAUSE = 700;

export class Saving {
  /** @param {any} app @param {import('./db.js').Db} db */
  constructor(app, db) {
    const { task, who } = app.data;
    this.app = app;
    this.db = db;
    this.url = location.pathname.replace(/\/$/, '') + '/answers';
    this.place = `lanner-row-${who}-${task}`;
    this.timer = 0;
    this.hidden = 0;
    this.opened = this.done = false;
    this.outbox = new Outbox({ db, who, send, alone, status: s => this.status(s), stored: (s, a) => this.stored(s, a), rejected: (s, errors) => this.rejected(s, errors),
      full: () => this.app.note('storage', say(app.words, 'full'), [['×', () => {}]]) });
    this.channel = new BroadcastChannel('lanner-' + who);
    this.channel.onmessage = ({ data }) => { if (data.task === task) for (const [q, entry] of Object.entries(data.saved)) this.elsewhere(data.item, q, entry); };
  }

  /** Bring back what an earlier visit left on this device. */
  async start() {
    const { app, outbox } = this, { task, who } = app.data, { items } = app.store;
    const { waiting, drafts } = await outbox.load(task);
    for (const { item, body } of waiting) for (const [q, v] of Object.entries(body.answers)) { items[item].answers[q] = v; items[item].stored[q] = canon(v); }
    for (const { item, question, value, base } of drafts) if (items[item] && !app.frozen) {
      items[item].answers[question] = value;
      if (base !== (items[item].base[question] ?? null)) items[item].base[question] = base;
    }
    for (const [key, spent] of await this.db.all('times', `${who}/${task}/`)) {
      const item = items[+key.split('/')[2]];
      for (const k of ['elapsed', 'active']) if (item) item[k] = Math.max(item[k], spent[k]);
    }
    for (const i of new Set(drafts.map(d => d.item))) void this.flush(i);
    if (!this.db.lasting) app.note('storage', say(app.words, 'direct'), [['×', () => {}]]);
    addEventListener('online', () => outbox.kick());
    addEventListener('pagehide', () => void this.flush(app.item));
    addEventListener('beforeunload', e => { if (!this.db.lasting && !this.done && (outbox.waiting || this.timer)) e.preventDefault(); });
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) { this.hidden = Date.now(); void this.flush(app.item); } else { outbox.kick(); if (Date.now() - this.hidden > 30000) void this.compare(); }
    });
    if (outbox.waiting) outbox.kick();
  }

  /** Time spent goes to the item that is open. @param {number} i */
  spend(i) {
    const taken = this.app.clock.take(), item = this.app.store.items[i];
    item.elapsed += taken.elapsed;
    item.active += taken.active;
    return taken;
  }

  /** An answer changed: keep it here now, send it after a pause. @param {number} i */
  changed(i) {
    const { store, data } = this.app, { answers, base, stored } = store.items[i];
    for (const [q, v] of Object.entries(answers)) if (canon(v) !== (stored[q] ?? 'null') || (v == null && stored[q])) void this.outbox.draft(data.task, i, q, v ?? null, base[q] ?? null);
    this.outbox.tell('saving');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(i), this.db.lasting ? PAUSE : 0);
  }

  /** @param {number} i */
  leave(i) { this.spend(i); if (this.timer) void this.flush(i); }

  /** Close what is ready and hand it to the outbox. @param {number} i */
  async flush(i) {
    const { store, data, frozen } = this.app, item = store.items[i];
    clearTimeout(this.timer);
    this.timer = 0;
    if (frozen) return;
    this.spend(i);
    const spent = { elapsed: round(item.elapsed), active: round(item.active) }, answers = store.unsent(i), names = Object.keys(answers);
    void this.outbox.kept(() => this.db.put('times', `${data.who}/${data.task}/${i}`, spent));
    if (!names.length) { if (!this.outbox.waiting && document.querySelector('#saved').dataset.state === 'saving') this.outbox.tell('kept'); return; }
    for (const q of names) item.stored[q] = canon(answers[q]);
    await this.outbox.seal(this.url, data.task, i, structuredClone(answers), Object.fromEntries(names.map(q => [q, item.base[q] ?? null])), spent);
  }

  /** Everything on its way has arrived. @returns {Promise<boolean>} */
  async settled() {
    for (const i of this.app.states.keys()) await this.flush(i);
    for (let n = 0; n < 60 && this.outbox.waiting && !this.outbox.tries && !this.outbox.stopped; n++) await new Promise(ok => setTimeout(ok, 50));
    return !this.outbox.waiting;
  }

  stored(sealed, answer) {
    const { app } = this;
    if (sealed.task !== app.data.task) return;
    const item = app.store.items[sealed.item], saved = {};
    for (const [q, id] of Object.entries(answer.saved ?? {})) {
      item.base[q] = id;
      if (q in sealed.body.answers) saved[q] = { id, value: sealed.body.answers[q] }; else item.stored[q] = 'null';   // no longer asked
    }
    this.channel.postMessage({ task: sealed.task, item: sealed.item, saved });
    if (answer.explanation) { item.explanation = answer.explanation; if (sealed.item === app.item) app.show(); }
    for (const conflict of answer.conflicts ?? []) this.conflict(sealed, conflict);
  }

  /** Another page or device answered the same question: both are in the record, the judge says which one holds. */
  conflict(sealed, { question, value }) {
    const { app } = this, ask = app.rail.asks.find(x => x.q.id === question), item = app.store.items[sealed.item], mine = sealed.body.answers[question];
    if (!ask || canon(value) === canon(mine)) return;
    const row = app.rows.all[app.rows.of(sealed.item)], name = ask.el.dataset.short, n = row?.num.querySelector('b').textContent;
    const take = () => { if (app.item !== sealed.item) app.go(app.rows.of(sealed.item)); app.answer(question, standing(value)); };
    const text = app.rows.all.length > 1 ? say(app.words, 'conflict', { name, n }) : say(app.words, 'conflict_document', { name });
    app.note(`conflict-${sealed.item}-${question}`, `${text} ${say(app.words, 'both_kept')}`, [
      [say(app.words, 'mine', { value: this.spoken(ask, mine) }), () => {}], [say(app.words, 'theirs', { value: this.spoken(ask, value) }), take]]);
  }
  spoken(ask, value) {
    if (value == null) return '–';
    const brief = ask.q.each ? {} : ask.kind.brief(ask.el, value), text = brief.long ?? brief.short ?? brief.badge ?? brief.note;
    return text ?? (Array.isArray(value) ? String(value.length) : Object.entries(value).filter(([k, v]) => v !== ask.q.preset?.[k]).map(([k, v]) => `${ask.el.querySelector(`[data-line="${k}"] legend`)?.textContent ?? k} ${v}`).join(', '));
  }

  /** An answer given on another page: taken over unless this page has one of its own on the way. */
  elsewhere(i, q, { id, value }) {
    const item = this.app.store.items[i], mine = item.answers[q] ?? null;
    const busy = canon(mine) !== (item.stored[q] ?? 'null') || this.outbox.queue.some(s => s.task === this.app.data.task && s.item === i && q in s.body.answers);
    if (busy || item.base[q] === id) return;
    item.answers[q] = standing(value);
    item.base[q] = id;
    item.stored[q] = canon(item.answers[q]);
    this.app.refresh(i);
  }
  async compare() {
    const answer = await send(this.url).catch(() => null);
    if (answer?.status === 200) answer.body.items.forEach((saved, i) => { for (const [q, entry] of Object.entries(saved)) this.elsewhere(i, q, entry); });
  }

  rejected(sealed, errors) {
    if (sealed.task !== this.app.data.task) return;
    for (const { question, message } of errors) {
      const ask = this.app.rail.asks.find(x => x.q.id === question), text = say(this.app.words, 'not_allowed', { message });
      if (ask && sealed.item === this.app.item) this.app.rail.hint(ask, sealed.item, text);
      this.app.note(`rejected-${sealed.item}-${question}`, text, [['×', () => {}]]);
    }
  }

  /** @param {import('./outbox.js').Status} s */
  status({ state, waiting, message }) {
    if (state === 'saved' && this.timer) return;   // something newer is about to be sent
    const el = document.querySelector('#saved'), { words, data } = this.app, time = new Date().toLocaleTimeString(data.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    el.dataset.state = state;
    el.textContent = say(words, state === 'offline' && !this.db.lasting ? 'unsaved' : state === 'refused' || state === 'signin' ? 'unsaved' : state, { n: waiting, time });
    if (state === 'signin') this.app.note('signin', say(words, 'signin', { n: waiting }), [['↻', () => this.outbox.kick()]]);
    else if (state === 'refused') this.app.note('refused', say(words, 'refused', { message }), [['↻', () => this.outbox.kick()]]);
    else if (state === 'saved') for (const id of ['signin', 'refused']) this.app.note(id, '', []);
  }

  /** @param {number} row */
  remember(row) {
    const url = new URL(location.href);
    url.searchParams.set('row', String(row));
    try { history.replaceState(null, '', url); localStorage.setItem(this.place, String(row)); } catch { /* too often, or storage blocked: the server's own choice of row applies */ }
  }
  lastRow() { try { return localStorage.getItem(this.place) ?? 0; } catch { return 0; } }
}

/** Without the suggested marks that were removed. @param {any} value */
const standing = value => Array.isArray(value) ? value.filter(s => s?.origin !== 'removed') : value;
/** @param {number} s */
const round = s => Math.round(s * 10) / 10;
