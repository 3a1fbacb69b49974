// The list of one's work: sends what an earlier visit left on this device, and keeps the settings.
import { open } from './db.js';
import { $, fill } from './dom.js';
import { Outbox } from './outbox.js';
import { alone, send } from './sending.js';
import { Prefs } from './settings.js';

new Prefs();
const told = $('#saved'),
  db = await open();
for (const who of told.dataset.who.split(' ')) {
  const outbox = new Outbox({
    db,
    who,
    send,
    alone,
    status: (_state, n) => {
      told.textContent = n ? fill(told.dataset.kept, { n }) : '';
      told.dataset.state = n ? 'offline' : 'saved';
      told.classList.toggle('bad', n > 0);
    },
  });
  await outbox.load(0);
  if (outbox.waiting) outbox.kick();
  addEventListener('online', () => outbox.kick());
}
document.documentElement.dataset.ready = '';
