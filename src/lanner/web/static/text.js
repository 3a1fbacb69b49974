// Texts in code points: where words are, and how overlapping marks cut a text.

/** A character that takes two units of a string: texts without any are cut as they are. */
const PAIR = /[\ud800-\udfff]/;

/** @param {string} s */
export const points = s => (PAIR.test(s) ? [...s].length : s.length);
/**
 * @param {string} s
 * @param {number} start
 * @param {number} [end]
 */
export const slice = (s, start, end) =>
  PAIR.test(s) ? [...s].slice(start, end).join('') : s.slice(start, end);

const UNSPACED = /^(ja|zh|yue|th|lo|km|my)\b/;

/**
 * Words of a text: what stands between spaces and punctuation, or, where none are written, what the
 * language takes for words.
 * @param {string} s
 * @param {string} lang
 * @returns {Stretch[]}
 */
export function words(s, lang) {
  /** @type {Stretch[]} */
  const units = [];
  let at = 0,
    cutter;
  try {
    cutter = new Intl.Segmenter(lang || undefined, { granularity: 'word' });
  } catch {
    cutter = new Intl.Segmenter([], { granularity: 'word' });
  }
  for (const { segment, isWordLike } of cutter.segment(s)) {
    const start = at,
      before = units.at(-1);
    at += points(segment);
    if (isWordLike && before?.end === start && !UNSPACED.test(lang)) before.end = at;
    else if (isWordLike || /[^\s\p{P}]/u.test(segment)) units.push({ start, end: at });
  }
  return units.length || !s ? units : [{ start: 0, end: at }];
}

/** Scripts that are written without spaces: where a word ends there is a matter of opinion. */
const RUNNING = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/**
 * What was drawn over a text, as whole words. A stretch inside one word stays as it is: a part of
 * the word is meant.
 * @template {Stretch} S
 * @param {string} s
 * @param {Stretch[]} units the words of the text
 * @param {S} stretch
 * @param {Stretch} [drawn] with the spaces at its ends
 * @returns {S}
 */
export function wholeWords(s, units, stretch, drawn = stretch) {
  if (units.some(word => word.start <= drawn.start && drawn.end <= word.end)) return stretch;
  const cutAt = (/** @type {number} */ point) =>
    units.find(
      ({ start, end }) => start < point && point < end && !RUNNING.test(slice(s, start, end)),
    );
  const { start, end } = stretch;
  return { ...stretch, start: cutAt(start)?.start ?? start, end: cutAt(end)?.end ?? end };
}

/** So many code points of a text, at least, are drawn together. */
const PART = 400;
const SEAM = /[\s。！？；，、]/u;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * Where a long text is cut so that what changes in a part of it leaves the others as they are
 * drawn: before a word, at places that are the same whatever is marked.
 * @param {string} s
 * @returns {number[]}
 */
export function seams(s) {
  if (s.length < 2 * PART) return [];
  const chars = [...s],
    /** @type {number[]} */
    found = [];
  for (let at = PART; at < chars.length - PART; at++)
    if (at - (found.at(-1) ?? 0) >= PART && SEAM.test(chars[at - 1]) && LETTER.test(chars[at]))
      found.push(at);
  return found;
}

/**
 * Pieces of a text, each with the marks over it; the text itself is never changed.
 * @template {Stretch} M
 * @param {string} s
 * @param {M[]} marks
 * @param {number[]} [between] where it is cut as well, but inside a mark
 */
export function cut(s, marks, between = []) {
  const length = points(s),
    free = between.filter(at => !marks.some(({ start, end }) => start < at && at < end)),
    edges = [...new Set([0, length, ...free, ...marks.flatMap(m => [m.start, m.end])])]
      .filter(e => e <= length)
      .sort((a, b) => a - b);
  // looked through once, not for each piece: a long text has many
  const chars = PAIR.test(s) ? [...s] : null,
    piece = (/** @type {number} */ from, /** @type {number} */ to) =>
      chars ? chars.slice(from, to).join('') : s.slice(from, to);
  return edges.slice(0, -1).map((from, n) => ({
    text: piece(from, edges[n + 1]),
    marks: marks.filter(m => m.start <= from && m.end > from),
  }));
}

/**
 * Which words begin a part of a sentence: the first, and those after a sign of punctuation.
 * @param {string} s
 * @param {Stretch[]} units
 * @returns {number[]}
 */
export function clauses(s, units) {
  const chars = [...s];
  return [...units.keys()].filter(
    n => n === 0 || /[\p{P}]/u.test(chars.slice(units[n - 1].end, units[n].start).join('')),
  );
}

/**
 * The first word of a text, or sign of punctuation, that begins with what was typed.
 * @param {string} s
 * @param {string} lang
 * @param {string} typed
 * @returns {Stretch|null}
 */
export function findUnit(s, lang, typed) {
  const wanted = typed.trim().toLocaleLowerCase(lang || undefined);
  if (!wanted) return null;
  const chars = [...s],
    length = points(wanted);
  const begins = (/** @type {number} */ at) =>
    chars
      .slice(at, at + length)
      .join('')
      .toLocaleLowerCase(lang || undefined) === wanted;
  const word = words(s, lang).find(({ start }) => begins(start));
  if (word) return { start: word.start, end: Math.max(word.end, word.start + length) };
  const sign = chars.findIndex((char, n) => /\p{P}/u.test(char) && begins(n));
  return sign < 0 ? null : { start: sign, end: sign + length };
}

/**
 * A lane for each mark, so that marks that overlap have lines of their own; the shorter lies nearer
 * to the text.
 * @param {Stretch[]} marks
 * @returns {number[]}
 */
export function assignLanes(marks) {
  const lanes = marks.map(() => -1),
    length = (/** @type {Stretch} */ mark) => mark.end - mark.start;
  const order = [...marks.keys()].sort((a, b) => length(marks[a]) - length(marks[b]) || a - b);
  for (const n of order) {
    const used = order
      .filter(m => lanes[m] >= 0 && marks[m].start < marks[n].end && marks[n].start < marks[m].end)
      .map(m => lanes[m]);
    let lane = 0;
    while (used.includes(lane)) lane += 1;
    lanes[n] = lane;
  }
  return lanes;
}
