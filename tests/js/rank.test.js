import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief } from '../../src/lanner/web/static/widgets/rank.js';

test('what has no place yet is not shown as the best', () => {
  const el = { querySelector: () => null };
  assert.deepEqual(brief(el, [2, 1, 1, 3]).best, [1, 2]);
  assert.deepEqual(brief(el, [1, 1]).best, [], 'all the same');
  assert.deepEqual(brief(el, [2, 0, 1]).best, []);
  assert.equal(brief(el, [2, 0, 1]).badge, '2 – 1');
});
