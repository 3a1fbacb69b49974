import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canon, digest } from '../../src/lanner/web/static/digest.js';

test('is SHA-256 of the canonical JSON, whatever its length', () => {
  for (let n = 0; n < 300; n++) {
    const text = 'é'.repeat(n) + '👩‍🚀';
    assert.equal(digest(text), createHash('sha256').update(canon(text)).digest('hex'));
  }
});

test('the order of keys does not matter, that of a list does', () => {
  assert.equal(digest({ b: 1, a: [1, { d: 2, c: 3 }] }), digest({ a: [1, { c: 3, d: 2 }], b: 1 }));
  assert.notEqual(digest([1, 2]), digest([2, 1]));
  assert.equal(canon({ b: undefined, a: null }), '{"a":null,"b":null}');
});

test('half an emoji is named as it is sent', () => {
  assert.equal(digest(['a\ud83d']), digest(['a\ufffd']));
  assert.notEqual(digest('a👩'), digest('a\ufffd'));
});
