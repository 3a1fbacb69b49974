// The list of one's work: sends what an earlier visit left on this device, and keeps the settings.
import { open } from './db.js';
import { $, $$, fill, nameLanguages } from './dom.js';
import { offerUndo } from './flow.js';
import { createNote } from './notes.js';
import { keepOffline } from './offline.js';
import { Outbox } from './outbox.js';
import { alone, send, WATCH } from './sending.js';
import { Prefs } from './settings.js';

const notes = $('#notes'),
  saved = $('#saved');
// as it came, before anything is added here
const delivered = $$('.assignment').map(assignment => assignment.innerHTML);
new Prefs();
nameLanguages(document.documentElement.lang);

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
        link.href = link.href.replace(/\/practice$/, '');
    } catch {
      /* storage is blocked: the server's word holds */
    }
  }
}
skipPractice();

/** Shows what was assigned, paused or finished elsewhere since the page came, without a reload. */
async function renew() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => null);
  if (!answer?.ok || answer.redirected) return; // offline or signed out: the next click says so
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html'),
    fresh = [...page.querySelectorAll('.assignment')],
    shown = $$('.assignment');
  if (fresh.length !== shown.length) return location.reload();
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

const db = await open();
for (const who of saved.dataset.who.split(' ')) {
  /** @param {string} _ @param {number} n how many rows wait */
  const status = (_, n) => {
    saved.textContent = n ? fill(saved.dataset.kept, { n }) : '';
    saved.dataset.state = n ? 'offline' : 'saved';
    saved.classList.toggle('bad', n > 0);
  };
  const outbox = new Outbox({ db, who, send, alone, status });
  await outbox.load(0);
  if (outbox.waiting) outbox.kick();
  addEventListener('online', () => outbox.kick());
}
void keepOffline({ waiting: () => {}, changed: () => {} });
if (document.activeElement === document.body) $$('#start')[0]?.focus({ preventScroll: true });
document.documentElement.dataset.ready = '';
