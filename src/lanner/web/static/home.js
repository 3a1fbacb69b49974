// The list of one's work: sends what an earlier visit left on this device, says what is not on the
// server yet, and keeps the settings.
import { open } from './db.js';
import {
  $,
  $$,
  button,
  create,
  fill,
  nameLanguages,
  replaceChanged,
  setText,
  written,
} from './dom.js';
import { offerUndo } from './flow.js';
import { createNote, downloadAnswers } from './notes.js';
import { keepOffline } from './offline.js';
import { Outbox } from './outbox.js';
import { watchPointer, whenStill } from './pointer.js';
import { alone, send, WATCH } from './sending.js';
import { Prefs } from './settings.js';

const notes = $('#notes'),
  saved = $('#saved');
// as it came, before anything is added here
const delivered = $$('.assignment').map(assignment => assignment.innerHTML);
new Prefs();
watchPointer(document);
nameLanguages(document.documentElement.lang);
tellDueDates();

/**
 * The due date in the reader's language. It is a day of the organisers' time zone: where the day
 * ends at another time on the reader's own clock, that is said too.
 */
function tellDueDates() {
  for (const time of $$('.due time')) {
    const end = new Date(time.dateTime),
      timeZone = time.dataset.zone,
      clock = /** @type {Intl.DateTimeFormatOptions} */ ({ dateStyle: 'long', timeStyle: 'short' }),
      said = (/** @type {Intl.DateTimeFormatOptions} */ how) => written(how).format(end),
      mine = $('.on-your-clock', time.closest('.due'));
    time.textContent = said({ dateStyle: 'long', timeZone });
    if (mine && said(clock) !== said({ ...clock, timeZone }))
      mine.textContent = `(${fill(mine.dataset.words, { time: said(clock) })})`;
  }
}

offerUndo(
  (_, text, ...acts) => notes.replaceChildren(createNote(text, acts)),
  key => notes.dataset[key],
);

/** Whoever had this page open on this device is past the practice, also where cookies were lost. */
function skipPractice() {
  for (const link of $$('a[href$="/practice"]')) {
    const [, task] = link.getAttribute('href').match(/(\d+)\/practice$/);
    try {
      const opened = (/** @type {string} */ who) =>
        localStorage.getItem(`lanner-row-${who}/${task}/`) != null;
      if (saved.dataset.who.split(' ').some(opened))
        link.href = link.href.replace(
          /\/practice$/,
          link.matches('.guide-link') ? '#guidelines' : '',
        );
    } catch {
      /* storage is blocked: the server's word holds */
    }
  }
}
skipPractice();

/** How often each has been asked: what was asked last holds, in whatever order the replies come. */
const asked = { renewed: 0, told: 0 };

/** Shows what was assigned, paused or finished elsewhere since the page came, without a reload. */
async function renew() {
  if (document.hidden) return;
  const turn = ++asked.renewed;
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => null);
  if (!answer?.ok || answer.redirected) return; // offline or signed out: the next click says so
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html'),
    fresh = [...page.querySelectorAll('.assignment')],
    shown = $$('.assignment');
  if (turn !== asked.renewed) return;
  if (!page.querySelector('#saved[data-who]')) return; // the page of some proxy on the way
  if (fresh.length !== shown.length) return location.reload();
  whenStill(() => show(fresh, shown));
}

/** Put what has come in place of what is shown. @param {Element[]} fresh @param {any[]} shown */
function show(fresh, shown) {
  fresh.forEach((assignment, at) => {
    if (assignment.innerHTML === delivered[at]) return;
    const focused = shown[at].contains(document.activeElement) ? document.activeElement : null,
      address = focused?.getAttribute('href'),
      unfolded = $$('details', shown[at]).map(part => part.open);
    shown[at].innerHTML = delivered[at] = assignment.innerHTML;
    $$('details', shown[at]).forEach((part, place) => {
      part.open = unfolded[place] ?? false;
    });
    $$('a', shown[at])
      .find(link => (focused?.id ? link.id === focused.id : link.getAttribute('href') === address))
      ?.focus({ preventScroll: true });
  });
  nameLanguages(document.documentElement.lang);
  tellDueDates();
  skipPractice();
}
document.addEventListener('visibilitychange', renew);
setInterval(renew, 4 * WATCH);

// Enter starts what comes next, unless Tab has led to something else
document.addEventListener('keydown', e => {
  if (e.key === 'Enter' && !e.repeat && document.activeElement === document.body)
    $('#start')?.click();
});
// from it, arrows lead through the documents
const forward = document.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
document.addEventListener('keydown', e => {
  const isArrow = /^Arrow/.test(e.key),
    by = !isArrow ? 0 : e.key === 'ArrowDown' || e.key === forward ? 1 : -1,
    stops = $$('#start, a.task').filter(stop => stop.checkVisibility()),
    at = stops.indexOf(document.activeElement);
  if (!by || at < 0 || e.ctrlKey || e.metaKey || e.altKey || !stops[at + by]) return;
  e.preventDefault();
  stops[at + by].focus();
});

