import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalOf } from '../../src/lanner/web/static/widgets/scale.js';

const POINTS = [100, 66, 33, 0];

test('a value lies between two described points', () => {
  assert.deepEqual(intervalOf(POINTS, 50), [33, 66]);
  assert.deepEqual(intervalOf(POINTS, 99), [66, 100]);
});

test('a described point is its own interval, and so are the ends', () => {
  assert.deepEqual(intervalOf(POINTS, 66), [66]);
  assert.deepEqual(intervalOf(POINTS, 0), [0]);
  assert.deepEqual(intervalOf([10, 20], 5), [10]);
});

test('without an answer or without points nothing is lit', () => {
  assert.deepEqual(intervalOf(POINTS, null), []);
  assert.deepEqual(intervalOf([], 5), []);
});
