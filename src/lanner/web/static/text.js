// Texts in code points: where words are, how overlapping marks cut a text, and back from a place in the page.

/** @typedef {{start: number, end: number}} Stretch */

/** @param {string} s */
export const points = s => { let n = 0; for (const _ of s) n++; return n; };
/** @param {string} s @param {number} start @param {number} end */
export const slice = (s, start, end) => [...s].slice(start, end).join('');
/** The position in UTF-16 units of a position in code points. @param {string} s @param {number} point */
export function units(s, point) {
  let at = 0;
  for (const c of s) { if (!point--) break; at += c.length; }
  return at;
}

/** Words of a text; what is written without spaces is cut as its language does.
 * @param {string} s @param {string} lang @returns {Stretch[]} */
export function words(s, lang) {
  let cutter;
  try { cutter = new Intl.Segmenter(lang || undefined, { granularity: 'word' }); } catch { cutter = new Intl.Segmenter(undefined, { granularity: 'word' }); }
  const found = [];
  let at = 0;
  for (const { segment, isWordLike } of cutter.segment(s)) {
    const end = at + points(segment);
    if (isWordLike || (segment.trim() && !/^[\p{P}]+$/u.test(segment))) found.push({ start: at, end });
    at = end;
  }
  return found.length ? found : s ? [{ start: 0, end: at }] : [];
}

/** Pieces of a text, each with the marks over it; the text itself is never changed.
 * @template {Stretch} M @param {string} s @param {M[]} marks @returns {{text: string, marks: M[]}[]} */
export function cut(s, marks) {
  const chars = [...s], edges = [...new Set([0, chars.length, ...marks.flatMap(m => [m.start, m.end])])].filter(e => e <= chars.length).sort((a, b) => a - b);
  return edges.slice(0, -1).map((start, n) => ({ text: chars.slice(start, edges[n + 1]).join(''), marks: marks.filter(m => m.start <= start && m.end > start) }));
}
