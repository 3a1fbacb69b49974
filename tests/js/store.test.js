import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canon } from '../../src/lanner/web/static/digest.js';
import { empty, holds, Store } from '../../src/lanner/web/static/store.js';

const question = (id, kind, more = {}) => ({
  id,
  kind,
  need: 1,
  most: Infinity,
  required: true,
  when: [],
  each: '',
  exclusive: '',
  preset: null,
  ...more,
});
const item = (more = {}) => ({
  answers: {},
  base: {},
  stored: {},
  earlier: {},
  prefilled: {},
  confirmed: {},
  refused: {},
  ...more,
});

test('one spelling of a value, whatever the order of its keys', () => {
  assert.equal(
    canon({ b: [1, { z: null, a: 'x' }], a: 2 }),
    canon({ a: 2, b: [1, { a: 'x', z: null }] }),
  );
  assert.notEqual(canon(['1']), canon([1]));
  assert.equal(canon(undefined), 'null');
  assert.ok(empty([]) && empty({}) && empty('') && empty(null) && !empty(0) && !empty(false));
});

test('conditions are met as the server meets them', () => {
  const answers = { one: 'no', many: ['gender', 'other'], counts: { word_order: 2 }, n: 4 };
  assert.ok(holds({ question: 'one', is: ['no'] }, answers));
  assert.ok(!holds({ question: 'one', is_not: ['no'] }, answers));
  assert.ok(holds({ question: 'many', is: ['other'] }, answers));
  assert.ok(holds({ question: 'counts', is: ['word_order'] }, answers));
  assert.ok(
    holds({ question: 'n', at_least: 4, at_most: 5 }, answers) &&
      !holds({ question: 'n', at_least: 5 }, answers),
  );
  assert.ok(
    !holds({ question: 'none', is_not: ['x'] }, answers),
    'an answer not given meets nothing',
  );
  assert.ok(!holds({ question: 'one', at_least: 1 }, answers), 'words have no size');
});

test('what is missing: labels, grids, ranks, repeated questions', () => {
  const labels = question('labels', 'labels', { need: 3, most: 3, exclusive: 'none' }),
    grid = question('grid', 'grid', { need: 2 });
  const rank = question('rank', 'rank', { need: 3 }),
    each = question('each', 'scale', { each: 'labels' });
  const store = new Store([labels, grid, rank, each], [item()]);
  assert.deepEqual(
    store.missing(0).map(q => q.id),
    ['labels', 'grid', 'rank'],
  );
  store.set(0, 'labels', ['a', 'b']);
  assert.equal(store.open(0, labels), 1);
  store.set(0, 'labels', ['none']);
  assert.equal(store.open(0, labels), 0);
  assert.ok(!store.applies(0, each), 'a label that stands alone asks for nothing');
  store.set(0, 'labels', ['a', 'b', 'c']);
  store.set(0, 'each', { a: 1, c: 0 });
  assert.equal(store.open(0, each), 1);
  assert.equal(store.open(0, rank), 3);
  store.set(0, 'rank', [0, 1, 0]);
  assert.equal(store.open(0, rank), 2);
  store.set(0, 'rank', [2, 1, 2]);
  store.set(0, 'grid', { x: 'low', y: 'high' });
  store.set(0, 'each', { a: 1, b: 4, c: 2 });
  assert.equal(store.state(0), 'done');
});

test('the first answer to a row writes what it starts from; undo takes both back', () => {
  const grid = question('grid', 'grid', { need: 1, preset: { x: 'none' } }),
    score = question('score', 'scale'),
    spans = question('spans', 'spans', { required: false, need: 0, preset: [] });
  const store = new Store(
    [grid, score, spans],
    [item({ prefilled: { spans: [{ start: 0, end: 1 }] } })],
  );
  assert.equal(store.state(0), '');
  assert.deepEqual(store.missing(0), [score], 'what is preselected is not missing');
  assert.deepEqual(store.unsent(0), {});
  store.set(0, 'score', 0);
  assert.deepEqual(store.unsent(0), {
    grid: { x: 'none' },
    score: 0,
    spans: [{ start: 0, end: 1 }],
  });
  assert.equal(store.undo(), 0);
  assert.deepEqual(store.items[0].answers, {});
  assert.equal(store.undo(), -1);
});

