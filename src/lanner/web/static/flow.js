// How one gets on: to the next unanswered sentence, to what is missing, to the end of the document
// and into the next one.
import { $, button, fill, setText } from './dom.js';
import { isRefusal, NO_REPLY, send } from './sending.js';

/**
 * The item to go to next: the first after `item` that is not done, round to the beginning; -1 where
 * all are.
 * @param {string[]} states
 * @param {number} item
 * @returns {number}
 */
export function nextOpen(states, item) {
  const order = states.map((_, n) => (item + 1 + n) % states.length);
  return order.find(i => states[i] !== 'done') ?? -1;
}

/** Whether accepting this item ends the document. @param {string[]} states @param {number} item */
export const isLast = (states, item) => states.every((state, i) => i === item || state === 'done');

export class Flow {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** What the foot of the questions says now. */
    this.shown = '';
  }

  /**
   * What the main button says: on if the item is complete, else to what is missing; after the last
   * one, finish.
   */
  accept() {
    const { app } = this,
      { rail, rows, states, item } = app,
      gap = rail.gap();
    if (app.frozen) return app.step(1);
    if (gap) {
      rail.tried.add(item);
      app.show();
      rail.arm(gap.el);
      this.footer();
      return app.say(`${app.heading}: ${$('.hint', gap.el).textContent}`);
    }
    if (app.practice && !app.store.items[item].feedback) {
      app.show();
      return void app.practice.check(item);
    }
    app.store.accept(item);
    app.saving.flushSoon(item);
    app.refresh(item, false);
    const next = nextOpen(states, item);
    if (next < 0) {
      app.show();
      return void this.finish();
    }
    app.visit(next);
    return rows.focus();
  }

  /** Lead to what is missing in an item. @param {number} i */
  point(i) {
    const { app } = this;
    app.visit(i);
    app.rail.tried.add(i);
    if (app.rail.gap()) return this.accept();
    this.footer();
    return app.say(`${app.heading}: ${app.t('something')}`);
  }

  /** Finish the document and open the next; nothing is asked unless something is missing. */
  async finish() {
    const { app } = this,
      open = app.states.findIndex(state => state !== 'done');
    app.note('wait', '');
    if (app.practice) return app.practice.leave();
    if (open >= 0) return this.point(open);
    if (app.leaving) return undefined;
    const { told } = app.saving;
    app.leave();
    const isSettled = await app.saving.settled();
    // what came back is to be read first: the page was given back as it was shown
    if (app.saving.told !== told)
      return app.say(app.store.items[app.item].feedback?.explanation ?? '');
    if (isSettled) return app.saving.finish();
    app.leave(false);
    if (app.saving.held) return undefined; // that, and what to do, is said already
    return app.note('wait', app.t('wait_finish')); // as long as this stands there
  }

  /**
   * The foot of the questions: what the main button does, what is still missing in words, and the
   * way there.
   */
  footer() {
    const { app } = this,
      { states, t } = app,
      done = states.filter(state => state === 'done').length,
      meter = $('#done');
    if (app.frozen || app.leaving) return;
    if (meter) {
      setText(meter, fill(meter.dataset.words, { done, all: states.length }));
      if ($('#docbar').value !== done) $('#docbar').value = done;
    }
    $('#finish-button')?.classList.toggle('primary', done === states.length);
    if (app.rows.all.length) {
      setText($('#accept span'), t(this.mainAct()));
    }
    this.showMissing(done);
  }
  /** What the main button does, as the name of its text. */
  mainAct() {
    const { practice, states, item, data } = this.app;
    if (practice) return practice.label(item, nextOpen(states, item));
    if (!isLast(states, item)) return 'accept';
    return data.more ? 'finish_next' : 'finish';
  }
  /** @param {number} done how many items are complete */
  showMissing(done) {
    const { states, rail, t } = this.app,
      many = states.length > 1;
    const begun = [...states.keys()].filter(
      i => states[i] === 'partial' || (!states[i] && rail.tried.has(i)),
    );
    const fresh = states.length - done - begun.length,
      texts = begun.map(i => this.missing(i, many)),
      key = [done, fresh, ...texts].join();
    if (key === this.shown) return;
    this.shown = key;
    const links = texts.map((text, n) => button('link', text, () => this.point(begun[n])));
    $('#left').replaceChildren(
      ...(links.length ? [t('missing'), ...links.flatMap(link => [' ', link])] : []),
      fresh && many ? `${links.length ? ' · ' : ''}${t('not_started', { n: fresh })}` : '',
      done === states.length ? t('complete') : '',
    );
  }
  /** What an item lacks, in words. @param {number} i @param {boolean} many */
  missing(i, many) {
    const { store, rail, rows, t } = this.app;
    const missing = store.missing(i),
      lacking = rail.asks.filter(ask => missing.includes(ask.q) || rail.refuses(i, ask)),
      what = lacking.map(ask => ask.name).join(t('comma')) || '…';
    return many ? t('missing_row', { n: rows.all[rows.of(i)].name, what }) : what;
  }
}

/**
 * Take back that a task is finished.
 * @param {string} task
 * @param {(key: string) => string} t
 * @returns {Promise<{address: string, refusal: string, again: boolean}>} where it is open again;
 *   else why it is not, and whether that may change
 */
export async function reopen(task, t) {
  const address = `${location.pathname.replace(/\/(task\/.*|work)$/, '')}/task/${task}`,
    { status, body } = await send(`${address}/reopen`, {}).catch(() => NO_REPLY);
  if (status === 200 && body?.reopened) return { address, refusal: '', again: false };
  if (!isRefusal({ status, body })) return { address: '', refusal: t('unreached'), again: true };
  const isFinal = body.reason === 'final';
  return { address: '', refusal: isFinal ? t('final') : body.message, again: !isFinal };
}

/**
 * After a document was finished: for a while that can be taken back.
 * @param {(id: string, text: string, ...acts: NoteAct[]) => void} note shows a line with buttons
 * @param {(key: string) => string} t
 * @param {(isLeaving: boolean) => void} [leave] whether the finished document is on its way
 */
export function offerUndo(note, t, leave) {
  const url = new URL(location.href),
    task = url.searchParams.get('done') ?? '';
  if (!/^\d+$/.test(task)) return;
  url.searchParams.delete('done');
  history.replaceState(null, '', url);
  const offer = /** @type {NoteAct} */ ([t('undo_finish'), () => undo()]);
  const undo = async () => {
    leave?.(true);
    const { address, refusal, again } = await reopen(task, t);
    if (address) return location.assign(address);
    leave?.(false);
    return note('done', refusal, ...(again ? [offer] : []), ['×']);
  };
  note('done', t('finished'), offer, ['×']);
}
