import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHopeless, limitsOf, readNumber } from '../../src/lanner/web/static/numbers.js';

const HUNDRED = { min: 0, max: 100, step: 1 };
const read = (text, limits = HUNDRED) => readNumber(text, limits);

test('numbers of the scale are taken as they are typed', () => {
  for (const [text, value] of [
    ['0', 0],
    ['100', 100],
    [' 85 ', 85],
    ['085', 85],
    ['٨٥', 85],
    ['８５', 85],
    ['۸۵', 85],
    ['85.0', 85],
  ])
    assert.deepEqual(read(text), { value, problem: null }, text);
  assert.equal(read('3,5', { min: 0, max: 6, step: 0.5 }).value, 3.5, 'a decimal comma');
  assert.equal(read('٣٫٥', { min: 0, max: 6, step: 0.5 }).value, 3.5, 'an Arabic one');
  assert.equal(read('-2', { min: -3, max: 3, step: 1 }).value, -2);
  assert.equal(read('0.3', { min: 0, max: 1, step: 0.1 }).value, 0.3, 'a step that floats');
  assert.equal(read('7.25', { min: 0, max: 10, step: 0 }).value, 7.25, 'any number');
  assert.equal(read('1.000').problem, 'not_number', 'a thousand in German');
  assert.equal(read('1.000', { min: 0, max: 10, step: 0 }).value, 1);
});

test('nothing typed is no answer and no mistake', () => {
  assert.deepEqual(read('  '), { value: null, problem: null });
});

test('what is none of the scale is named, never cut or rounded', () => {
  for (const [text, problem] of [
    ['150', 'too_high'],
    ['995', 'too_high'],
    ['101', 'too_high'],
    ['-1', 'too_low'],
    ['85.5', 'off_step'],
    ['1e2', 'not_number'],
    ['12x', 'not_number'],
    ['1,000', 'not_number'],
    ['4.', 'not_number'],
    ['0x10', 'not_number'],
    ['Infinity', 'not_number'],
  ])
    assert.deepEqual(read(text), { value: null, problem }, text);
  assert.equal(read('1.0000001').problem, null, 'less than a millionth of a step off');
  assert.equal(read('3.001', { min: 0, max: 6, step: 1 }).problem, 'off_step');
});

test('a number that may still become right is not called wrong while it is typed', () => {
  const tens = { min: 10, max: 20, step: 1 };
  for (const text of ['', '1', '2', '12.', '-']) assert.equal(isHopeless(text, tens), false, text);
  for (const text of ['21', '-4', 'x', '1x', '1.2.3'])
    assert.equal(isHopeless(text, tens), true, text);
});

test('limits are read from the markup', () => {
  assert.deepEqual(limitsOf({ dataset: { min: '0', max: '100', step: '1' } }), HUNDRED);
  assert.deepEqual(limitsOf({ dataset: {} }), { min: -Infinity, max: Infinity, step: 0 });
});
