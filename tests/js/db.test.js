import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../src/lanner/web/static/db.js';

/** Just enough of IndexedDB to see what is asked of it, and in which order. */
function told() {
  const calls = [];
  const store = { put: (value, key) => calls.push(`put ${key} ${value}`), delete: key => calls.push(`delete ${key}`) };
  const transaction = () => {
    const tx = { objectStore: () => store, commit: () => { calls.push('commit'); queueMicrotask(() => tx.oncomplete()); } };
    return tx;
  };
  const asked = { result: { transaction } };
  const factory = () => ({ open: () => { queueMicrotask(() => asked.onsuccess()); return asked; } });
  return { calls, factory };
}

test('a write is committed in the same breath, since a page may be left before the browser does it by itself', async () => {
  const { calls, factory } = told(), db = await open(factory);
  const writing = db.put('drafts', ['a', 1], ['b', null]);
  assert.deepEqual(calls, ['put a 1', 'delete b', 'commit']);
  await writing;
});

test('a browser without storage keeps things in memory and says so', async () => {
  const db = await open(() => { throw new Error('none'); });
  assert.equal(db.lasting, false);
  await db.put('drafts', ['a', 1], ['b', 2]);
  await db.put('drafts', ['a', null]);
  assert.deepEqual(await db.all('drafts', ''), [['b', 2]]);
});
