// Between the answers of this page and the outbox: when something is sent, what came back, what another page did.
import { $ } from './dom.js';
import { Outbox } from './outbox.js';
import { alone, send } from './sending.js';
import { canon } from './store.js';

const PAUSE = 700, AWAY = 30000, round = s => Math.round(s * 10) / 10;
/** Without the suggested marks that were removed. */
const standing = v => Array.isArray(v) ? v.filter(s => s?.origin !== 'removed') : v;

export class Saving {
  constructor(app, db) {
    const { task, who } = app.data;
    this.app = app;
    this.db = db;
    this.task = task;
    this.url = location.pathname.replace(/\/$/, '') + '/answers';
    this.key = `${who}/${task}/`;
    this.timer = this.hidden = this.noting = this.row = 0;
    this.done = false;
    this.outbox = new Outbox({ db, who, send, alone, status: (...told) => this.status(...told), stored: (...told) => this.stored(...told), rejected: (...told) => this.rejected(...told), full: () => app.note('storage', app.t('full')) });
    this.clock = new Intl.DateTimeFormat(app.data.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    this.channel = new BroadcastChannel('lanner-' + who);
    this.channel.onmessage = ({ data }) => { if (data.task === task) for (const q in data.saved) this.elsewhere(data.item, q, data.saved[q]); };
  }

  /** Bring back what an earlier visit left on this device. */
  async start() {
    const { app, outbox, db } = this, { items } = app.store, { waiting, drafts } = await outbox.load(this.task);
    for (const { item, body } of waiting) for (const q in body.answers) { items[item].answers[q] = body.answers[q]; items[item].stored[q] = canon(body.answers[q]); }
    if (!app.frozen) for (const { item, question, value, base } of drafts) { items[item].answers[question] = value; items[item].base[question] = base; }
    for (const [key, spent] of await db.all('times', this.key)) for (const k in spent) items[key.slice(this.key.length)][k] = Math.max(spent[k], items[key.slice(this.key.length)][k]);
    for (const { item } of drafts) void this.flush(item);
    if (!db.lasting) app.note('storage', app.t('direct'));
    addEventListener('online', () => outbox.kick());
    addEventListener('pagehide', () => { this.bookmark(); void this.flush(app.item); outbox.part(); });
    addEventListener('beforeunload', e => { if (!db.lasting && !this.done && (outbox.waiting || this.timer)) e.preventDefault(); });
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) { this.hidden = Date.now(); return void this.flush(app.item); }
      outbox.kick();
      return void (Date.now() - this.hidden > AWAY && this.compare());
    });
    if (outbox.waiting) outbox.kick();
  }

  /** Time spent goes to the item that is open. */
  spend(i) {
    const { elapsed, active } = this.app.clock.take(), item = this.app.store.items[i];
    item.elapsed += elapsed;
    item.active += active;
    return active;
  }
  /** An answer changed: keep it here now, send it after a pause. */
  changed(i) {
    const { answers, base, stored } = this.app.store.items[i];
    const open = Object.keys(answers).filter(q => canon(answers[q]) !== (stored[q] ?? 'null'));
    void this.outbox.draft(this.task, i, Object.fromEntries(open.map(q => [q, { value: answers[q] ?? null, base: base[q] ?? null }])));
    this.outbox.tell('saving');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(i), this.db.lasting ? PAUSE : 0);
  }
  leave(i) { this.spend(i); if (this.timer) void this.flush(i); }
  /** Close what is ready and hand it to the outbox. */
  async flush(i) {
    const { app, outbox } = this, { store } = app, { base, stored } = store.items[i];
    clearTimeout(this.timer);
    this.timer = 0;
    if (app.frozen) return;
    this.spend(i);
    const { elapsed, active } = store.items[i], spent = { elapsed: round(elapsed), active: round(active) }, answers = structuredClone(store.unsent(i)), known = /** @type {Record<string, number|null>} */ ({});
    void outbox.kept(() => this.db.put('times', [this.key + i, spent]));
    for (const q in answers) { stored[q] = canon(answers[q]); known[q] = base[q] ?? null; }
    if (Object.keys(known).length) await outbox.seal(this.url, this.task, i, answers, known, spent);
    else if (!outbox.waiting && $('#saved').dataset.state === 'saving') outbox.tell('kept');
  }
  /** Whether everything has arrived. */
  async settled() {
    const { outbox } = this;
    for (const i of this.app.states.keys()) await this.flush(i);
    const waits = () => outbox.queue.some(s => s.task === this.task);
    for (let n = 0; n < 60 && waits() && !outbox.tries && !outbox.stopped; n++) await new Promise(ok => setTimeout(ok, 50));
    return !waits();
  }

  stored({ task, item: i, body }, answer) {
    const { app } = this, item = app.store.items[i], saved = {};
    if (task !== this.task) return;
    for (const q in answer.saved) {
      item.base[q] = answer.saved[q];
      if (q in body.answers) saved[q] = { id: answer.saved[q], value: body.answers[q] }; else item.stored[q] = 'null';   // no longer asked
    }
    this.channel.postMessage({ task, item: i, saved });
    if (answer.explanation && !item.explanation) {
      item.explanation = answer.explanation;
      if (i === app.item) app.show(); else app.note(`explanation-${i}`, `${app.rows.all[app.rows.of(i)]?.label}: ${answer.explanation}`);
    }
    for (const { question, value } of answer.conflicts ?? []) if (canon(standing(value)) !== canon(body.answers[question])) this.conflict(i, question, body.answers[question], standing(value));
  }
  /** Another page or device answered the same question: both are in the record, the judge says which one holds. */
  conflict(i, question, mine, theirs) {
    const { app } = this, { t, rows, rail } = app, ask = rail.asks.find(x => x.q.id === question), many = app.states.length > 1;
    const spoken = v => { const b = v == null || ask.q.each ? {} : ask.kind.brief(ask.el, v); return b.spoken ?? b.long ?? b.short ?? b.badge ?? b.note ?? (v ? canon(v) : '–'); };
    app.note(`conflict-${i}-${question}`, `${t(many ? 'conflict' : 'conflict_document', { name: ask.name, n: rows.all[rows.of(i)]?.name })} ${t('both_kept')}`,
      [t('mine', { value: spoken(mine) })], [t('theirs', { value: spoken(theirs) }), () => { app.visit(i); app.answer(question, theirs); }]);
  }
  /** An answer given on another page: taken over unless this page has one of its own on the way. */
  elsewhere(i, q, { id, value }) {
    const item = this.app.store.items[i], waits = this.outbox.queue.some(s => s.task === this.task && s.item === i && q in s.body.answers);
    if (waits || item.base[q] === id || canon(item.answers[q]) !== (item.stored[q] ?? 'null')) return;
    item.answers[q] = standing(value);
    item.base[q] = id;
    item.stored[q] = canon(item.answers[q]);
    this.app.refresh(i);
  }
  /** After a while away: what another device has answered. */
  async compare() {
    const { body } = await send(this.url).catch(() => ({ body: null }));
    body?.items?.forEach((saved, i) => { for (const q in saved) this.elsewhere(i, q, saved[q]); });
  }
  /** What the server does not take stays on the device, and is said. */
  rejected({ task, item, body }, errors) {
    for (const { question, message, code } of errors) if (code !== 'reused') {
      if (question in body.answers) void this.outbox.draft(task, item, { [question]: { value: body.answers[question], base: body.base[question] ?? null } });
      if (task === this.task) this.app.note(`rejected-${item}-${question}`, this.app.t('not_allowed', { message }));
    }
  }

  status(state, n, message) {
    const { app, timer } = this, told = $('#saved'), held = state === 'signin' || state === 'refused';
    if (state === 'saved' && timer) return;   // something newer is about to be sent
    told.dataset.state = state;
    told.classList.toggle('bad', held || state === 'offline');
    const key = held || (state === 'offline' && !this.db.lasting) ? 'unsaved' : state, text = app.t(key, { n, time: state === 'saved' ? this.clock.format() : '' });
    if (told.textContent !== text) told.textContent = text;
    if (held) app.note('held', app.t(state, { n, message }), ['↻', () => this.outbox.kick()]); else if (state === 'saved') app.note('held', '');
  }

  /** The row to come back to; noted when the hands rest, since it is not cheap. */
  remember(row) {
    this.row = row;
    clearTimeout(this.noting);
    this.noting = setTimeout(() => this.bookmark(), PAUSE / 5);
  }
  bookmark() { try { localStorage.setItem('lanner-row-' + this.key, String(this.row)); } catch { /* the server's own choice of row applies */ } }
  /** The row of the address, but after a reload the one that was left. */
  get lastRow() {
    const asked = new URLSearchParams(location.search).get('row'), visit = /** @type {any} */ (performance.getEntriesByType('navigation')[0]);
    try { return +((visit?.type === 'reload' || !asked) && localStorage.getItem('lanner-row-' + this.key) || asked); } catch { return +asked; }
  }
}
