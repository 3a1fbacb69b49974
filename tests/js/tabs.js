// Several tabs of one browser, driven line by line from a test: every tab is an Outbox over one
// shared storage. What a tab wants to send is printed, and the test says what comes back. Time
// passes only when the test says so.
import { createInterface } from 'node:readline';
import { memory } from '../../src/lanner/web/static/db.js';
import { Outbox } from '../../src/lanner/web/static/outbox.js';

const storage = memory();
const tabs = new Map();
const replies = new Map();
let clock = 1.7e12;
let numbers = 0;
let sends = 0;
let queue = Promise.resolve();

const print = event => process.stdout.write(`${JSON.stringify(event)}\n`);
const tick = () => new Promise(ok => setImmediate(ok));

/** The lock of the browser: one tab at a time, given up by a tab that is closed. */
function alone(tab, work) {
  const turn = queue.then(() => (tab.open ? Promise.race([work(), tab.closed]) : false));
  queue = turn.catch(() => {});
  return turn;
}

function openTab(name) {
  const tab = { open: true, naps: [] };
  tab.closed = new Promise(ok => {
    tab.close = () => {
      tab.open = false;
      ok(false);
    };
  });
  const db = {
    ...storage,
    put: (...what) => (tab.open ? storage.put(...what) : new Promise(() => {})),
  };
  tab.box = new Outbox({
    db,
    who: 'judge',
    now: () => new Date(clock),
    uuid: () => `submission-${++numbers}`,
    alone: work => alone(tab, work),
    wait: () => new Promise(ok => tab.naps.push(ok)),
    send: (url, body) => {
      if (!tab.open) return new Promise(() => {});
      const id = ++sends;
      print({ event: 'send', id, tab: name, url, body });
      return new Promise((ok, fail) => replies.set(id, { ok, fail }));
    },
  });
  tabs.set(name, tab);
  return tab.box.load(1);
}

const commands = {
  open: ({ tab }) => openTab(tab),
  close: ({ tab }) => {
    tabs.get(tab).close();
    tabs.delete(tab);
  },
  answer: ({ tab, item, answers, base }) => {
    const spent = { elapsed: 1, active: 1 };
    void tabs.get(tab).box.seal('/answers', 1, item, answers, base ?? {}, spent);
  },
  kick: ({ tab }) => tabs.get(tab).box.kick(),
  pass: ({ ms }) => {
    clock += ms;
    for (const tab of tabs.values()) for (const wake of tab.naps.splice(0)) wake();
  },
  set_clock: ({ ms }) => {
    clock += ms;
  },
  reply: ({ id, status, body, failed }) => {
    const { ok, fail } = replies.get(id);
    replies.delete(id);
    if (failed) fail(new TypeError('network'));
    else ok({ status, body });
  },
  look: async () => {
    const [outbox, copies] = [await storage.all('outbox', ''), await storage.all('copies', '')];
    print({
      event: 'look',
      outbox: outbox.map(([, message]) => message.body),
      copies: copies.map(([, copy]) => copy),
      waiting: [...tabs].map(([name, { box }]) => [name, box.queue.length]),
    });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  await commands[command.do](command);
  for (let n = 0; n < 30; n++) await tick();
  print({ event: 'idle' });
}
