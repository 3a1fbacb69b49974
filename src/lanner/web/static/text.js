// Texts in code points: where words are, and how overlapping marks cut a text.

/** @typedef {{start: number, end: number}} Stretch */

/** @param {string} s */
export const points = s => [...s].length;
/** @param {string} s @param {number} start @param {number} [end] */
export const slice = (s, start, end) => [...s].slice(start, end).join('');

const UNSPACED = /^(ja|zh|yue|th|lo|km|my)\b/;

/** Words of a text: what stands between spaces and punctuation, or, where none are written, what the language takes for words. @param {string} s @param {string} lang @returns {Stretch[]} */
export function words(s, lang) {
  const found = [];
  let at = 0,
    cutter;
  try {
    cutter = new Intl.Segmenter(lang || undefined, { granularity: 'word' });
  } catch {
    cutter = new Intl.Segmenter([], { granularity: 'word' });
  }
  for (const { segment, isWordLike } of cutter.segment(s)) {
    const start = at,
      before = found.at(-1);
    at += points(segment);
    if (isWordLike && before?.end === start && !UNSPACED.test(lang)) before.end = at;
    else if (isWordLike || /[^\s\p{P}]/u.test(segment)) found.push({ start, end: at });
  }
  return found.length || !s ? found : [{ start: 0, end: at }];
}

/** Pieces of a text, each with the marks over it; the text itself is never changed. @template {Stretch} M @param {string} s @param {M[]} marks */
export function cut(s, marks) {
  const chars = [...s],
    edges = [...new Set([0, chars.length, ...marks.flatMap(m => [m.start, m.end])])]
      .filter(e => e <= chars.length)
      .sort((a, b) => a - b);
  return edges.slice(0, -1).map((from, n) => ({
    text: chars.slice(from, edges[n + 1]).join(''),
    marks: marks.filter(m => m.start <= from && m.end > from),
  }));
}
