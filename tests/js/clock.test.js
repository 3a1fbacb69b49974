import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../src/lanner/web/static/clock.js';

function at(idle, longest = Infinity) {
  let now = 0;
  const clock = new Clock(idle, longest, () => now);
  return {
    clock,
    to: seconds => {
      now = seconds * 1000;
    },
  };
}

test('time without a sign of life is elapsed but not active', () => {
  const { clock, to } = at(180000);
  to(60);
  clock.touch();
  to(600);
  assert.deepEqual(clock.take(), { elapsed: 600, active: 240 });
  to(620);
  clock.touch();
  to(630);
  assert.deepEqual(clock.take(), { elapsed: 30, active: 10 });
});

test('a hidden page is not worked on', () => {
  const { clock, to } = at(180000);
  to(10);
  clock.show(false);
  to(500);
  clock.show(true);
  to(520);
  assert.deepEqual(clock.take(), { elapsed: 520, active: 30 });
});

test('a computer that sleeps works on nothing', () => {
  const { clock, to } = at(180000, 20000);
  to(10);
  clock.touch();
  to(130); // the lid was closed
  clock.touch();
  to(150);
  assert.deepEqual(clock.take(), { elapsed: 150, active: 30 });
});
