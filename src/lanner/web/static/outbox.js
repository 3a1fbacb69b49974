// Answers on their way: kept on this device first, sent in order, sent again until the server names
// them as stored.
//
// A message never changes once it is closed, so that its id always stands for the same answers,
// whichever page sends it. An answer leaves the outbox when the server's reply names it with the
// digest of its value, and a copy stays here until the task is finished. Any other reply, whatever
// its status, is no acknowledgement.
import { digest } from './digest.js';

const LONGEST = 60000;
/** So many milliseconds may lie between two looks at the same clocks. */
const SAME = 2000;
/**
 * Refusals that more tries do not change: a finished task, a closed campaign, something the server
 * cannot read.
 */
const LASTING = [400, 403, 404, 409, 413, 422];

/**
 * Sixteen random bytes are an id; browsers make one themselves only for pages served over https.
 * @param {Uint8Array} bytes
 */
const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

export class Outbox {
  /** @param {OutboxParts} parts */
  constructor(parts) {
    this.parts = {
      now: () => new Date(),
      tick: () => performance.now(),
      uuid: () => hex(crypto.getRandomValues(new Uint8Array(16))),
      alone: (/** @type {() => Promise<any>} */ work) => work(),
      wait: (/** @type {number} */ ms) => new Promise(ok => setTimeout(ok, ms)),
      ...parts,
    };
    /** Whether this device keeps what it is given. */
    this.keeps = parts.db.lasting;
    this.queue = /** @type {Message[]} */ ([]);
    /** Messages that have arrived, while what their replies say is taken in. */
    this.arrived = /** @type {Set<Message>} */ (new Set());
    this.tries = 0;
    this.running = this.stopped = false;
    this.refusal = '';
    /** Whether somebody answered the last attempt, even if not as the server does. */
    this.reached = false;
    /** Whether it was the server, to say that its database is away. */
    this.noDatabase = false;
    this.latest = '';
    /** What the device's clock and one that nobody sets said at a reply, and the server's. */
    this.clocks = /** @type {{drift: number, ahead: number} | null} */ (null);
    /** Refused for now, and why: the others go on. @type {Map<Message, string>} */
    this.held = new Map();
    this.wake = () => {};
  }

  /** How many rows have answers that are not on the server yet. */
  get waiting() {
    return new Set(this.queue.map(message => `${message.task}/${message.item}`)).size;
  }

  /**
   * Whether answers of a task wait, or are acknowledged and not taken in yet.
   * @param {number} task
   */
  holds(task) {
    return [...this.queue, ...this.arrived].some(message => message.task === task);
  }

  /** @param {SaveState} state */
  tell(state, message = '') {
    this.parts.status?.(state, this.waiting, message);
  }

  /**
   * What cannot be kept here is said, and from then on sent without waiting for this device.
   * @param {() => Promise<any>} work
   */
  async kept(work) {
    const keeping = work().catch(() => {
      this.keeps = false;
      this.parts.unkept?.();
    });
    if (this.keeps) await keeping;
  }

  /**
   * What an earlier visit left behind: everything of this judge is sent, that of `task` returned.
   * @param {number} task
   * @returns {Promise<{waiting: Message[], drafts: Draft[], copies: Copy[]}>}
   */
  async load(task) {
    const { db, who } = this.parts;
    const drafts = await db.all('drafts', `${who}/${task}/`),
      copies = await db.all('copies', `${who}/${task}/`);
    this.queue = (await db.all('outbox', who + '/')).map(([, message]) => message);
    this.latest = this.queue.at(-1)?.key ?? '';
    const waiting = this.queue.filter(message => message.task === task);
    return {
      waiting,
      drafts: drafts.map(([, draft]) => draft),
      copies: copies.map(([, copy]) => copy),
    };
  }

  /**
   * Keep answers that are not complete or not sent yet; null drops one.
   * @param {number} task
   * @param {number} item
   * @param {Record<string, {value: any, base: number|null}|null>} drafts
   */
  draft(task, item, drafts) {
    const entries = Object.entries(drafts).map(([question, draft]) => [
      [this.parts.who, task, item, question].join('/'),
      draft && { item, question, ...draft },
    ]);
    return this.kept(async () => entries.length && this.parts.db.put('drafts', ...entries));
  }

