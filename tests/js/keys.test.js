import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../src/lanner/web/static/dom.js';
import { actionOf, isTimely, keyOf } from '../../src/lanner/web/static/keys.js';

const key = (key, code, shiftKey = false) => keyOf({ key, code, shiftKey });

test('letters by name, by position under other scripts; digits by position', () => {
  assert.equal(key('s', 'KeyS'), 's');
  assert.equal(key('S', 'KeyS', true), 's');
  assert.equal(key('ㄴ', 'KeyS'), 's');
  assert.equal(key('س', 'KeyS'), 's');
  assert.equal(key('z', 'KeyY'), 'z', 'a German keyboard keeps its own letters');
  assert.equal(key('&', 'Digit1'), '1', 'AZERTY');
  assert.equal(key('7', 'Numpad7'), '7');
  for (const [name, at] of Object.entries({ Clear: 5, Insert: 0, Home: 7, PageDown: 3 }))
    assert.equal(key(name, `Numpad${at}`), name, 'no digit without Num Lock');
  assert.equal(key('?', 'Slash', true), '?');
  assert.equal(key('ظ', 'Slash'), '/');
  assert.equal(key('ArrowDown', 'ArrowDown'), 'ArrowDown');
});

test('what was pressed early counts for the row that was shown, and not for long', () => {
  const inputs = [
    { row: 2, time: 1000 },
    { row: 2, time: 1500 },
  ];
  assert.ok(isTimely(inputs, 2, 2999));
  assert.ok(!isTimely(inputs, 2, 3000), 'all or nothing');
  assert.ok(!isTimely(inputs, 3, 1600));
});

test('places in a text are filled; what is unknown is left out', () => {
  assert.equal(fill('{a} of {b}{c}', { a: 0, b: 'x' }), '0 of x');
});

const PAGE = {
  focus: 'page',
  byPointer: false,
  menu: false,
  inMenu: false,
  linking: false,
  marks: true,
  rows: true,
};
const act = (name, place = {}, more = {}) =>
  actionOf(
    {
      key: name,
      code: '',
      shiftKey: false,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      isComposing: false,
      keyCode: 0,
      repeat: false,
      ...more,
    },
    { ...PAGE, ...place },
  );
const EVERYWHERE = ['text', 'search', 'number', 'points', 'button', 'reading', 'page'];

test('Enter does what the main button says, whatever has the focus', () => {
  for (const focus of ['number', 'points', 'reading', 'page'])
    assert.equal(act('Enter', { focus }), 'accept', focus);
  assert.equal(
    act('Enter', { focus: 'button', byPointer: true }),
    'accept',
    'not the click once more',
  );
  assert.equal(act('Enter', { focus: 'button' }), 'native', 'Tab led there');
  assert.equal(act('Enter', { focus: 'text' }), 'native', 'a new line');
  assert.equal(act('Enter', { focus: 'search' }), 'find_next');
  assert.equal(act('Enter', { linking: true }), 'take_link');
  for (const focus of EVERYWHERE)
    assert.equal(act('Enter', { focus }, { ctrlKey: true }), 'accept', focus);
});

test('up and down change the sentence, whatever has the focus', () => {
  for (const focus of EVERYWHERE.filter(f => f !== 'text' && f !== 'reading'))
    for (const byPointer of [true, false])
      assert.deepEqual(
        [act('ArrowDown', { focus, byPointer }), act('ArrowUp', { focus, byPointer })],
        ['next', 'previous'],
        focus,
      );
  for (const focus of ['text', 'reading']) assert.equal(act('ArrowDown', { focus }), 'native');
});

test('left and right stay inside what has the focus', () => {
  for (const focus of ['number', 'points', 'text', 'search', 'reading'])
    assert.equal(act('ArrowRight', { focus }), 'native', focus);
  for (const focus of ['page', 'button']) assert.equal(act('ArrowLeft', { focus }), 'left', focus);
  assert.equal(act('ArrowRight', { focus: 'points', menu: true }), 'right', 'words are selected');
  assert.equal(act('ArrowRight', { marks: false }), 'native');
});

test('Space does not press again what a pointer pressed', () => {
  assert.equal(act(' ', { focus: 'button', byPointer: true }), 'nothing');
  assert.equal(act(' ', { focus: 'button' }), 'native');
  assert.equal(act(' ', { focus: 'points', byPointer: true }), 'native');
});

test('letters are commands, but not where text is written', () => {
  assert.equal(act('s', { focus: 'number' }), 'single');
  assert.equal(act('5', { focus: 'number' }), 'native');
  for (const focus of ['text', 'search']) assert.equal(act('s', { focus }), 'native', focus);
  for (const more of [
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { isComposing: true },
    { keyCode: 229 },
  ])
    assert.equal(act('s', {}, more), 'native');
  for (const focus of EVERYWHERE)
    assert.equal(act('Enter', { focus }, { isComposing: true }), 'native', focus);
});

test('Tab leads into the menu, Escape out of anything', () => {
  assert.equal(act('Tab', { menu: true }), 'into_menu');
  assert.equal(act('Tab', { menu: true, inMenu: true }), 'native');
  assert.equal(act('Tab', { menu: true }, { shiftKey: true }), 'native');
  for (const focus of EVERYWHERE) assert.equal(act('Escape', { focus }), 'leave', focus);
  assert.equal(act('Delete', { menu: true }), 'remove');
});

test('a key that is held down acts once, unless it moves or types', () => {
  const held = (name, place = {}) => act(name, place, { repeat: true });
  for (const focus of EVERYWHERE.filter(each => each !== 'text'))
    assert.equal(held('Enter', { focus }), 'nothing', focus);
  assert.equal(held('Enter', { focus: 'text' }), 'native', 'new lines');
  assert.equal(act('Enter', { focus: 'text' }, { repeat: true, ctrlKey: true }), 'nothing');
  for (const name of ['1', 's', 'u', 'Escape']) assert.equal(held(name), 'nothing', name);
  assert.equal(held('Delete', { menu: true }), 'nothing');
  for (const name of ['j', 'k']) assert.equal(held(name), 'single', name);
  for (const name of ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'PageDown'])
    assert.equal(held(name), act(name), name);
  assert.equal(held('1', { focus: 'number' }), 'native');
  assert.equal(held('Backspace', { focus: 'text' }), 'native');
});
