// Answers on their way: kept on this device first, sent in order, sent again until the server has them, stored once.

/** @typedef {{submission: string, item: number, answers: Record<string, any>, base: Record<string, number|null>, elapsed: number, active: number, answered_at: string}} Body */
/** @typedef {{key: string, url: string, task: number, item: number, tries: number, body: Body}} Sealed */
/** @typedef {'saved'|'saving'|'kept'|'offline'|'signin'|'refused'} State */
/** @typedef {{db: import('./db.js').Db, who: string, send: (url: string, body: any) => Promise<{status: number, body: any}>, now?: () => Date, uuid?: () => string,
 *   wait?: (ms: number) => Promise<any>, alone?: (work: () => Promise<any>) => Promise<any>, status?: (state: State, waiting: number, message: string) => void,
 *   stored?: (sealed: Sealed, answer: any) => void, rejected?: (sealed: Sealed, errors: any[]) => void, full?: () => void}} Parts */

const LONGEST = 60000;

export class Outbox {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = { now: () => new Date(), uuid: () => crypto.randomUUID(), alone: work => work(), wait: ms => new Promise(ok => setTimeout(ok, ms)), ...parts };
    this.queue = /** @type {Sealed[]} */ ([]);
    this.tries = 0;
    this.running = this.stopped = false;
    this.refusal = '';
    this.held = new Set();   // refused for now (a task is finished, a campaign paused): the others go on
    this.wake = () => {};
  }
  get waiting() { return this.queue.length; }
  /** @param {State} state */
  tell(state, message = '') { this.parts.status?.(state, this.waiting, message); }
  /** What cannot be kept here is said once and sent at once. @param {() => Promise<any>} work */
  async kept(work) { try { return await work(); } catch { return this.parts.full?.(); } }

  /** What an earlier visit left behind: everything of this judge is sent, that of `task` returned. @param {number} task
   * @returns {Promise<{waiting: Sealed[], drafts: {item: number, question: string, value: any, base: number|null}[]}>} */
  async load(task) {
    const { db, who } = this.parts, drafts = await db.all('drafts', `${who}/${task}/`);
    this.queue = (await db.all('outbox', who + '/')).map(([, sealed]) => sealed);
    return { waiting: this.queue.filter(s => s.task === task), drafts: drafts.map(([, draft]) => draft) };
  }

  /** Keep answers that are not complete or not sent yet; null drops one. @param {number} task @param {number} item @param {Record<string, {value: any, base: number|null}|null>} drafts */
  draft(task, item, drafts) {
    const entries = Object.entries(drafts).map(([question, draft]) => [[this.parts.who, task, item, question].join('/'), draft && { item, question, ...draft }]);
    return this.kept(async () => entries.length && this.parts.db.put('drafts', ...entries));
  }

  /** Close a set of answers and send it. One not tried yet is added to, so that an hour offline is one message per row.
   * @param {string} url @param {number} task @param {number} item @param {Body['answers']} answers @param {Body['base']} base @param {{elapsed: number, active: number}} spent */
  async seal(url, task, item, answers, base, spent) {
    const { now, uuid, who, db } = this.parts, at = now().toISOString(), submission = uuid();
    let sealed = this.queue.find(s => s.task === task && s.item === item && !s.tries);
    if (!sealed) this.queue.push(sealed = { key: `${who}/${at}/${submission}`, url, task, item, tries: 0, body: { submission, item, answers: {}, base: {}, ...spent, answered_at: at } });
    const { body } = sealed, { key } = sealed, entry = sealed;
    Object.assign(body, spent, { answered_at: at, answers: { ...body.answers, ...answers }, base: { ...base, ...body.base } });
    // in one stroke with its drafts: one written a moment later is newer, and stays
    const drafts = Object.keys(answers).map(question => [[who, task, item, question].join('/'), null, 'drafts']);
    await this.kept(() => db.put('outbox', [key, entry], ...drafts).catch(e => db.put('drafts', ...drafts).then(() => { throw e; })));
    void this.drain();
  }

  /** Try again now: the network is back, the page is looked at, the judge has signed in. */
  kick() { this.tries = 0; this.stopped = false; this.held.clear(); this.wake(); void this.drain(); }

  /** The page is left: what was just said is sent without waiting for anything, unless something older must go first. */
  part() { if (this.waiting === 1 && !this.queue[0].tries) void this.post(this.queue[0]); }

  /** Send everything, oldest first; one page of a browser at a time. */
  async drain() {
    if (this.running || this.stopped) return;
    this.running = true;
    for (let sealed; (sealed = this.queue.find(s => !this.held.has(s))) && !this.stopped;) {
      const { key } = sealed, now = sealed;
      if (!this.tries) this.tell('saving');
      if (await this.parts.alone(() => this.post(now))) {
        this.tries = 0;
        this.queue.splice(this.queue.indexOf(now), 1);
        await this.kept(() => this.parts.db.put('outbox', [key, null]));
      } else if (!this.stopped && !this.held.has(now)) {
        this.tell('offline');
        const pause = Math.min(LONGEST, 1000 * 2 ** this.tries++) * (0.75 + Math.random() / 2);
        await Promise.race([this.parts.wait(pause), new Promise(ok => { this.wake = () => ok(0); })]);
      }
    }
    this.running = false;
    if (!this.queue.length) this.tell('saved'); else if (this.held.size) this.tell('refused', this.refusal);
  }

  /** @param {Sealed} sealed @returns {Promise<boolean>} whether it is done with */
  async post(sealed) {
    const { db, send, now, stored, rejected } = this.parts;
    sealed.tries += 1;
    void this.kept(() => db.put('outbox', [sealed.key, sealed]));
    const { status, body } = await send(sealed.url, { ...sealed.body, sent_at: now().toISOString() }).catch(() => ({ status: 0, body: null }));
    if (status === 200) {
      // what waits behind it was said in the knowledge of this answer
      for (const later of this.queue) if (later !== sealed && later.task === sealed.task && later.item === sealed.item)
        for (const q in body.saved) if (q in later.body.base) later.body.base[q] = body.saved[q];
      stored?.(sealed, body);
    } else if (status === 422) {
      rejected?.(sealed, body?.errors ?? []);
      this.without(sealed, body?.errors ?? []);
    } else if (status === 401) {
      this.stopped = true;
      this.tell('signin');
    } else if ([400, 403, 404, 409, 413].includes(status)) {
      this.held.add(sealed);
      this.refusal = body?.message ?? '';
    }
    return status === 200 || status === 422;
  }

  /** The rest of a message whose rejected answers went back to the judge. @param {Sealed} sealed @param {{question: string, code?: string}[]} errors */
  without({ body, key, ...rest }, errors) {
    const wrong = new Set(errors.map(e => e.question)), left = Object.entries(body.answers).filter(([q]) => !wrong.has(q)), reused = errors.some(e => e.code === 'reused');
    // another page sent it before something was added to it here: what it is now goes under a name of its own
    if (!left.length || (!reused && left.length === Object.keys(body.answers).length)) return;
    const more = { ...rest, key: key + '+', tries: 0, body: { ...body, submission: this.parts.uuid(), answers: Object.fromEntries(left) } };
    this.queue.push(more);
    void this.kept(() => this.parts.db.put('outbox', [more.key, more]));
  }
}
