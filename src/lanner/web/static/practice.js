// Practice before the first document: answers are checked and explained, and nothing is stored.
import { canon } from './digest.js';
import { $, $$, bringIntoView } from './dom.js';
import { NO_REPLY, send, signedOut, WATCH } from './sending.js';

/** Stands where the saving of answers would: keeps nothing and sends nothing. */
export class NoSaving {
  lastRow = 0;
  async start() {}
  async flush() {}
  flushSoon() {}
  changed() {}
  leave() {}
  remember() {}
  keep() {}
  outdated() {}
  spend() {
    return 0;
  }
  async settled() {
    return true;
  }
}

export class Practice {
  /** @param {App} app @param {PracticeData} data */
  constructor(app, { asked: questions, turn }) {
    this.app = app;
    this.questions = questions;
    this.turn = turn;
    /** @type {{right: number, answers: number, required: number, reached: boolean} | null} */
    this.result = null;
    this.intro = $('#intro');
    this.url = location.pathname.replace(/\/$/, '');
    this.checking = false;
    $('#try').addEventListener('click', () => this.begin());
    // the guidelines lie over the page: its keys wait until they are closed
    addEventListener('keydown', e => this.overIntro(e), { capture: true });
    for (const part of this.covered) part.inert = true;
    $('#try').focus();
    document.addEventListener('visibilitychange', () => this.checkSession());
    setInterval(() => this.checkSession(), WATCH);
  }
  /** Whoever's link was replaced or revoked is told at once, and not with the next answer. */
  async checkSession() {
    if (await signedOut(this.url.replace(/\/practice$/, ''))) this.stop();
  }
  /** Nothing can be checked any more: say so, above the guidelines too. */
  stop() {
    if (!this.intro.hidden) this.begin();
    this.app.note('practice', this.app.t('signed_out'));
  }
  /** What the guidelines lie over. */
  get covered() {
    return $$('.work');
  }
  /** @param {KeyboardEvent} e */
  overIntro(e) {
    if (this.intro.hidden || e.ctrlKey || e.metaKey || e.altKey) return;
    const at = /** @type {HTMLElement} */ (e.target);
    if (e.key === 'Enter' && !at.matches('a')) {
      e.preventDefault();
      if (!e.repeat) this.begin();
    }
    if (e.key !== 'Tab') e.stopImmediatePropagation();
  }
  /** From the guidelines to the first sentence. */
  begin() {
    this.intro.hidden = true;
    for (const part of this.covered) part.inert = false;
    this.app.rows.focus();
  }

  /** Whether a question of an item is practised. @param {number} item @param {string} question */
  asks(item, question) {
    return this.questions[item].includes(question);
  }
  /** @param {number} item @returns {''|'partial'|'done'} */
  state(item) {
    const { store } = this.app;
    if (store.items[item].feedback) return 'done';
    return store.started(item) ? 'partial' : '';
  }
  /**
   * What the main button says.
   * @param {number} item
   * @param {number} next the item after it, or -1
   */
  label(item, next) {
    if (!this.app.store.items[item].feedback) return 'check';
    if (next >= 0) return 'next_practice';
    return this.result && !this.result.reached ? 'practise_again' : 'begin';
  }
  /**
   * Send the answers to one item to be checked, and show what was right and wrong.
   * @param {number} item
   */
  async check(item) {
    const { app } = this,
      { store } = app;
    if (this.checking) return;
    this.checking = true;
    store.touch(item, true);
    const answers = Object.fromEntries(
      store.questions
        .filter(q => store.applies(item, q) && store.items[item].answers[q.id] != null)
        .filter(q => this.asks(item, q.id) || !store.open(item, q))
        .map(q => [q.id, store.items[item].answers[q.id]]),
    );
    const checked = canon(store.items[item].answers);
    const { status, body } = await send(this.url, { item, answers, turn: this.turn }).catch(
      () => NO_REPLY,
    );
    this.checking = false;
    if (status === 401) return this.stop();
    if (status !== 200 || !Array.isArray(body?.lines))
      return app.note('practice', app.t('no_check'));
    app.note('practice', '');
    // what was changed meanwhile was not checked: the verdict is about something else
    if (checked === canon(store.items[item].answers)) store.items[item].feedback = body;
    if (body.round) this.finished(body.round);
    app.refresh(item);
    const { now } = app.rows,
      box = $('#explanation');
    if (now?.el.contains(box)) app.rows.reveal(now, true, false);
    else bringIntoView(box);
    return app.say(app.t(body.right ? 'answer_right' : 'answer_wrong'));
  }
  /** Say how the round went. @param {{right: number, answers: number, required: number, reached:
   * boolean}} result */
  finished(result) {
    this.result = result;
    const { right, answers, required } = result,
      places = { n: right, all: answers, percent: Math.round(100 * required) };
    this.app.note(
      'round',
      this.app.t(result.reached ? 'practice_reached' : 'practice_missed', places),
    );
  }
  /** To the real document, or to another round where the agreement was not reached. */
  leave() {
    this.app.leave();
    if (this.result && !this.result.reached) return location.reload();
    location.assign(this.url.replace(/\/practice$/, ''));
  }
}
