// The list of one's work: sends what an earlier visit left on this device, and keeps the settings.
import { open } from './db.js';
import { $, $$, fill, nameLanguages } from './dom.js';
import { offerUndo } from './flow.js';
import { createNote } from './notes.js';
import { keepOffline } from './offline.js';
import { Outbox } from './outbox.js';
import { alone, send } from './sending.js';
import { Prefs } from './settings.js';

const notes = $('#notes'),
  saved = $('#saved');
new Prefs();
nameLanguages(document.documentElement.lang);

offerUndo(
  (_, text, ...acts) => notes.replaceChildren(createNote(text, acts)),
  key => notes.dataset[key],
);

// whoever has had this page open on this device is past the practice, also where cookies were lost
for (const link of $$('a[href$="/practice"]')) {
  const [, task] = link.getAttribute('href').match(/(\d+)\/practice$/);
  try {
    const opened = (/** @type {string} */ who) =>
      localStorage.getItem(`lanner-row-${who}/${task}/`) != null;
    if (saved.dataset.who.split(' ').some(opened)) link.href = link.href.replace(/\/practice$/, '');
  } catch {
    /* storage is blocked: the server's word holds */
  }
}

// Enter starts what comes next, unless Tab has led to something else
document.addEventListener('keydown', e => {
  if (e.key === 'Enter' && !e.repeat && document.activeElement === document.body)
    $('#start')?.click();
});
// from it, up and down lead through the documents
document.addEventListener('keydown', e => {
  const by = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0,
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