  /**
   * Close a set of answers and send it.
   * @param {string} url
   * @param {number} task
   * @param {number} item
   * @param {Answers} answers
   * @param {Message['body']['base']} base
   * @param {{elapsed: number, active: number}} spent
   */
  async seal(url, task, item, answers, base, spent) {
    const { now, uuid, who, db } = this.parts,
      submission = uuid();
    const at = { answered_at: now().toISOString(), ahead: this.ahead },
      body = { submission, item, answers, base, ...spent, ...at };
    const message = { key: this.key(submission), url, task, item, tries: 0, body };
    this.queue.push(message);
    // in one stroke with its drafts: one written a moment later is newer, and stays
    const drafts = Object.keys(answers).map(question => [
      [who, task, item, question].join('/'),
      null,
      'drafts',
    ]);
    const put = () => db.put('outbox', [message.key, message], ...drafts);
    await this.kept(() =>
      put().catch(e =>
        db.put('drafts', ...drafts).then(() => {
          throw e;
        }),
      ),
    );
    void this.drain();
  }

  /** How far the device's clock is from one that nobody sets. */
  get drift() {
    return +this.parts.now() - this.parts.tick();
  }
  /**
   * By how many milliseconds this device's clock is ahead of the server's, as the last reply
   * showed; unknown where it was set since, or the device slept.
   */
  get ahead() {
    const { clocks, drift } = this;
    return clocks && Math.abs(drift - clocks.drift) < SAME ? clocks.ahead : undefined;
  }

  /**
   * Where a new message is kept: keys sort in the order of closing, even when the clock is set
   * back.
   * @param {string} submission
   */
  key(submission) {
    const { who, now } = this.parts,
      [, last = ''] = this.latest.slice(who.length).split('/');
    const at = Math.max(+now(), last ? Date.parse(last) + 1 : 0);
    this.latest = `${who}/${new Date(at).toISOString()}/${submission}`;
    return this.latest;
  }

  /** Try again now: the network is back, the page is looked at, the judge has signed in. */
  kick() {
    this.tries = 0;
    this.stopped = false;
    this.held.clear();
    this.wake();
    void this.drain();
  }

  /**
   * The page is left: what was just said is sent without waiting for anything, unless something
   * older must go first.
   */
  part() {
    if (this.queue.length === 1 && !this.queue[0].tries) void this.post(this.queue[0]);
  }

  /**
   * The oldest message that may go now: not refused, and nothing older waits about the same row.
   */
  next() {
    return this.queue.find(
      (message, n) =>
        !this.held.has(message) &&
        !this.queue
          .slice(0, n)
          .some(older => older.task === message.task && older.item === message.item),
    );
  }

  /** Send everything, oldest first; one page of a browser at a time. */
  async drain() {
    if (this.running || this.stopped) return;
    this.running = true;
    try {
      let message = this.next();
      while (message && !this.stopped) {
        await this.attempt(message);
        message = this.next();
      }
    } finally {
      this.running = false;
    }
    if (!this.queue.length) this.tell('saved');
    else if (this.held.size) this.tell(this.refusal ? 'refused' : 'offline', this.refusal);
  }

  /** Send one message, and wait a while where it did not arrive. @param {Message} message */
  async attempt(message) {
    if (!this.tries) this.tell('saving');
    if (await this.parts.alone(() => this.post(message))) {
      this.tries = 0;
    } else if (!this.stopped && !this.held.has(message)) {
      this.tell('offline');
      const pause = Math.min(LONGEST, 1000 * 2 ** this.tries++) * (0.75 + Math.random() / 2);
      const woken = new Promise(ok => {
        this.wake = () => ok(0);
      });
      await Promise.race([this.parts.wait(pause), woken]);
    }
  }

  /** @param {Message} message @returns {Promise<boolean>} whether the next one can go at once */
  async post(message) {
    const { db, send, now } = this.parts;
    message.tries += 1;
    void this.kept(() => db.put('outbox', [message.key, message]));
    const sent = now(),
      body = { ...message.body, sent_at: sent.toISOString() };
    const reply = await send(message.url, body).catch(() => ({ status: 0, body: null }));
    const server = Date.parse(reply.body?.received_at);
    if (server)
      this.clocks = { drift: this.drift, ahead: Math.round((+sent + +now()) / 2 - server) };
    const ours = typeof reply.body?.message === 'string'; // not the page of some proxy on the way
    this.reached = reply.status > 0;
    this.noDatabase = ours && reply.status === 503;
    if (reply.status === 200 || reply.body?.reason === 'reused')
      return this.acknowledge(message, reply);
    if (reply.status === 422 && (await this.reject(message, reply.body?.errors))) return true;
    if (ours && reply.status === 401) this.signOut();
    else if (LASTING.includes(reply.status)) {
      this.held.set(message, ours ? reply.body.reason : '');
      this.refusal = ours ? reply.body.message : '';
      if (!ours)
        void this.parts.wait(LONGEST).then(() => {
          this.held.delete(message);
          return this.drain();
        });
    }
    return false;
  }

