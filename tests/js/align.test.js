import assert from 'node:assert/strict';
import { test } from 'node:test';
import { align, counterpartOf, partsOf } from '../../src/lanner/web/static/align.js';

const cut = (text, { start, end }) => [...text].slice(start, end).join('').trim();
const EN =
  'The ferry left at nine, although the storm had been announced; nobody on board seemed ' +
  'to mind. ' +
  'In the harbour a band played.';
const DE =
  'Die Fähre legte um neun ab, obwohl der Sturm angekündigt worden war; niemand an Bord ' +
  'schien sich ' +
  'zu kümmern. Im Hafen spielte eine Kapelle.';

test('parts end with punctuation and cover the whole text', () => {
  const parts = partsOf(EN);
  assert.deepEqual(
    parts.map(part => cut(EN, part).at(-1)),
    [',', ';', '.', '.'],
  );
  assert.equal(parts[0].start, 0);
  assert.equal(parts.at(-1).end, [...EN].length);
  parts.slice(1).forEach((part, n) => {
    assert.equal(part.start, parts[n].end);
  });
});

test('a point inside a number ends nothing, and short pieces join the one before', () => {
  assert.equal(partsOf('It cost 3.50 euros and nobody complained').length, 1);
  assert.equal(partsOf('We bought apples, pears, figs, and nothing else at all.').length, 2);
  assert.deepEqual(partsOf(''), []);
});

test('parts of a sentence find their counterpart in order', () => {
  const pairs = align(EN, DE).map(group => [cut(EN, group.source), cut(DE, group.target)]);
  assert.equal(pairs.length, 4);
  assert.ok(pairs[1][0].startsWith('although') && pairs[1][1].startsWith('obwohl'));
  assert.ok(pairs[3][0].startsWith('In the harbour') && pairs[3][1].startsWith('Im Hafen'));
});

test('where one side joins two parts, both belong to the one', () => {
  const target =
    'Die Fähre legte um neun ab obwohl der Sturm angekündigt worden war; niemand an Bord ' +
    'schien sich ' +
    'zu kümmern. Im Hafen spielte eine Kapelle.';
  const [first] = align(EN, target);
  assert.ok(cut(EN, first.source).endsWith('announced;'));
  assert.ok(cut(target, first.target).endsWith('war;'));
});

test('groups cover both texts without gaps, whatever the lengths', () => {
  const texts = [
    EN,
    DE,
    `${EN} ${EN}`,
    '彼は来た。そして何も言わずに帰っていった。彼女は泣いた。そして笑った。',
  ];
  for (const source of texts)
    for (const target of texts) {
      const groups = align(source, target);
      for (const side of ['source', 'target']) {
        const whole = side === 'source' ? source : target;
        if (!groups.length) continue;
        assert.equal(groups[0][side].start, 0);
        assert.equal(groups.at(-1)[side].end, [...whole].length);
        groups.slice(1).forEach((group, n) => {
          assert.equal(group[side].start, groups[n][side].end);
        });
      }
    }
});

test('a place in one text leads to the other; a text in one piece leads nowhere', () => {
  const groups = align(EN, DE),
    point = EN.indexOf('storm');
  assert.ok(cut(DE, counterpartOf(groups, 'source', point)).includes('Sturm'));
  assert.ok(cut(EN, counterpartOf(groups, 'target', DE.indexOf('Hafen'))).includes('harbour'));
  assert.deepEqual(align('One piece', DE), []);
  assert.equal(counterpartOf([], 'source', 3), null);
});
