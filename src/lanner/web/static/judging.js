// The judging page: one current row, its questions, and what happens when they are answered.
import { Clock } from './clock.js';
import { open } from './db.js';
import { canon } from './digest.js';
import { $, $$, afterFrame, fill, setHidden, setText, targetOf } from './dom.js';
import { Flow, offerUndo } from './flow.js';
import { moveFocus, watchFocus } from './focus.js';
import { Help } from './help.js';
import { isTimely, listen, replay } from './keys.js';
import { Marking } from './marking.js';
import { listenToMessages } from './message.js';
import { createNote } from './notes.js';
import { keepOffline } from './offline.js';
import { watchPointer, whenStill } from './pointer.js';
import { Rail } from './rail.js';
import { Rows } from './rows.js';
import { Saving } from './saving.js';
import { Prefs } from './settings.js';
import { Store } from './store.js';

/** @type {PageData} */
const data = JSON.parse($('#data').textContent);
/** How often the time spent is counted, in milliseconds. */
const TICK = 5000;
/** Segments shorter than this are seen at a glance: their counterpart is not lit. */
const LONG = 160;
/** What only some pages need is loaded by these alone. */
const practice = data.practice ? await import('./practice.js') : null;
const teaching =
  practice || data.items.some(item => item.training) ? await import('./feedback.js') : null;

/**
 * One part of each saved answer.
 * @param {Record<string, any>} saved
 * @param {(entry: {id: number, value: any}) => any} part
 */
const pick = (saved, part) =>
  Object.fromEntries(Object.entries(saved).map(([question, entry]) => [question, part(entry)]));

export class App {
  /** @param {Db} db */
  constructor(db) {
    this.data = data;
    this.frozen = data.finished;
    this.begun = false;
    /** Whether another page is on its way: until it is here nothing is answered any more. */
    this.leaving = false;
    /** What the main button says when none is. */
    this.mainText = '';
    /** What says how answers to training items were; null where there are none. */
    this.teaching = teaching;
    this.row = -1;
    this.item = 0;
    /** A text of the page in the judge's language. @param {string} key @param {object} [values] */
    this.t = (key, values = {}) => fill(data.words[key], values);
    this.rail = new Rail($('#questions'), this);
    this.rows = new Rows(this);
    this.store = new Store(
      this.rail.asks.map(x => x.q),
      data.items.map(({ saved, ...item }) => ({
        ...item,
        answers: pick(saved, entry => entry.value),
        base: pick(saved, entry => entry.id),
        stored: pick(saved, entry => canon(entry.value)),
        confirmed: pick(saved, entry => canon(entry.value)),
        refused: {},
        newer: {},
      })),
    );
    /** @type {string[]} */
    this.states = data.items.map(() => '');
    /** @type {Set<number>} items whose margin does not say yet what was answered */
    this.unsummed = new Set();
    this.summing = false;
    watchFocus();
    watchPointer(document);
    for (const departure of ['pagehide', 'visibilitychange']) {
      addEventListener(departure, () => this.rail.commit(), { capture: true });
    }
    addEventListener('pageshow', e => e.persisted && this.leave(false));
    this.flow = new Flow(this);
    this.help = new Help(this);
    this.marking = new Marking(this);
    this.clock = new Clock(data.idle * 1000, 4 * TICK);
    this.saving = practice
      ? /** @type {Saving} */ (/** @type {unknown} */ (new practice.NoSaving()))
      : new Saving(this, db);
    this.practice = practice && data.practice ? new practice.Practice(this, data.practice) : null;
    this.prefs = new Prefs(() => this.saving.flush(this.item));
    for (const ask of this.rail.asks) ask.kind.watch?.(ask, this);
    listen(this);
    listenToMessages(this);
    this.rail.form.addEventListener('submit', e => {
      e.preventDefault();
      this.flow.accept();
    });
    $('#finish').addEventListener('submit', (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      void this.flow.finish();
    });
    /** @type {Record<string, () => void>} */
    const acts = {
      undo: () => this.undo(),
      close: () => this.help.shut(),
      sheet: () => this.sheet(),
      practice: () => location.assign(`${location.pathname.replace(/\/$/, '')}/practice`),
      theme: () => this.prefs.theme(),
      size: () => {
        this.prefs.size();
        this.rows.settle();
      },
    };
    document.addEventListener('click', e => {
      const { go, act } = targetOf(e).closest('[data-act], [data-go]')?.dataset ?? {};
      if (go) e.preventDefault();
      if (go) this.step(+go);
      else acts[act]?.();
    });
  }