  /** Nothing can be sent before the judge's link is opened again. */
  signOut() {
    this.stopped = true;
    this.tell('signin');
  }

  /**
   * Drop the answers that the reply names as stored; what it does not name goes again, under an id
   * of its own.
   * @param {Message} message
   * @param {Reply} reply
   */
  async acknowledge(message, { status, body }) {
    const { answers } = message.body,
      named = body?.digests ?? {};
    const stored = Object.keys(answers).filter(
      question => named[question] === digest(answers[question]),
    );
    if (!stored.length && status === 200) return false;
    const ids =
      body.saved ?? Object.fromEntries(stored.map(q => [q, body.stored?.[q]?.id ?? null]));
    this.parts.acknowledged?.(message, ids);
    // what waits behind it was said in the knowledge of this answer
    for (const later of this.queue) {
      if (later === message || later.task !== message.task || later.item !== message.item) continue;
      for (const question in ids)
        if (question in later.body.base) later.body.base[question] = ids[question];
    }
    const copies = stored
      .filter(question => ids[question])
      .map(question => ({
        item: message.item,
        question,
        value: answers[question],
        id: ids[question],
      }));
    this.arrived.add(message);
    try {
      await this.replace(message, question => !stored.includes(question), copies);
      this.parts.stored?.(message, { ...body, saved: ids });
    } finally {
      this.arrived.delete(message);
    }
    return stored.length === Object.keys(answers).length;
  }

  /**
   * Answers the server will never take go back to the judge, the others go on.
   * @param {Message} message
   * @param {{question: string}[]} [errors]
   * @returns {Promise<boolean>} whether it named any
   */
  async reject(message, errors) {
    const { answers, base } = message.body;
    const wrong = Array.isArray(errors)
      ? errors.map(error => error?.question).filter(q => q in answers)
      : [];
    if (!wrong.length) return false;
    const drafts = wrong.map(q => [q, { value: answers[q], base: base[q] ?? null }]);
    await this.draft(message.task, message.item, Object.fromEntries(drafts));
    this.parts.rejected?.(message, errors ?? []);
    await this.replace(message, question => !wrong.includes(question));
    return true;
  }

  /**
   * Put what is left of a message in its place, under an id of its own, together with copies of
   * what arrived.
   * @param {Message} message
   * @param {(question: string) => boolean} left
   * @param {Copy[]} copies
   */
  async replace(message, left, copies = []) {
    const { db, who } = this.parts,
      rest = Object.entries(message.body.answers).filter(([q]) => left(q));
    const entries = /** @type {any[][]} */ ([[message.key, null]]);
    const at = this.queue.indexOf(message);
    if (rest.length) {
      // the same name on every page that has this message, so that the rest is stored once too
      const submission = `${message.body.submission}+`;
      const body = { ...message.body, submission, answers: Object.fromEntries(rest) };
      const again = { ...message, key: `${message.key}+`, tries: 0, body };
      if (at >= 0) this.queue.splice(at, 1, again);
      entries.push([again.key, again]);
    } else if (at >= 0) {
      this.queue.splice(at, 1);
    }
    const kept = copies.map(copy => [
      [who, message.task, copy.item, copy.question].join('/'),
      copy,
      'copies',
    ]);
    await this.kept(() =>
      db.put('outbox', ...entries, ...kept).catch(e =>
        db.put('outbox', ...entries).then(() => {
          throw e;
        }),
      ),
    );
  }

  /**
   * Answers that came too late, with those that wait behind them.
   * @param {'finished' | 'closed'} reason what was done before they came: with the task or all work
   */
  late(reason) {
    const tasks = [...this.held].filter(([, why]) => why === reason).map(([held]) => held.task);
    return this.queue.filter(message => tasks.includes(message.task));
  }
  /** Their judge leaves them out: they go. @param {Message[]} late */
  async leaveOut(late) {
    this.queue = this.queue.filter(message => !late.includes(message));
    for (const message of late) this.held.delete(message);
    await this.kept(() => this.parts.db.put('outbox', ...late.map(({ key }) => [key, null])));
  }

  /**
   * The task is finished and the server has said so: nothing of it needs to stay here.
   * @param {number} task
   */
  async forget(task) {
    const { db, who } = this.parts;
    await this.kept(async () => {
      const copies = await db.all('copies', `${who}/${task}/`);
      return copies.length && db.put('copies', ...copies.map(([key]) => [key, null]));
    });
  }
}
