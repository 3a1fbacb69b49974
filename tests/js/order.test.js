// Tables sort by what their cells mean, not by how it is written.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compareCells } from '../../src/lanner/web/static/order.js';

test('numbers as pages write them stand in the order of their sizes, before words', () => {
  const shown = ['–', '.5', '−.70', 'one 10', '1,234', '+8.9', '−.03', '.45', '999', 'one 9'];
  const sorted = ['−.70', '−.03', '.45', '.5', '+8.9', '999', '1,234', '–', 'one 9', 'one 10'];
  assert.deepEqual(shown.sort(compareCells), sorted);
  assert.deepEqual(['9.25 %', '62 %', '9.5 %'].sort(compareCells), ['9.25 %', '9.5 %', '62 %']);
});
