import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headingOf, linesOf } from '../../src/lanner/web/static/feedback.js';

const t = (key, values = {}) => [key, ...Object.values(values)].join(' ');
const line = (right, more = {}) => ({
  question: 'q',
  label: 'Score',
  right,
  expected: '≥ 5',
  marks: [],
  ...more,
});

test('the heading says right, wrong, or explains only', () => {
  assert.equal(headingOf({ right: true, lines: [], explanation: '' }), 'answer_right');
  assert.equal(headingOf({ right: false, lines: [], explanation: '' }), 'answer_wrong');
  assert.equal(headingOf({ right: null, lines: [], explanation: '' }), 'explanation');
});

test('what was wrong comes first, with the right answer', () => {
  const lines = linesOf({ right: false, lines: [line(true), line(false)], explanation: '' }, t);
  assert.deepEqual(lines, [
    { state: 'missed', label: 'Score', text: 'right_answer ≥ 5' },
    { state: 'found', label: 'Score', text: '≥ 5' },
  ]);
});

test('marks are named one by one', () => {
  const marks = [
    { verdict: 'found', text: 'zehn', kind: 'major' },
    { verdict: 'extra', text: 'um', kind: 'minor' },
  ];
  const lines = linesOf({ right: false, lines: [line(false, { marks })], explanation: '' }, t);
  assert.deepEqual(
    lines.map(({ state, text }) => [state, text]),
    [
      ['extra', '“um” minor'],
      ['found', '“zehn” major'],
    ],
  );
});

test('a rule without an answer in words says no more than right or wrong', () => {
  const lines = linesOf(
    { right: false, lines: [line(false, { expected: '' })], explanation: '' },
    t,
  );
  assert.equal(lines[0].text, '');
});