const db = await open(),
  judges = /** @type {string[]} */ (saved.dataset.who.split(' '));
let refusal = ''; // what the server says to an answer that it does not take
const outboxes = /** @type {Outbox[]} */ ([]);

/**
 * Say that everything is saved, or what is not, and in which documents: read from this device each
 * time, since another window may have answered. Where the browser keeps nothing, nobody knows.
 */
async function tellSaved() {
  if (!db.lasting) return;
  const turn = ++asked.told;
  const entries = async (/** @type {string} */ store) =>
      (await Promise.all(judges.map(who => db.all(store, `${who}/`)))).flat(),
    unsent = (await entries('outbox')).map(([, { task, item }]) => `${task}/${item}`),
    drafts = (await entries('drafts')).map(([key]) => key.split('/').slice(1, 3).join('/')),
    waiting = [...new Set(unsent)],
    // a document that is finished, here or elsewhere, takes no more answers
    open = (/** @type {string} */ row) => linkTo(row) && !linkTo(row).closest('.finished'),
    unfinished = [...new Set(drafts)].filter(row => !waiting.includes(row) && open(row)),
    { kept, incomplete, everything } = saved.dataset,
    parts = [
      ...(waiting.length ? [fill(kept, { n: waiting.length })] : []),
      ...(unfinished.length ? [fill(incomplete, { n: unfinished.length })] : []),
    ];
  whenStill(() => {
    if (turn !== asked.told) return;
    saved.dataset.state = waiting.length ? 'offline' : unfinished.length ? 'kept' : 'saved';
    saved.classList.toggle('bad', waiting.length > 0);
    saved.classList.toggle('busy', !waiting.length && unfinished.length > 0);
    setText(saved, parts.join(' · ') || everything);
    listDocuments(
      [...waiting, ...unfinished],
      waiting.length ? fill(refusal, { n: waiting.length }) : '',
    );
  });
}

/** The link to the document of a row. @param {string} row task and item */
function linkTo(row) {
  const address = `/task/${row.split('/')[0]}`;
  return $$('#start, a.task').find(link =>
    link.pathname.replace('/practice', '').endsWith(address),
  );
}

/**
 * The documents whose answers are not on the server, below what it said to them.
 * @param {string[]} rows
 * @param {string} message
 */
function listDocuments(rows, message) {
  const line = $('#waiting'),
    documents = [...new Set(rows.map(linkTo).filter(Boolean))].map(link =>
      create('a', '', $('h3', link.closest('.next-up') ?? link).textContent, { href: link.href }),
    ),
    isSaid = $$('.assignment .card').some(card => card.textContent === message), // as: paused
    parts = [...(message && !isSaid ? [new Text(message)] : []), ...documents, ...offerLate()];
  line.hidden = !parts.length;
  replaceChanged(
    line,
    parts.flatMap((part, n) => (n ? [new Text(' · '), part] : [part])),
  );
}

/** What can be done with answers to work that was closed before they came. @returns {Node[]} */
function offerLate() {
  const late = () => outboxes.flatMap(outbox => outbox.late('closed')),
    rows = new Set(late().map(({ task, item }) => `${task}/${item}`)),
    { closed_late: words, download, leave_out: leaveOut } = notes.dataset;
  if (!rows.size) return [];
  return [
    new Text(fill(words, { n: rows.size })),
    button('btn line small', download, () => downloadAnswers(late())),
    button('btn line small', leaveOut, async () => {
      for (const outbox of outboxes) await outbox.leaveOut(outbox.late('closed'));
      await tellSaved();
    }),
  ];
}

for (const who of judges) {
  /** @type {OutboxParts['status']} */
  const status = (state, _, message) => {
    refusal = state === 'signin' ? saved.dataset.signin : message;
    void tellSaved();
  };
  const outbox = new Outbox({ db, who, send, alone, status });
  outboxes.push(outbox);
  const sendWaiting = async () => {
    if (document.hidden || outbox.running) return;
    await outbox.load(0);
    if (outbox.waiting) outbox.kick();
    else await tellSaved();
  };
  await sendWaiting();
  addEventListener('online', () => outbox.kick());
  document.addEventListener('visibilitychange', sendWaiting);
  new BroadcastChannel(`lanner-${who}`).onmessage = tellSaved;
}
setInterval(tellSaved, WATCH);
void keepOffline({ waiting: () => {}, changed: () => {} });
if (document.activeElement === document.body) $$('#start')[0]?.focus({ preventScroll: true });
document.documentElement.dataset.ready = '';