  /** Bring back what an earlier visit left, and open the first row. */
  async start() {
    await this.saving.start();
    this.begun = true;
    for (const i of this.states.keys()) this.refresh(i, false);
    this.sumUp();
    const kept = this.saving.lastRow - 1;
    this.go(
      this.rows.all[kept]?.item != null
        ? kept
        : this.rows.next(this.rows.all.findIndex(r => r.el.matches('.is-active')) - 1, 1),
    );
    this.rows.fill();
    this.rows.focus();
    moveFocus();
    offerUndo(
      (id, text, ...acts) => this.note(id, text, ...acts),
      this.t,
      isLeaving => this.leave(isLeaving),
    );
    this.flow.footer();
    this.time();
    if ($$('.row [data-side]').some(cell => cell.textContent.length >= LONG))
      void import('./counterpart.js').then(({ Counterpart }) => new Counterpart(this, LONG));
    if (location.hash === '#guidelines' && !this.practice) {
      history.replaceState(null, '', location.pathname + location.search);
      this.help.toggle('guidelines');
    }
    if (data.offline) this.keepOffline();
    document.documentElement.dataset.ready = '';
    this.takeEarly();
  }

  /**
   * What was pressed before the scripts ran, unless it may have been about something else than is
   * shown now.
   */
  takeEarly() {
    const inputs = window.takeEarlyInput?.() ?? [],
      { answers } = this.store.items[this.item],
      shown = pick(data.items[this.item].saved, entry => entry.value);
    if (!inputs.length) return;
    if (isTimely(inputs, this.row, performance.now()) && canon(answers) === canon(shown))
      replay(inputs);
    else this.note('early', this.t('early'));
  }

  /**
   * Another page is on its way (or is not, after all): what is pressed meanwhile is meant for that
   * one, and for nothing on this.
   */
  leave(isLeaving = true) {
    if (isLeaving === this.leaving) return;
    const main = $('#accept span');
    this.leaving = isLeaving;
    $('.work').inert = isLeaving;
    document.documentElement.toggleAttribute('data-leaving', isLeaving);
    if (isLeaving) this.mainText = main?.textContent ?? '';
    if (main) setText(main, isLeaving ? this.t('moment') : this.mainText);
    if (isLeaving) {
      this.say(this.t('moment'));
      return;
    }
    this.flow.footer(); // the answer with which one went may be the last that was missing
    this.rows.focus();
  }

  /** Once the page has settled: what a reload without a network needs is kept on this device. */
  keepOffline() {
    const later = window.requestIdleCallback ?? setTimeout;
    later(() =>
      keepOffline({
        stale: () => this.saving.outdated(),
        waiting: activate =>
          this.note(
            'version',
            this.t('new_version'),
            [this.t('reload'), () => this.saving.flush(this.item).then(activate)],
            [this.t('later')],
          ),
        changed: () =>
          this.note(
            'version',
            this.t('version_elsewhere'),
            [this.t('reload'), () => location.reload()],
            [this.t('later')],
          ),
      }),
    );
  }
  /** Say something to those who listen to the page. @param {string} text */
  say(text) {
    $('#say').textContent = text;
  }
  /**
   * A line above the page that stays until it is answered; without a text it goes.
   * @param {string} id
   * @param {string} text
   * @param {NoteAct[]} acts
   */
  note(id, text, ...acts) {
    whenStill(() => {
      $(`#note-${id}`)?.remove();
      if (!text) return;
      const note = createNote(text, acts);
      note.id = `note-${id}`;
      $('#notes').append(note);
      this.rows.settle(); // on a phone it may lie over the sentence
    });
  }

  /**
   * To a row; where there is none, as in a questionnaire, the same questions are shown anew.
   * @param {number} at
   * @param {boolean} [scroll]
   */
  go(at, scroll = true) {
    const row = this.rows.all[at];
    if (row && row.item == null) return;
    this.note('wait', '');
    this.rail.commit();
    this.saving.leave(this.item);
    if (row?.item != null) {
      this.marking.close();
      this.rows.activate(at);
      this.row = at;
      this.item = row.item;
      this.saving.remember(at + 1);
    }
    this.show(true);
    if (this.begun) this.sumUpSoon();
    (window.requestIdleCallback ?? setTimeout)(() => this.rows.prepareSteps());
    this.rail.restOnArrival();
    if (row) this.rows.reveal(row, scroll, !$('html[data-ready]'));
  }
  /** To the next or previous row. @param {number} by */
  step(by) {
    if (!this.rows.all.length) return this.rail.step(by);
    const at = this.rows.next(this.row, by);
    if (at >= 0) this.go(at);
  }
  /** To the row of an item. @param {number} i */
  visit(i) {
    if (this.rows.all.length && i !== this.item) this.go(this.rows.of(i));
  }

