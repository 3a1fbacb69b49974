// The digest by which the server names an answer it has stored: SHA-256 of canonical JSON (RFC
// 8785). Written out here because browsers offer their own only to pages served over https.

/**
 * A text as it can be sent: half an emoji, as a field may hold, becomes the sign for what cannot be
 * read. As JSON.stringify wants it.
 * @param {string} _
 * @param {any} value
 */
export const asSent = (_, value) => (typeof value === 'string' ? value.toWellFormed() : value);

/** One spelling of a value, whatever the order of its keys. @param {any} value @returns {string} */
export function canon(value) {
  if (Array.isArray(value)) return `[${value.map(canon)}]`;
  if (value && typeof value === 'object') {
    const parts = Object.keys(value)
      .sort()
      .map(key => `${JSON.stringify(key)}:${canon(value[key])}`);
    return `{${parts}}`;
  }
  return JSON.stringify(value ?? null, asSent);
}

/**
 * The first 32 bits behind the point of a root of each of the first primes.
 * @param {number} root
 * @param {number} n
 */
function fractions(root, n) {
  const primes = /** @type {number[]} */ ([]);
  for (let p = 2; primes.length < n; p++) if (primes.every(q => p % q)) primes.push(p);
  return primes.map(p => (p ** (1 / root) * 2 ** 32) | 0);
}
const START = fractions(2, 8);
const ROUNDS = fractions(3, 64);
/** @param {number} word @param {number} by */
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

/** @param {any} value @returns {string} 64 hexadecimal digits */
export function digest(value) {
  const text = new TextEncoder().encode(canon(value));
  const bytes = new Uint8Array(((text.length + 72) >> 6) << 6);
  bytes.set(text);
  bytes[text.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 8, Math.floor(text.length / 2 ** 29));
  view.setUint32(bytes.length - 4, text.length << 3);
  const state = [...START];
  const words = new Int32Array(64);
  for (let at = 0; at < bytes.length; at += 64) {
    for (let n = 0; n < 16; n++) words[n] = view.getInt32(at + 4 * n);
    for (let n = 16; n < 64; n++) {
      const early = words[n - 15],
        late = words[n - 2];
      const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      words[n] = words[n - 16] + low + words[n - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let n = 0; n < 64; n++) {
      const choice = (e & f) ^ (~e & g),
        majority = (a & b) ^ (a & c) ^ (b & c);
      const first =
        h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + ROUNDS[n] + words[n];
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => {
      state[n] = (state[n] + word) | 0;
    });
  }
  return state.map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
