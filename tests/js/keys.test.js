import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../src/lanner/web/static/dom.js';
import { keyOf } from '../../src/lanner/web/static/keys.js';

const key = (key, code, shiftKey = false) => keyOf({ key, code, shiftKey });

test('letters by name, by position under other scripts; digits by position', () => {
  assert.equal(key('s', 'KeyS'), 's');
  assert.equal(key('S', 'KeyS', true), 's');
  assert.equal(key('ㄴ', 'KeyS'), 's');
  assert.equal(key('س', 'KeyS'), 's');
  assert.equal(key('z', 'KeyY'), 'z', 'a German keyboard keeps its own letters');
  assert.equal(key('&', 'Digit1'), '1', 'AZERTY');
  assert.equal(key('7', 'Numpad7'), '7');
  assert.equal(key('?', 'Slash', true), '?');
  assert.equal(key('ظ', 'Slash'), '/');
  assert.equal(key('ArrowDown', 'ArrowDown'), 'ArrowDown');
});

test('places in a text are filled; what is unknown is left out', () => {
  assert.equal(fill('{a} of {b}{c}', { a: 0, b: 'x' }), '0 of x');
});
