import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assignLanes,
  clauses,
  cut,
  findUnit,
  points,
  seams,
  slice,
  wholeWords,
  words,
} from '../../src/lanner/web/static/text.js';

test('positions are code points', () => {
  const text = 'a👩‍🚀é🇰🇷𠮷';
  assert.equal(points(text), 8);
  assert.equal(slice(text, 1, 4), '👩‍🚀');
  assert.equal(slice(text, 7), '𠮷');
});

test('words of several scripts, without punctuation', () => {
  const of = (text, lang) => words(text, lang).map(w => slice(text, w.start, w.end));
  assert.deepEqual(of('“No,” she said.', 'en'), ['No', 'she', 'said']);
  assert.deepEqual(of('시의회는 11년간, 의결했다.', 'ko'), ['시의회는', '11년간', '의결했다']);
  assert.deepEqual(of('إذا أردتم المساعدة، نسقي 🌱', 'ar'), [
    'إذا',
    'أردتم',
    'المساعدة',
    'نسقي',
    '🌱',
  ]);
  assert.ok(of('彼女は昼ご飯を食べた。', 'ja').length > 3);
  assert.deepEqual(of('…', 'en'), ['…'], 'a text without words is one stretch');
  assert.deepEqual(of('', 'en'), []);
  assert.deepEqual(of('one two', 'not a language'), ['one', 'two']);
});

test('what is drawn beyond a word takes whole words, a part of one word stays a part', () => {
  const of = (text, lang, start, end) => {
    const picked = slice(text, start, end),
      from = start + points(picked) - points(picked.trimStart()),
      stretch = { start: from, end: from + points(picked.trim()) },
      whole = wholeWords(text, words(text, lang), stretch, { start, end });
    return slice(text, whole.start, whole.end);
  };
  const german = 'Das Hafenamt, wohl neu.';
  assert.equal(of(german, 'de', 6, 16), 'Hafenamt, wohl');
  assert.equal(of(german, 'de', 5, 13), 'Hafenamt,', 'a comma that was drawn over stays');
  assert.equal(of(german, 'de', 1, 4), 'Das', 'a space is beyond the word');
  assert.equal(of(german, 'de', 4, 9), 'Hafen', 'a part of a compound');
  assert.equal(of(german, 'de', 4, 12), 'Hafenamt');
  assert.equal(of('정부의 발표를 듣고', 'ko', 5, 8), '발표를');
  assert.equal(of('정부의 발표를 듣고', 'ko', 6, 7), '를', 'a particle');
  assert.equal(of('إذا أردتم المساعدة', 'ar', 1, 7), 'إذا أردتم');
  assert.equal(of('他们宣布经济发展', 'zh', 1, 5), '们宣布经', 'no spaces: as it was drawn');
  assert.equal(of('他们，宣布经济', '', 1, 5), '们，宣布', 'where the language is unknown too');
  assert.equal(of('使用Hafenamt和港口', 'zh', 1, 5), '用Hafenamt');
  assert.equal(of('👩‍🚀 alpha beta', 'en', 6, 12), 'alpha beta'.slice(0, 10));
});

test('overlapping marks cut a text without changing it', () => {
  const text = '👩 alpha beta',
    pieces = cut(text, [
      { start: 2, end: 7, id: 0 },
      { start: 5, end: 12, id: 1 },
    ]);
  assert.equal(pieces.map(p => p.text).join(''), text);
  assert.deepEqual(
    pieces.map(p => p.marks.map(m => m.id)),
    [[], [0], [0, 1], [1]],
  );
  assert.deepEqual(cut('', []), []);
  assert.equal(
    cut('ab', [{ start: 1, end: 9 }])
      .map(p => p.text)
      .join(''),
    'ab',
    'a mark beyond the end does no harm',
  );
});

test('a long text is cut before words, wherever its marks are, and never changed', () => {
  const stock = [
    'word',
    'e\u0301te\u0301',
    '👩‍🚀',
    '𠮷野家',
    'العربية،',
    'שָׁלוֹם',
    'ภาษาไทย',
    'नमस्ते',
    '🇰🇷',
    '¿',
  ];
  let seed = 7;
  const below = n => {
    seed = (seed * 48271) % 2147483647;
    return seed % n;
  };
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let round = 0; round < 20; round++) {
    const glue = [' ', '\n', '。', '  ', '\u00a0'][below(5)],
      text = Array.from({ length: 150 + below(400) }, () => stock[below(stock.length)]).join(glue),
      length = points(text),
      between = seams(text),
      marks = Array.from({ length: below(6) }, () => {
        const start = below(length);
        return { start, end: start + 1 + below(length - start) };
      });
    const whole = cut(text, marks, between),
      bounds = new Set(Array.from(graphemes.segment(text), ({ index }) => index));
    assert.equal(whole.map(piece => piece.text).join(''), text);
    assert.ok(whole.every(piece => piece.text));
    for (const at of between) {
      assert.ok(bounds.has(slice(text, 0, at).length), 'not inside what is read as one letter');
      assert.match(slice(text, at, at + 1), /[\p{L}\p{N}]/u);
    }
    for (const [n, at] of [0, ...between].entries())
      assert.ok((between[n] ?? length) - at >= 400 || !between.length, 'no part is short');
    const marked = pieces => pieces.flatMap(piece => [...piece.text].map(() => piece.marks));
    assert.deepEqual(marked(whole), marked(cut(text, marks)), 'every letter has its own marks');
    assert.deepEqual(
      whole.filter(piece => piece.marks.length),
      cut(text, marks).filter(piece => piece.marks.length),
      'marks are drawn in one piece',
    );
  }
  assert.deepEqual(seams('word '.repeat(100)), [], 'a short text is left whole');
  assert.deepEqual(seams('x'.repeat(2000)), [], 'and so is one without words');
  assert.equal(seams('word '.repeat(1000)).length, 11);
});

test('overlapping marks lie in lanes of their own, the shorter nearer to the text', () => {
  const spans = pairs => pairs.map(([start, end]) => ({ start, end }));
  assert.deepEqual(
    assignLanes(
      spans([
        [0, 5],
        [10, 12],
      ]),
    ),
    [0, 0],
  );
  assert.deepEqual(
    assignLanes(
      spans([
        [0, 10],
        [2, 4],
      ]),
    ),
    [1, 0],
  );
  assert.deepEqual(
    assignLanes(
      spans([
        [0, 9],
        [2, 4],
        [3, 6],
      ]),
    ),
    [2, 0, 1],
  );
  assert.deepEqual(
    assignLanes(
      spans([
        [0, 4],
        [4, 8],
      ]),
    ),
    [0, 0],
    'marks that touch do not overlap',
  );
});

test('parts of a sentence begin after signs of punctuation', () => {
  const text = 'When it rained, nobody came; we left.';
  const units = words(text, 'en');
  assert.deepEqual(
    clauses(text, units).map(n => slice(text, units[n].start, units[n].end)),
    ['When', 'nobody', 'we'],
  );
});

test('a word or a sign is found by what is typed', () => {
  const text = 'Der Kaffee, sagte sie, war kalt.';
  const found = (typed, lang = 'de') => {
    const unit = findUnit(text, lang, typed);
    return unit && slice(text, unit.start, unit.end);
  };
  assert.equal(found('ka'), 'Kaffee');
  assert.equal(found('kal'), 'kalt');
  assert.equal(found(','), ',');
  assert.equal(found('.'), '.');
  assert.equal(found('xyz'), null);
  assert.equal(found(' '), null);
});
