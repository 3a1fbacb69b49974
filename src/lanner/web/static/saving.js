// Between the answers of this page and the outbox: when something is sent, what came back, what
// another page did.
import { canon } from './digest.js';
import { $, $$, afterFrame, setText, written } from './dom.js';
import { reopen } from './flow.js';
import { downloadAnswers } from './notes.js';
import { tellWorker } from './offline.js';
import { Outbox } from './outbox.js';
import { alone, isRefusal, NO_REPLY, send, signedOut, WATCH } from './sending.js';

/** So long after the last change it is sent, in milliseconds. */
const PAUSE = 700;
/** Whoever was away for longer may have answered elsewhere meanwhile. */
const AWAY = 30000;
/** So often finishing looks whether a message has arrived: for ten seconds. */
const LOOKS = 200;

/** To a tenth of a second. @param {number} seconds */
const round = seconds => Math.round(seconds * 10) / 10;
/** Without the suggested marks that were removed. @param {any} value */
const standing = value =>
  Array.isArray(value) ? value.filter(span => span?.origin !== 'removed') : value;

export class Saving {
  /** @param {App} app @param {Db} db */
  constructor(app, db) {
    const { task, who } = app.data;
    this.app = app;
    this.db = db;
    this.task = task;
    this.url = location.pathname.replace(/\/$/, '') + '/answers';
    this.key = `${who}/${task}/`;
    /** The timers of the next message and of the next note of the row. */
    this.timer = this.noting = 0;
    /** @type {Set<number>} items with changes that are not kept on this device yet */
    this.undrafted = new Set();
    /** @type {Set<number>} items with changes that are still to be handed to the outbox */
    this.due = new Set();
    /** @type {[number, string, any] | null} item, question and value of a number half typed */
    this.typed = null;
    /** When the page was hidden. */
    this.hidden = 0;
    this.row = 0;
    /** @type {Copy[]} answers that have arrived, kept here until the task is finished */
    this.copies = [];
    this.done = false;
    /** Whether this page was kept on the device, so that the server may hold newer answers. */
    this.stale = false;
    /** Whether answers of this page and of another have met: which one holds, the server says. */
    this.contested = false;
    /** How often something has come back that is to be read before the document is finished. */
    this.told = 0;
    this.outbox = new Outbox({
      db,
      who,
      send,
      alone,
      status: (...state) => this.status(...state),
      acknowledged: (message, ids) => this.acknowledged(message, ids),
      stored: (message, reply) => this.stored(message, reply),
      rejected: (message, errors) => this.rejected(message, errors),
      unkept: () => app.note('storage', app.t('direct')),
    });
    this.clock = written({ timeStyle: 'short' });
    this.channel = new BroadcastChannel('lanner-' + who);
    this.channel.onmessage = ({ data }) => {
      if (data.task !== task) return;
      if (data.finished) return void this.reconcile();
      for (const q in data.saved) this.elsewhere(data.item, q, data.saved[q]);
    };
  }