  /** Show the questions and the feedback of the current item. */
  show(anew = false) {
    const { feedback, training } = this.store.items[this.item];
    this.rail.show(this.item, anew);
    setHidden($('#training'), !training);
    this.teaching?.showFeedback($('#explanation'), feedback, this);
  }
  /**
   * Bring everything that shows an item up to date; not under a pressed pointer.
   * @param {number} i
   * @param {boolean} [all] the questions as well
   */
  refresh(i, all = true) {
    const state = this.practice?.state(i) ?? this.store.state(i);
    this.states[i] = this.rail.refuses(i) ? 'partial' : state;
    this.unsummed.add(i);
    this.sumUpSoon();
    whenStill(() => {
      this.marking.paint(i);
      if (all && i === this.item) this.show();
    });
  }
  /**
   * What only sums up the answers follows in the frame after the one that shows the answer: so a
   * key is answered at once.
   */
  sumUpSoon() {
    if (this.summing) return;
    this.summing = true;
    afterFrame(() => this.sumUp());
  }
  /** What the questions are about: the sentence, or the whole document. */
  get heading() {
    const { textContent, dataset } = $('#heading'),
      row = this.rows.now;
    return row?.own ? fill(dataset.words, { n: row.name }) : textContent;
  }
  /** Bring the heading, the margins, the meter and the foot up to date. */
  sumUp() {
    whenStill(() => {
      this.summing = false;
      setText($('#heading'), this.heading);
      for (const i of this.unsummed) this.rows.mark(i, this.states[i]);
      this.unsummed.clear();
      this.flow.footer();
    });
  }
  /**
   * @param {string} id of the question
   * @param {any} value
   * @param {boolean} [typed] by letters
   * @param {boolean} [shown] whether the questions are brought up to date at once
   */
  answer(id, value, typed = false, shown = true) {
    // what an earlier visit left comes first
    if (this.frozen || !this.begun || this.leaving) return;
    const { item } = this;
    this.store.set(item, id, value, typed);
    this.changed(item, shown);
  }
  /** The answers of an item are others now. @param {number} i @param {boolean} [shown] */
  changed(i, shown = true) {
    if (this.practice) this.store.items[i].feedback = null; // they are checked anew
    this.note('wait', '');
    this.saving.changed(i);
    this.refresh(i, shown);
  }
  /**
   * A number that is being typed: no answer yet, but not to be lost either.
   * @param {Question} question
   * @param {any} value
   */
  keep(question, value) {
    if (this.frozen || !this.begun) return;
    this.saving.keep(this.item, question.id, value ?? this.store.value(this.item, question));
  }
  /** Take back the last change. */
  undo() {
    const i = this.frozen ? -1 : this.store.undo();
    if (i < 0) return this.say(this.t('nothing_undo'));
    this.visit(i);
    this.changed(i);
    this.rail.rest();
    return this.say(this.t('undone'));
  }

  /** The sheet of questions on a small screen. */
  sheet(open = $('.shut.work') != null) {
    if (open === !$('.shut.work')) return;
    $('.work').classList.toggle('shut', !open);
    $('.sheet')?.setAttribute('aria-expanded', String(open));
  }

  /** Minutes worked, and a word about breaks. */
  time() {
    let worked = data.minutesToday * 60,
      sitting = 0;
    for (const sign of ['keydown', 'pointermove', 'pointerdown', 'wheel', 'scroll'])
      addEventListener(sign, () => this.clock.touch(), { passive: true, capture: true });
    document.addEventListener('visibilitychange', () => this.clock.show(!document.hidden));
    setInterval(() => {
      const active = this.saving.spend(this.item);
      worked += active;
      sitting = active ? sitting + active : Math.max(0, sitting - TICK / 500);
      const mins = $('#mins');
      if (mins) setText(mins, fill(mins.dataset.words, { n: Math.floor(worked / 60) }));
      if (!data.breakAfter || sitting < data.breakAfter * 60 || this.prefs.get('breaks') === 'off')
        return;
      this.note(
        'break',
        this.t('break', { n: Math.floor(sitting / 60) }),
        [this.t('break_ok')],
        [this.t('break_off'), () => this.prefs.set('breaks', 'off')],
      );
      sitting = 0;
    }, TICK);
  }
}

void new App(await open()).start();
