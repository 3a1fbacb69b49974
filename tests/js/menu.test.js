import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeMenu } from '../../src/lanner/web/static/menu.js';

const VIEW = { left: 0, right: 850, top: 90, bottom: 700 };
const SIZE = { width: 220, height: 44 };
const overlaps = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const boxOf = ({ left, edge, y }, { width, height } = SIZE) => {
  const top = edge === 'top' ? y : y - height;
  return { left, right: left + width, top, bottom: top + height };
};

test('the menu covers neither the selection nor more than the edge of the sentence', () => {
  const row = { left: 16, right: 840, top: 300, bottom: 440 };
  const inner = { ...row, top: row.top + 8, bottom: row.bottom - 8 };
  for (let top = 308; top < 420; top += 20)
    for (let left = 80; left < 780; left += 90) {
      const box = boxOf(
        placeMenu(SIZE, { left, right: left + 60, top, bottom: top + 22 }, row, VIEW),
      );
      assert.ok(!overlaps(box, inner), `${left} ${top}`);
      assert.ok(box.left >= 0 && box.right <= VIEW.right && box.top >= VIEW.top);
    }
});

test('a sentence that fills the screen: at the selection, not over it', () => {
  const row = { left: 16, right: 840, top: 60, bottom: 900 };
  for (let top = 100; top < 640; top += 40) {
    const at = { left: 300, right: 400, top, bottom: top + 22 };
    assert.ok(!overlaps(boxOf(placeMenu(SIZE, at, row, VIEW)), at), String(top));
  }
});

test('every step hangs from the same edge', () => {
  const row = { left: 16, right: 840, top: 300, bottom: 440 },
    at = { left: 100, right: 200, top: 310, bottom: 332 };
  const { edge, y } = placeMenu({ width: 300, height: 120 }, at, row, VIEW);
  assert.deepEqual({ edge, y }, { edge: 'bottom', y: 304 });
});
