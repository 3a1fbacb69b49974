// Answers on their way: kept on this device first, sent in order, sent again until the server has them, stored once.
import { canon } from './store.js';
/** @typedef {import('./db.js').Db} Db */
/** @typedef {{key: string, url: string, task: number, item: number, tries: number, body: {submission: string, item: number,
 *   answers: Record<string, any>, base: Record<string, number|null>, elapsed: number, active: number, answered_at: string, sent_at?: string}}} Sealed */
/** @typedef {{state: 'saved'|'saving'|'kept'|'offline'|'signin'|'refused', waiting: number, message: string}} Status */

const LONGEST = 60000;

export class Outbox {
  /** @param {{db: Db, who: string, send: (url: string, body: any) => Promise<{status: number, body: any}>, now?: () => Date, uuid?: () => string,
   *   wait?: (ms: number) => Promise<void>, alone?: <T>(work: () => Promise<T>) => Promise<T>, status?: (s: Status) => void,
   *   stored?: (sealed: Sealed, answer: any) => void, rejected?: (sealed: Sealed, errors: any[]) => void, full?: () => void}} parts */
  constructor(parts) {
    this.parts = { now: () => new Date(), uuid: () => crypto.randomUUID(), alone: work => work(), wait: ms => new Promise(ok => setTimeout(ok, ms)), ...parts };
    /** @type {Sealed[]} */
    this.queue = [];
    this.tries = 0;
    this.running = false;
    this.stopped = '';
    this.wake = () => {};
  }

  /** What an earlier visit left behind; `waiting` of every task of this judge are sent, those of `task` returned.
   * @param {number} task @returns {Promise<{waiting: Sealed[], drafts: {item: number, question: string, value: any, base: number|null}[]}>} */
  async load(task) {
    const { db, who } = this.parts;
    this.queue = (await db.all('outbox', who + '/')).map(([, value]) => value);
    const drafts = (await db.all('drafts', `${who}/${task}/`)).map(([, value]) => value);
    return { waiting: this.queue.filter(s => s.task === task), drafts };
  }

  /** Keep an answer that is not complete, or not sent yet. @param {number} task @param {number} item @param {string} question @param {any} value @param {number|null} base */
  draft(task, item, question, value, base) {
    return this.kept(() => this.parts.db.put('drafts', this.draftKey(task, item, question), { item, question, value, base }));
  }
  /** @param {number} task @param {number} item @param {string} question */
  drop(task, item, question) { return this.kept(() => this.parts.db.del('drafts', this.draftKey(task, item, question))); }
  /** @param {number} task @param {number} item @param {string} question */
  draftKey(task, item, question) { return `${this.parts.who}/${task}/${item}/${question}`; }

  /** @param {() => Promise<any>} work */
  async kept(work) { try { return await work(); } catch { this.parts.full?.(); return undefined; } }

  /** Close a set of answers and send it. One not tried yet is added to, so that an hour offline is one message per row.
   * @param {string} url @param {number} task @param {number} item @param {Record<string, any>} answers @param {Record<string, number|null>} base
   * @param {{elapsed: number, active: number}} spent */
  async seal(url, task, item, answers, base, spent) {
    const { now, uuid, who } = this.parts, at = now().toISOString();
    let sealed = this.queue.find(s => s.task === task && s.item === item && !s.tries);
    if (sealed) Object.assign(sealed.body, { answers: { ...sealed.body.answers, ...answers }, base: { ...base, ...sealed.body.base }, ...spent, answered_at: at });
    else {
      const submission = uuid();
      sealed = { key: `${who}/${at}/${submission}`, url, task, item, tries: 0, body: { submission, item, answers, base, ...spent, answered_at: at } };
      this.queue.push(sealed);
    }
    const entry = sealed;
    await this.kept(() => this.parts.db.put('outbox', entry.key, entry));
    for (const question of Object.keys(answers)) void this.drop(task, item, question);
    void this.drain();
  }

  get waiting() { return this.queue.length; }
  /** @param {Status['state']} state @param {string} [message] */
  tell(state, message = '') { this.parts.status?.({ state, waiting: this.waiting, message }); }

  /** Try again now: the network is back, the page is looked at, the judge has signed in. */
  kick() { this.tries = 0; this.stopped = ''; this.wake(); void this.drain(); }

  /** Send everything, oldest first; one page of a browser at a time. */
  async drain() {
    if (this.running || this.stopped) return;
    this.running = true;
    try {
      while (this.queue.length && !this.stopped) {
        if (!this.tries) this.tell('saving');
        const result = await this.parts.alone(() => this.post(this.queue[0])), sealed = this.queue[0];
        if (result === 'later') {
          this.tries += 1;
          this.tell('offline');
          const nap = new Promise(ok => { this.wake = () => ok(undefined); });
          await Promise.race([nap, this.parts.wait(Math.min(LONGEST, 1000 * 2 ** Math.min(this.tries - 1, 6)) * (0.75 + Math.random() / 2))]);
        } else if (result === 'stop') break;
        else { this.tries = 0; this.queue.shift(); await this.kept(() => this.parts.db.del('outbox', sealed.key)); }
      }
      if (!this.queue.length) this.tell('saved');
    } finally { this.running = false; }
  }

  /** @param {Sealed} sealed @returns {Promise<'done'|'later'|'stop'>} */
  async post(sealed) {
    sealed.tries += 1;
    void this.kept(() => this.parts.db.put('outbox', sealed.key, sealed));
    let answer;
    try { answer = await this.parts.send(sealed.url, { ...sealed.body, sent_at: this.parts.now().toISOString() }); } catch { return 'later'; }
    const { status, body } = answer;
    if (status === 200) {
      for (const [question, id] of Object.entries(body.saved ?? {}))
        for (const later of this.queue.slice(1)) if (later.task === sealed.task && later.item === sealed.item && question in later.body.base) later.body.base[question] = id;
      this.parts.stored?.(sealed, body);
      return 'done';
    }
    if (status === 422) { this.parts.rejected?.(sealed, body?.errors ?? []); return this.without(sealed, body?.errors ?? []); }
    if (status === 401 || status === 409 || status === 403 || status === 404) {
      this.stopped = status === 401 ? 'signin' : 'refused';
      this.tell(status === 401 ? 'signin' : 'refused', body?.message ?? '');
      return 'stop';
    }
    return 'later';
  }

  /** The rest of a message whose rejected answers went back to the judge. @param {Sealed} sealed @param {{question: string}[]} errors @returns {'done'|'later'} */
  without(sealed, errors) {
    const { body } = sealed, before = canon(body.answers);
    for (const { question } of errors) { delete body.answers[question]; delete body.base[question]; }
    if (!Object.keys(body.answers).length || canon(body.answers) === before) return 'done';
    body.submission = this.parts.uuid();
    this.queue.splice(1, 0, { ...sealed, key: `${sealed.key}+`, tries: 0 });
    return 'done';
  }
}
