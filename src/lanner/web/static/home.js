// The list of one's work: sends what an earlier visit left on this device, and keeps the settings.
import { open } from './db.js';
import { Outbox } from './outbox.js';
import { Prefs } from './settings.js';
import { alone, send } from './sending.js';

new Prefs();
const told = /** @type {HTMLElement} */ (document.querySelector('#saved')), db = await open(), waiting = new Map();
for (const who of (told.dataset.who ?? '').split(' ').filter(Boolean)) {
  const show = () => { const n = [...waiting.values()].reduce((a, b) => a + b, 0); told.textContent = n ? (told.dataset.kept ?? '').replace('{n}', String(n)) : ''; told.dataset.state = n ? 'offline' : 'saved'; };
  const outbox = new Outbox({ db, who, send, alone, status: s => { waiting.set(who, s.waiting); show(); } });
  await outbox.load(0);
  if (outbox.waiting) outbox.kick();
  addEventListener('online', () => outbox.kick());
}
document.documentElement.dataset.ready = '';