test('suggested marks are missing until each is kept, changed or removed', () => {
  const suggested = { start: 0, end: 1, origin: 'offered' },
    score = question('score', 'scale'),
    spans = question('spans', 'spans', { required: false, need: 0, preset: [] });
  const store = new Store([score, spans], [item({ prefilled: { spans: [suggested] } })]);
  store.set(0, 'score', 5);
  assert.deepEqual(store.missing(0), [spans]);
  assert.equal(store.state(0), 'partial');
  assert.deepEqual(store.unsent(0).spans, [suggested], 'what was not looked at is sent as such');
  store.accept(0);
  assert.equal(store.state(0), 'done');
  assert.deepEqual(store.items[0].answers.spans, [{ start: 0, end: 1 }]);
  store.undo();
  assert.deepEqual(store.items[0].answers.spans, [suggested]);
});

test('that no label applies is said by accepting, not by answering something else', () => {
  const labels = question('labels', 'labels', { need: 0, preset: [] }),
    spans = question('spans', 'spans', { required: false, need: 0, preset: [] });
  const store = new Store([labels, spans], [item()]);
  store.set(0, 'spans', [{ start: 0, end: 1 }]);
  assert.deepEqual(store.missing(0), [labels]);
  assert.ok(!store.lacks(0, labels), 'nothing has to be chosen');
  assert.deepEqual(Object.keys(store.unsent(0)), ['spans']);
  store.accept(0);
  assert.deepEqual(store.unsent(0).labels, []);
  assert.equal(store.state(0), 'done');
});

test('undoing takes back what accepting has answered, and not the row before it', () => {
  const spans = question('spans', 'spans', { required: false, need: 0, preset: [] }),
    store = new Store([spans], [item(), item()]);
  store.set(0, 'spans', [{ start: 0, end: 1 }]);
  for (const i of [0, 1]) store.accept(i);
  store.items[1].stored.spans = '[]';
  assert.equal(store.undo(), 1);
  assert.deepEqual(store.items[1].answers, { spans: null }, 'not started, here and on the server');
  assert.equal(store.undo(), 0);
});

test('only complete answers are sent, once, and an optional one can be taken back', () => {
  const labels = question('labels', 'labels', { need: 2 }),
    comment = question('comment', 'text', { required: false, need: 0 });
  const store = new Store([labels, comment], [item()]);
  store.set(0, 'labels', ['a']);
  store.set(0, 'comment', 'why');
  assert.deepEqual(store.unsent(0), { comment: 'why' });
  store.items[0].stored.comment = canon('why');
  assert.deepEqual(store.unsent(0), {});
  store.set(0, 'comment', null);
  assert.deepEqual(store.unsent(0), { comment: null });
});

test('a required answer that the server has can be taken back', () => {
  const score = question('score', 'scale');
  const store = new Store([score], [item()]);
  store.set(0, 'score', 3);
  store.items[0].stored.score = '3';
  store.undo();
  assert.deepEqual(store.unsent(0), { score: null });
  store.items[0].stored.score = 'null';
  assert.deepEqual(store.unsent(0), {});
});

test('what the server has refused is not sent again, another answer is', () => {
  const score = question('score', 'scale');
  const store = new Store([score], [item()]);
  store.set(0, 'score', 3);
  store.items[0].refused = { score: '3' };
  assert.deepEqual(store.unsent(0), {});
  store.set(0, 'score', 4);
  assert.deepEqual(store.unsent(0), { score: 4 });
});

