// Which part of a translation stands for which part of its source, inside one long segment: by
// punctuation and length alone, so that it is right about as often as not far off. The page calls
// it approximate.

const ENDS = /[.!?;:,…。！？；：，、،؛؟]/u;
/**
 * Shorter parts are joined to the one before: commas in lists and abbreviations would cut too fine.
 */
const SHORTEST = 12;
/** What a part that stands alone costs, in the same measure as a difference in length. */
const ALONE = 1.2;

/**
 * A text in parts that end with a sign of punctuation.
 * @param {string} text
 * @returns {Stretch[]}
 */
export function partsOf(text) {
  const chars = [...text],
    parts = /** @type {Stretch[]} */ ([]);
  let start = 0;
  chars.forEach((char, n) => {
    const next = chars[n + 1],
      ends = ENDS.test(char) && (next == null || /\s/.test(next) || /[。！？；：，、]/u.test(char));
    if (!ends && n < chars.length - 1) return;
    const short = n + 1 - start < SHORTEST && parts.length > 0;
    if (short) parts[parts.length - 1].end = n + 1;
    else parts.push({ start, end: n + 1 });
    start = n + 1;
  });
  return parts;
}

/**
 * Groups of parts that belong together, in order: the cheapest way through both texts in steps of
 * at most two parts, where a step costs as much as the shares of length differ.
 * @param {string} source
 * @param {string} target
 * @returns {{source: Stretch, target: Stretch}[]}
 */
export function align(source, target) {
  const a = partsOf(source),
    b = partsOf(target);
  if (a.length < 2 || b.length < 2) return [];
  const lengthA = [...source].length,
    lengthB = [...target].length;
  /**
   * @param {Stretch[]} parts
   * @param {number} from
   * @param {number} to
   * @param {number} whole
   */
  const share = (parts, from, to, whole) => (parts[to - 1].end - parts[from].start) / whole;
  const best = a.concat({ start: 0, end: 0 }).map(() => new Array(b.length + 1).fill(null));
  best[0][0] = { cost: 0, step: null };
  for (let i = 0; i <= a.length; i++)
    for (let j = 0; j <= b.length; j++) {
      if (!best[i][j]) continue;
      for (const [di, dj] of [
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2],
      ]) {
        if (i + di > a.length || j + dj > b.length) continue;
        const one = share(a, i, i + di, lengthA),
          other = share(b, j, j + dj, lengthB);
        const cost =
          best[i][j].cost +
          Math.abs(Math.log((one + 0.01) / (other + 0.01))) +
          (di + dj - 2) * ALONE;
        if (!best[i + di][j + dj] || cost < best[i + di][j + dj].cost)
          best[i + di][j + dj] = { cost, step: [di, dj] };
      }
    }
  const groups = [];
  let i = a.length,
    j = b.length;
  if (!best[i][j]) return [];
  while (i && j) {
    const [di, dj] = best[i][j].step;
    groups.unshift({
      source: { start: a[i - di].start, end: a[i - 1].end },
      target: { start: b[j - dj].start, end: b[j - 1].end },
    });
    i -= di;
    j -= dj;
  }
  return groups;
}

/**
 * The counterpart of a place in one of the two texts.
 * @param {{source: Stretch, target: Stretch}[]} groups
 * @param {'source'|'target'} side
 * @param {number} point
 * @returns {Stretch|null}
 */
export function counterpartOf(groups, side, point) {
  const other = side === 'source' ? 'target' : 'source';
  return (
    groups.find(group => point >= group[side].start && point < group[side].end)?.[other] ?? null
  );
}