  /** Bring back what an earlier visit left on this device. */
  async start() {
    const { app, outbox, db } = this,
      { items } = app.store;
    const { waiting, drafts, copies } = await outbox.load(this.task);
    this.copies = copies;
    this.takeCopies();
    for (const { item, body } of waiting)
      for (const q in body.answers) {
        items[item].answers[q] = body.answers[q];
        items[item].stored[q] = canon(body.answers[q]);
      }
    if (!app.frozen)
      for (const { item, question, value, base } of drafts) {
        items[item].answers[question] = value;
        items[item].base[question] = base;
      }
    for (const [key, spent] of await db.all('times', this.key)) {
      const item = items[Number(key.slice(this.key.length))];
      item.elapsed = Math.max(spent.elapsed, item.elapsed);
      item.active = Math.max(spent.active, item.active);
    }
    for (const { item } of drafts) void this.flush(item);
    if (app.frozen) void outbox.forget(this.task);
    else if (this.newerCopies(app.data.items.map(item => item.saved)).length) void this.reconcile();
    if (!db.lasting) outbox.parts.unkept?.();
    addEventListener('online', () => {
      outbox.kick();
      if (this.stale) void this.reconcile();
    });
    addEventListener('pagehide', () => {
      this.bookmark();
      this.flushDue(app.item);
      outbox.part();
    });
    // back from the browser's memory: what was answered elsewhere meanwhile is not on this page
    addEventListener('pageshow', e => {
      if (!e.persisted) return;
      outbox.kick();
      void this.reconcile();
    });
    addEventListener('beforeunload', e => {
      if (outbox.keeps || this.done) return;
      if (outbox.waiting || this.due.size || this.unsent) e.preventDefault();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) {
        this.hidden = Date.now();
        return this.flushDue(app.item);
      }
      outbox.kick();
      if (app.data.offline) void this.checkSession();
      return void (Date.now() - this.hidden > AWAY && this.reconcile());
    });
    if (outbox.waiting) outbox.kick();
    if (app.data.offline) setInterval(() => this.checkSession(), WATCH); // not in a preview
  }

  /** Whoever's link was replaced or revoked is told at once, and not with the next answer. */
  async checkSession() {
    const { outbox } = this;
    if (outbox.stopped || this.done) return;
    if (await signedOut(this.url.replace(/\/answers$/, ''))) outbox.signOut();
  }

  /**
   * Copies on this device that are newer than what was saved elsewhere.
   * @param {SavedItems} saved
   */
  newerCopies(saved) {
    return this.copies.filter(copy => (saved[copy.item]?.[copy.question]?.id ?? 0) < copy.id);
  }
  /**
   * A page that was kept on the device is older than the answers given on it since: these are known
   * from the copies.
   */
  takeCopies() {
    const { items } = this.app.store;
    for (const { item, question, value, id } of this.newerCopies(
      this.app.data.items.map(({ saved }) => saved),
    )) {
      if (!items[item]) continue;
      const { answers, stored, confirmed, base } = items[item];
      answers[question] = standing(value);
      stored[question] = confirmed[question] = canon(standing(value));
      base[question] = id;
    }
  }
  /**
   * This page came from the device: as soon as the server can be reached, take over what is newer
   * there.
   */
  outdated() {
    this.stale = true;
    void this.reconcile();
  }
  /**
   * Compare with the server: take over what other devices have answered; send again what the server
   * had acknowledged and no longer has, as after an old backup was put back.
   */
  async reconcile() {
    const { app } = this;
    const { body } = await send(this.url).catch(() => ({ body: null }));
    if (!Array.isArray(body?.items)) return;
    this.stale = this.contested = false;
    if (body.finished && !app.frozen && !app.leaving && !this.outbox.waiting)
      return location.reload();
    this.restore(this.newerCopies(body.items), body.items);
    for (const [i, saved] of /** @type {SavedItems} */ (body.items).entries())
      for (const question in saved) this.elsewhere(i, question, saved[question]);
  }
  /**
   * Send again what the server had acknowledged and no longer has.
   * @param {Copy[]} copies of these answers
   * @param {SavedItems} saved what it has
   */
  restore(copies, saved) {
    const { items } = this.app.store,
      lost = copies.filter(({ item, question }) => items[item] && !this.waits(item, question));
    for (const { item, question, value } of lost) {
      const { answers, stored, base } = items[item],
        there = saved[item]?.[question];
      // a newer one is not sent yet
      if (canon(answers[question]) !== (stored[question] ?? 'null')) continue;
      answers[question] = standing(value);
      stored[question] = there ? canon(there.value) : 'null';
      base[question] = there?.id ?? null;
      this.app.refresh(item);
    }
    for (const item of new Set(lost.map(copy => copy.item))) void this.flush(item);
  }

  /**
   * Time spent goes to the item that is open.
   * @param {number} i
   * @returns {number} active seconds
   */
  spend(i) {
    const { elapsed, active } = this.app.clock.take(),
      item = this.app.store.items[i];
    item.elapsed += elapsed;
    item.active += active;
    return active;
  }

  /**
   * An answer changed: it is kept here as soon as it is on the screen, and sent after a pause.
   * @param {number} i
   */
  changed(i) {
    if (!this.undrafted.size) afterFrame(() => this.writeDrafts());
    this.undrafted.add(i);
    this.typed = null;
    this.outbox.tell('saving');
    this.due.add(i);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flushDue(), this.outbox.keeps ? PAUSE : 0);
  }

  /** Keep what has changed on this device. */
  writeDrafts() {
    for (const i of this.undrafted) {
      const { store } = this.app,
        { answers, base } = store.items[i];
      // an answer that is back at what was sent leaves no draft: a reload would bring the one in
      // between to life again
      const drafts = Object.keys(answers).map(q => [
        q,
        store.differs(i, q) ? { value: answers[q] ?? null, base: base[q] ?? null } : null,
      ]);
      void this.outbox.draft(this.task, i, Object.fromEntries(drafts));
    }
    this.undrafted.clear();
    if (!this.typed) return;
    const [i, question, value] = this.typed,
      { base, stored } = this.app.store.items[i],
      fresh = canon(value) !== (stored[question] ?? 'null');
    const draft = fresh ? { value, base: base[question] ?? null } : null;
    this.typed = null;
    void this.outbox.draft(this.task, i, { [question]: draft });
    if (!this.outbox.waiting) this.outbox.tell(fresh ? 'kept' : 'saved');
  }

  /** Another row is opened: what was changed in this one is sent. @param {number} i */
  leave(i) {
    this.spend(i);
    if (this.due.has(i)) this.flushSoon(i);
  }
  /** Send an item as soon as what follows it is on the screen. @param {number} i */
  flushSoon(i) {
    this.due.add(i);
    if (Object.keys(this.app.store.unsent(i)).length) this.outbox.tell('saving');
    afterFrame(() => this.flushDue());
  }
  /** Hand over everything that was changed. @param {number[]} more items, changed or not */
  flushDue(...more) {
    for (const i of new Set([...this.due, ...more])) void this.flush(i);
  }

  /** Close what is ready and hand it to the outbox. @param {number} i */
  async flush(i) {
    const { app, outbox } = this,
      { store } = app,
      { base, stored } = store.items[i];
    this.writeDrafts(); // before the message that replaces some of them
    this.due.delete(i);
    if (!this.due.size) clearTimeout(this.timer);
    if (app.frozen) return;
    if (i === app.item) this.spend(i);
    const { elapsed, active } = store.items[i],
      spent = { elapsed: round(elapsed), active: round(active) };
    const answers = structuredClone(store.unsent(i)),
      known = /** @type {Record<string, number|null>} */ ({});
    afterFrame(() => void outbox.kept(() => this.db.put('times', [this.key + i, spent])));
    for (const q in answers) {
      stored[q] = canon(answers[q]);
      known[q] = base[q] ?? null;
    }
    if (Object.keys(known).length) await outbox.seal(this.url, this.task, i, answers, known, spent);
    else if (!outbox.waiting && !outbox.arrived.size) outbox.tell('saved');
    // what was changed here may have been taken back
    for (const q in store.items[i].newer) this.elsewhere(i, q, store.items[i].newer[q]);
  }

  /**
   * A number is being typed: kept here, once it is on the screen, in case the page goes away; an
   * answer only when it is complete.
   * @param {number} i
   * @param {string} question
   * @param {any} value
   */
  keep(i, question, value) {
    if (!this.typed) afterFrame(() => this.writeDrafts());
    this.typed = [i, question, value];
  }

  /**
   * How many items have answers on this page that have not been sent: incomplete ones, or a
   * withdrawn one.
   */
  get unsent() {
    const { store } = this.app;
    return store.items.filter(({ answers }, i) =>
      Object.keys(answers).some(q => store.differs(i, q)),
    ).length;
  }

  /** Whether answers of this task do not go before their judge does something; which, is said. */
  get held() {
    const { outbox, task } = this;
    return outbox.stopped || [...outbox.held.keys()].some(message => message.task === task);
  }

  /**
   * Whether everything has arrived, and what the server said of it is on the page. That is waited
   * for as long as one message after the other arrives.
   */
  async settled() {
    const { outbox, task } = this;
    for (const i of this.app.states.keys()) await this.flush(i);
    for (let n = 0; n < LOOKS && outbox.holds(task); n++) {
      const { length } = outbox.queue;
      if (outbox.tries || this.held) break;
      await new Promise(ok => setTimeout(ok, 50));
      if (outbox.queue.length < length) n = 0;
    }
    return !outbox.holds(task);
  }

  /**
   * Finish the task. The copies of its answers go once the server has confirmed; a refusal is shown
   * by the server. Where it cannot be reached, the document stays open.
   */
  async finish() {
    const { app } = this,
      form = $('#finish');
    this.done = true;
    const reply = await send(form.action, {}).catch(() => NO_REPLY),
      { status, body } = reply;
    if (isRefusal(reply)) return form.submit();
    if (status !== 200 || typeof body?.finished_at !== 'string') {
      this.done = false;
      app.leave(false);
      return app.note('finish', app.t('unreached'), [app.t('finish'), () => app.flow.finish()]);
    }
    this.channel.postMessage({ task: this.task, finished: true });
    await this.outbox.forget(this.task);
    await tellWorker({ drop: location.href });
    const root = location.pathname.replace(/\/task\/.*/, ''),
      practice = body.practice ? '/practice' : '',
      next = Number.isInteger(body.next) ? `/task/${body.next}${practice}` : '/work';
    return this.depart(`${root}${next}?done=${this.task}`);
  }

  /**
   * To another page. Where that is stopped in the browser, this one, which is done with, says so.
   * @param {string} url
   */
  depart(url) {
    const { app } = this;
    /** @type {any} */ (window).navigation?.addEventListener(
      'navigate',
      (/** @type {any} */ e) =>
        e.signal.addEventListener('abort', () =>
          app.note('finish', app.t('stopped'), [app.t('open_next'), () => this.depart(url)]),
        ),
      { once: true },
    );
    location.assign(url);
  }

  /**
   * The server has named answers as stored. This is taken in at once: while they are still dropped
   * here, more may be answered, or arrive from another page.
   * @param {Message} message
   * @param {Record<string, number>} ids of the answers
   */
  acknowledged({ task, item: i, body: { answers } }, ids) {
    const { base, stored, confirmed, refused } = this.app.store.items[i] ?? {};
    if (task !== this.task) return;
    for (const q in ids) {
      base[q] = ids[q];
      if (!(q in answers)) stored[q] = 'null'; // no longer asked
      confirmed[q] = canon(answers[q]);
      delete refused[q];
    }
  }
  /** They are here no more. @param {Message} message @param {any} reply */
  stored({ task, item: i, body }, reply) {
    const saved = /** @type {Record<string, SavedAnswer>} */ ({});
    if (task !== this.task) return;
    for (const q in reply.saved) saved[q] = { id: reply.saved[q], value: body.answers[q] ?? null };
    // taken back by the server, but asked again here meanwhile
    if (Object.keys(this.app.store.unsent(i)).some(q => q in saved && !(q in body.answers)))
      this.flushSoon(i);
    this.contested ||= reply.conflicts?.length > 0;
    this.channel.postMessage({ task, item: i, saved });
    if (this.stale) void this.reconcile();
    if (reply.feedback) this.explain(i, reply.feedback);
    for (const { question, value } of reply.conflicts ?? []) {
      const mine = body.answers[question],
        theirs = standing(value);
      if (canon(theirs) !== canon(mine)) this.conflict(i, question, mine, theirs);
    }
  }

  /**
   * Feedback on a training item, which may be open no longer: then it is said above the page.
   * @param {number} i
   * @param {Feedback} feedback
   */
  explain(i, feedback) {
    const { app } = this,
      item = app.store.items[i],
      first = !item.feedback;
    item.feedback = feedback;
    if (first) this.tell();
    if (i === app.item) return app.refresh(i);
    const verdict = app.t(app.teaching?.headingOf(feedback) ?? ''),
      label = app.rows.all[app.rows.of(i)]?.label;
    if (first) app.note(`explanation-${i}`, `${label}: ${verdict}. ${feedback.explanation}`);
    return undefined;
  }

  /** What came back is to be read first: one stays on the page, and can say what holds. */
  tell() {
    this.told += 1;
    this.app.note('wait', '');
    this.app.leave(false);
  }

  /**
   * Another page or device answered the same question: both are in the record, the judge says which
   * one holds.
   * @param {number} i
   * @param {string} question
   * @param {any} mine
   * @param {any} theirs
   */
  conflict(i, question, mine, theirs) {
    const { app } = this,
      { t, rows, rail } = app,
      ask = rail.asks.find(x => x.q.id === question);
    if (!ask) return;
    this.tell();
    const name = app.states.length > 1 ? 'conflict' : 'conflict_document';
    const words = t(name, { name: ask.name, n: rows.all[rows.of(i)]?.name });
    const take = () => {
      app.visit(i);
      app.answer(question, theirs);
    };
    app.note(
      `conflict-${i}-${question}`,
      `${words} ${t('both_kept')}`,
      [t('mine', { value: inWords(ask, mine, app) })],
      [t('theirs', { value: inWords(ask, theirs, app) }), take],
    );
  }

  /**
   * An answer given on another page: taken over, or as soon as this page has none of its own any
   * more that is on the way.
   * @param {number} i
   * @param {string} q
   * @param {SavedAnswer} saved
   */
  elsewhere(i, q, saved) {
    const { rail, store, item: open } = this.app,
      item = store.items[i],
      { id, value } = saved,
      field = i === open && rail.typing;
    // a number that is being typed stays; once it is an answer, the two are a conflict
    if (field && rail.of(field)?.q.id === q) {
      const look = () => setTimeout(() => this.elsewhere(i, q, saved)); // once the number is taken
      return field.addEventListener('blur', look, { once: true });
    }
    if ((item.base[q] ?? 0) >= id) return;
    if (this.waits(i, q) || store.differs(i, q)) {
      if ((item.newer[q]?.id ?? 0) < id) item.newer[q] = saved;
      return;
    }
    this.announce(i, q);
    store.takeOver(i, q, standing(value));
    item.base[q] = id;
    item.stored[q] = item.confirmed[q] = canon(item.answers[q]);
    this.app.refresh(i);
  }

  /**
   * Say that an answer on the open sentence is about to change, since it was given in another
   * window.
   * @param {number} i
   * @param {string} q
   */
  announce(i, q) {
    const { app } = this,
      ask = app.rail.asks.find(x => x.q.id === q);
    if (i === app.item && ask && !ask.el.hidden)
      app.note('elsewhere', app.t('changed_elsewhere', { name: ask.name }));
  }

  /** Whether an answer is on its way. @param {number} i @param {string} q */
  waits(i, q) {
    const { queue } = this.outbox;
    return queue.some(
      ({ task, item, body }) => task === this.task && item === i && q in body.answers,
    );
  }

  /**
   * What the server does not take stays on the device, and is said. The server holds what it held
   * before.
   * @param {Message} message
   * @param {{question: string, message: string}[]} errors
   */
  rejected({ task, item, body }, errors) {
    if (task !== this.task) return;
    const { stored, confirmed, refused } = this.app.store.items[item];
    for (const { question, message } of errors) {
      if (question in body.answers) {
        refused[question] = canon(body.answers[question]);
        stored[question] = confirmed[question] ?? 'null';
      }
      this.app.note(`rejected-${item}-${question}`, this.app.t('not_allowed', { message }));
    }
  }

  /**
   * Show whether answers are safe.
   * @param {SaveState} now
   * @param {number} n how many rows wait
   * @param {string} message of the server
   */
  status(now, n, message) {
    const { app, due, outbox } = this,
      shown = $('#saved'),
      state = now === 'saved' && this.unsent ? 'kept' : now,
      held = state === 'signin' || state === 'refused';
    if (['saved', 'kept'].includes(now) && due.size) return; // something is about to be sent
    if (now === 'saved' && this.contested) void this.reconcile();
    if ($('#note-wait') && !outbox.holds(this.task)) void app.flow.finish();
    if (shown.dataset.state !== state) shown.dataset.state = state;
    const isUnsent = state === 'offline',
      unsent = outbox.noDatabase ? 'database' : outbox.reached ? 'failing' : 'offline',
      isLost = !outbox.keeps && (isUnsent || state === 'kept'),
      key = held || isLost ? 'unsaved' : isUnsent ? unsent : state,
      text = app.t(key, {
        n: n || this.unsent,
        time: state === 'saved' ? this.clock.format() : '',
      });
    const draw = () => {
      if (shown.dataset.state !== state) return;
      shown.classList.toggle('bad', held || isUnsent || isLost);
      shown.classList.toggle('busy', state === 'saving');
      setText(shown, text);
    };
    // a key press is answered first; that something is to be saved can be read a frame later
    if (state === 'saving') afterFrame(draw);
    else draw();
    if (now === 'signin') void tellWorker({ forget: true });
    if (held) this.tellHeld(state, n, message);
    else if (state === 'saved') app.note('held', '');
  }

  /**
   * Say why answers do not go: to try again, or, where they came too late, to say what holds.
   * Whoever has no link that works, or whose work is closed, can still take them along.
   * @param {'signin' | 'refused'} state
   * @param {number} n how many rows wait
   * @param {string} message of the server
   */
  tellHeld(state, n, message) {
    const { app, outbox, task } = this,
      { t } = app,
      late = (/** @type {'finished' | 'closed'} */ reason) =>
        outbox.late(reason).filter(answers => answers.task === task),
      leaveOut = (/** @type {Message[]} */ answers) =>
        /** @type {NoteAct} */ ([
          t('leave_out'),
          () => outbox.leaveOut(answers).then(() => location.reload()),
        ]),
      tryAgain = /** @type {NoteAct} */ (['↻', () => outbox.kick()]),
      takeAlong = /** @type {NoteAct} */ ([
        t('download'),
        () => {
          downloadAnswers(outbox.queue);
          this.tellHeld(state, n, message);
        },
      ]),
      [finished, closed] = [late('finished'), late('closed')];
    const reopenTask = async () => {
      const { address, refusal, again } = await reopen(String(task), t);
      if (!address) return app.note('held', refusal, ...(again ? [undo] : []), leaveOut(finished));
      return app.frozen ? location.reload() : outbox.kick();
    };
    const undo = /** @type {NoteAct} */ ([t('undo_finish'), reopenTask]);
    if (finished.length) app.note('held', t('late'), undo, leaveOut(finished));
    else if (closed.length) app.note('held', t('closed_late', { n }), takeAlong, leaveOut(closed));
    else if (state === 'signin')
      app.note('held', t(outbox.keeps ? state : 'signin_unkept', { n }), tryAgain, takeAlong);
    else app.note('held', t(state, { n, message }), tryAgain);
  }

  /**
   * The row to come back to; noted when no key follows, since it is not cheap.
   * @param {number} row
   */
  remember(row) {
    this.row = row;
    clearTimeout(this.noting);
    this.noting = window.setTimeout(() => this.bookmark(), PAUSE / 5);
  }
  /** Keep the row on this device. */
  bookmark() {
    try {
      localStorage.setItem('lanner-row-' + this.key, String(this.row));
    } catch {
      /* the server's own choice of row applies */
    }
  }
  /** The row of the address, but after a reload the one that was left. */
  get lastRow() {
    const inAddress = new URLSearchParams(location.search).get('row');
    const visit = /** @type {any} */ (performance.getEntriesByType('navigation')[0]);
    let kept = null;
    try {
      kept = localStorage.getItem('lanner-row-' + this.key);
    } catch {
      /* storage is blocked: the address holds */
    }
    const preferred = visit?.type === 'reload' || !inAddress ? kept || inAddress : inAddress;
    return Number(preferred ?? 0);
  }
}

/**
 * An answer as its question's margin says it.
 * @param {Ask} ask
 * @param {any} value
 * @param {App} app
 */
function inWords({ el, q, kind }, value, app) {
  const words = (/** @type {any} */ of, /** @type {any} */ part) => {
    const { spoken, long, short, badge, note } = kind.brief(of, part, app);
    return spoken?.(app) || long || short || badge || note || '–';
  };
  if (value == null) return '–';
  if (!q.each) return words(el, value);
  return $$('[data-line]', el)
    .filter(line => line.dataset.line in value)
    .map(line => [$('legend', line).firstChild.data.trim(), words(line, value[line.dataset.line])])
    .map(([name, points]) => `${name}: ${points}`)
    .join(app.t('comma'));
}
