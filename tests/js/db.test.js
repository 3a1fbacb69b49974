import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../src/lanner/web/static/db.js';

/**
 * Just enough of IndexedDB to see what is asked of it, and in which order; `drop`: nothing is ever
 * written from now on.
 */
function states({ dropped = false } = {}) {
  const calls = [];
  const done = (call, result) => {
    calls.push(call);
    return { result };
  };
  const store = name => ({
    put: (value, key) => done(`put ${name} ${key} ${value}`),
    delete: key => done(`delete ${name} ${key}`),
    getAllKeys: () => done('keys', ['a', 'b']),
    getAll: () => done('values', [1, 2]),
    count: () => done(`count ${name}`, 0),
  });
  const transaction = stores => {
    calls.push(`begin ${[...new Set(stores)]}`);
    const tx = {
      objectStore: store,
      commit: () => {
        calls.push('commit');
        if (!dropped) queueMicrotask(() => tx.oncomplete());
      },
    };
    return tx;
  };
  const asked = { result: { transaction } };
  const factory = () => ({
    open: () => {
      queueMicrotask(() => asked.onsuccess());
      return asked;
    },
  });
  const drop = () => (dropped = true);
  return { calls, factory, drop };
}

/** The same, opened: what is asked of it after that it could be read. */
async function opened() {
  const { calls, factory, drop } = states(),
    db = await open(factory);
  assert.match(calls.splice(0).join(), /^begin drafts,outbox,times,copies,count .*commit$/);
  return { calls, db, drop };
}

test('a write is committed at once: a page may be left before the browser does so', async () => {
  const { calls, db } = await opened();
  const writing = db.put('drafts', ['a', 1], ['b', null]);
  assert.deepEqual(calls, ['begin drafts', 'put drafts a 1', 'delete drafts b', 'commit']);
  await writing;
});

test('a message and the drafts it is made of change in one stroke', async () => {
  const { calls, db } = await opened();
  await db.put('outbox', ['a', 1], ['b', null, 'drafts']);
  assert.deepEqual(calls, ['begin outbox,drafts', 'put outbox a 1', 'delete drafts b', 'commit']);
});

test('what is kept is read at one moment, since another page may be sending it', async () => {
  const { calls, db } = await opened();
  globalThis.IDBKeyRange = { bound: () => null };
  assert.deepEqual(await db.all('outbox', ''), [
    ['a', 1],
    ['b', 2],
  ]);
  assert.deepEqual(calls, ['begin outbox', 'keys', 'values', 'commit']);
});

test('a browser without storage keeps things in memory and says so', async () => {
  const db = await open(() => {
    throw new Error('none');
  });
  assert.equal(db.lasting, false);
  await db.put('drafts', ['a', 1], ['b', 2]);
  await db.put('drafts', ['a', null]);
  assert.deepEqual(await db.all('drafts', ''), [['b', 2]]);
});

test('a damaged store that never answers is given up', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const pass = async () => {
    await new Promise(ok => setImmediate(ok));
    mock.timers.tick(1e4);
  };
  const hanging = [{ open: () => ({}) }, states({ dropped: true }).factory()];
  for (const factory of hanging) {
    const opening = open(() => factory);
    await pass();
    assert.equal((await opening).lasting, false, 'not opened, or not readable: in memory');
  }
  const { db, drop } = await opened();
  drop();
  const writing = assert.rejects(db.put('drafts', ['a', 1]), { name: 'TimeoutError' });
  await pass();
  await writing;
});

/** The local storage of a browser, as far as it is used. */
class Shelf {
  getItem(name) {
    return this[name] ?? null;
  }
  setItem(name, value) {
    this[name] = value;
  }
  removeItem(name) {
    delete this[name];
  }
}

test('what a page writes while it is left is written again by the next page, once', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] }); // nobody waits for what is dropped
  const leave = {};
  globalThis.localStorage = new Shelf();
  globalThis.addEventListener = (name, work) => (leave[name] = work);
  const { open: openPage } = await import('../../src/lanner/web/static/db.js?left');
  const old = states(),
    page = await openPage(old.factory);
  await page.put('drafts', ['before', 1]);
  leave.pagehide();
  await page.put('drafts', ['kept for going back', 1]);
  assert.deepEqual(Object.keys(localStorage), [], 'written: nothing is left to do');
  old.drop();
  void page.put('outbox', ['m', { tries: 0 }], ['d', null, 'drafts']);
  void page.put('drafts', ['e', 2]);
  assert.equal(Object.keys(localStorage).length, 2);
  const fresh = states();
  await open(fresh.factory);
  assert.deepEqual(fresh.calls.slice(fresh.calls.indexOf('commit') + 1), [
    'begin outbox,drafts',
    'put outbox m [object Object]',
    'delete drafts d',
    'commit',
    'begin drafts',
    'put drafts e 2',
    'commit',
  ]);
  assert.deepEqual(Object.keys(localStorage), []);
  leave.pageshow();
  void page.put('drafts', ['back', 1]);
  assert.deepEqual(Object.keys(localStorage), [], 'an open page needs no note');
  delete globalThis.localStorage;
});
