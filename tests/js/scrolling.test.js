import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restingPlace } from '../../src/lanner/web/static/scrolling.js';

test('the middle of a row stands at 40 % of the height', () => {
  assert.equal(restingPlace(5000, 100, 1000), 5050 - 400);
});

test('a high row is whole, and of one that does not fit the beginning shows', () => {
  const view = 600;
  for (const height of [100, 300, 500, 570]) {
    const at = restingPlace(5000, height, view);
    assert.ok(at <= 5000 - 12 && at + view >= 5000 + height + 12, `whole at ${height}`);
  }
  assert.equal(restingPlace(5000, 900, view), 5000 - 12);
  assert.equal(restingPlace(5000, view - 6, view), 5000 - 3, 'a row that just fits is whole');
});

test('a row stands below a notice that lies over the view', () => {
  assert.equal(restingPlace(5000, 300, 400, 60), 5000 - 12 - 60);
  assert.equal(restingPlace(5000, 100, 1000, 60), restingPlace(5000, 100, 1000));
});

test('the first rows stand where they are', () => {
  assert.equal(restingPlace(20, 80, 700), 0);
});