test('labels taken back before enough were chosen leave nothing on the device', () => {
  const labels = question('skills', 'labels', { need: 3 }),
    marks = question('marks', 'spans', { required: false });
  const store = new Store([labels, marks], [item()]);
  store.set(0, 'skills', ['tense']);
  assert.ok(store.differs(0, 'skills'));
  store.set(0, 'skills', []);
  assert.ok(!store.differs(0, 'skills'));
  store.items[0].stored.skills = canon(['tense', 'mood', 'style']);
  assert.ok(store.differs(0, 'skills'), 'the server has others');
  store.set(0, 'marks', []);
  assert.ok(store.differs(0, 'marks'), 'that nothing is marked is an answer');
  store.items[0].stored.marks = canon([]);
  assert.ok(!store.differs(0, 'marks'));
});

test('undoing a change leaves what was answered on another page meanwhile', () => {
  const store = new Store([question('one'), question('two')], [item()]);
  store.set(0, 'one', 1);
  store.takeOver(0, 'two', 2);
  store.undo();
  assert.deepEqual(store.items[0].answers, { two: 2 });
});

test('letters of a field are undone together; what the server has becomes an open question', () => {
  const comment = question('comment', 'text', { required: false, need: 0 }),
    score = question('score', 'scale');
  const store = new Store([score, comment], [item()]);
  for (const text of ['a', 'ab', 'abc']) store.set(0, 'comment', text, true);
  store.set(0, 'score', 3);
  store.items[0].stored.score = '3';
  store.undo();
  assert.equal(store.items[0].answers.score, null);
  assert.deepEqual(store.missing(0), [score]);
  store.undo();
  assert.deepEqual(store.items[0].answers, { score: null }, 'all letters at once');
});

test('a question that no longer applies is neither missing nor sent', () => {
  const first = question('first', 'choice'),
    second = question('second', 'text', { when: [{ question: 'first', is: ['no'] }] });
  const store = new Store([first, second], [item({ earlier: { other: 1 } })]);
  store.set(0, 'first', 'no');
  store.set(0, 'second', 'because');
  store.set(0, 'first', 'yes');
  assert.equal(store.state(0), 'done');
  assert.deepEqual(store.unsent(0), { first: 'yes' });
});

test('nothing is asked because of an answer that holds no more, nor left to send', () => {
  const first = question('first', 'choice'),
    labels = question('labels', 'labels', { when: [{ question: 'first', is: ['no'] }] }),
    each = question('each', 'scale', { each: 'labels' }),
    other = question('other', 'text', { when: [{ question: 'labels', is: ['other'] }] });
  const store = new Store([first, labels, each, other], [item()]),
    { stored, answers } = store.items[0];
  Object.assign(answers, { first: 'no', labels: ['other'], each: { other: 3 }, other: 'so' });
  for (const id in answers) stored[id] = canon(answers[id]);
  store.set(0, 'first', 'yes');
  assert.equal(store.state(0), 'done');
  assert.deepEqual(
    [each, other].map(q => store.applies(0, q)),
    [false, false],
  );
  assert.deepEqual(store.unsent(0), { first: 'yes' });
  for (const id of ['labels', 'each', 'other']) stored[id] = 'null'; // taken back by the server
  assert.deepEqual(
    ['labels', 'each', 'other'].map(id => store.differs(0, id)),
    [false, false, false],
  );
  const elsewhere = new Store([first, labels, each, other], [structuredClone(store.items[0])]);
  elsewhere.takeOver(0, 'first', 'no');
  assert.deepEqual(elsewhere.missing(0), [labels], 'as the page that has answered no shows it');
  store.set(0, 'first', 'no');
  assert.deepEqual(store.unsent(0), { labels: ['other'], each: { other: 3 }, other: 'so' });
});

test('an item that asks for nothing but a remark is done without an answer', () => {
  const rating = question('rating', 'scale', {
    when: [{ question: 'context', is_not: ['alone'] }],
  });
  const remark = question('remark', 'text', { required: false, need: 0 });
  const asked = new Store([rating, remark], [item({ earlier: { context: 'local' } })]);
  const skipped = new Store([rating, remark], [item({ earlier: { context: 'alone' } })]);
  assert.equal(asked.state(0), '');
  assert.equal(skipped.state(0), 'done');
});
