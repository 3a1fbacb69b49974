import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../src/lanner/web/static/db.js';

/** Just enough of IndexedDB to see what is asked of it, and in which order. */
function states() {
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
  });
  const transaction = stores => {
    calls.push(`begin ${[...new Set(stores)]}`);
    const tx = {
      objectStore: store,
      commit: () => {
        calls.push('commit');
        queueMicrotask(() => tx.oncomplete());
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
  return { calls, factory };
}

test('a write is committed at once: a page may be left before the browser does so', async () => {
  const { calls, factory } = states(),
    db = await open(factory);
  const writing = db.put('drafts', ['a', 1], ['b', null]);
  assert.deepEqual(calls, ['begin drafts', 'put drafts a 1', 'delete drafts b', 'commit']);
  await writing;
});

test('a message and the drafts it is made of change in one stroke', async () => {
  const { calls, factory } = states(),
    db = await open(factory);
  await db.put('outbox', ['a', 1], ['b', null, 'drafts']);
  assert.deepEqual(calls, ['begin outbox,drafts', 'put outbox a 1', 'delete drafts b', 'commit']);
});

test('what is kept is read at one moment, since another page may be sending it', async () => {
  const { calls, factory } = states(),
    db = await open(factory);
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
