// The order of the cells of a table as they are shown.

/**
 * The number that a cell shows (−.03, 1,234, +8.9, 62.5 %) or holds; NaN where it is words.
 * @param {string} text
 */
const numberIn = text =>
  text ? Number(text.replace('−', '-').replace(/,(?=\d{3})| ?%$/g, '')) : NaN;

/**
 * Numbers by their size, then words as people sort them.
 * @param {string} one
 * @param {string} other
 */
export function compareCells(one, other) {
  const [a, b] = [numberIn(one), numberIn(other)];
  if (Number.isNaN(a) && Number.isNaN(b))
    return one.localeCompare(other, undefined, { numeric: true });
  return Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b;
}
