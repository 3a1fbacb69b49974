// Numbers that are typed. What is no number of the scale is refused and named, never cut, rounded
// or moved to the end.

const NUMBER = /^[-−]?\d+([.,]\d+)?$/;
/** A thousand in one country, a one in another. */
const GROUPED = /^[-−]?\d{1,3}[.,]\d{3}$/;
/** What may still become a number when more is typed. */
const BEGINNING = /^[-−]?\d*([.,]\d*)?$/;
/** The first digit of each script that keyboards of our languages write. */
const ZEROS = ['0', '٠', '۰', '０'].map(zero => zero.codePointAt(0) ?? 0);

/** Digits of any script as 0 to 9. @param {string} text */
function plain(text) {
  return [...text.trim()]
    .map(letter => {
      const code = letter.codePointAt(0) ?? 0;
      const zero = ZEROS.find(first => code >= first && code < first + 10);
      return zero === undefined ? letter : String(code - zero);
    })
    .join('')
    .replace('٫', '.');
}

/**
 * @param {string} text
 * @param {Limits} limits
 * @returns {TypedNumber}
 */
export function readNumber(text, { min, max, step }) {
  const digits = plain(text);
  if (!digits) return { value: null, problem: null };
  if (!NUMBER.test(digits)) return { value: null, problem: 'not_number' };
  const value = Number(digits.replace('−', '-').replace(',', '.'));
  if (value < min) return { value: null, problem: 'too_low' };
  if (value > max) return { value: null, problem: 'too_high' };
  const steps = step ? (value - (Number.isFinite(min) ? min : 0)) / step : 0;
  if (Math.abs(steps - Math.round(steps)) > 1e-6) return { value: null, problem: 'off_step' };
  const isAmbiguous = step > 0 && Number.isInteger(step) && GROUPED.test(digits);
  if (isAmbiguous) return { value: null, problem: 'not_number' };
  return { value, problem: null };
}

/**
 * Whether nothing that is typed after it can make it a number of the scale.
 * @param {string} text
 * @param {Limits} limits
 */
export function isHopeless(text, limits) {
  const digits = plain(text);
  if (!BEGINNING.test(digits)) return true;
  const { problem } = readNumber(text, limits);
  const below = digits.startsWith('-') || digits.startsWith('−');
  return problem === 'too_high' ? !below : problem === 'too_low' && below;
}

/**
 * The limits that a field's markup states.
 * @param {{dataset: Record<string, string|undefined>}} field
 * @returns {Limits}
 */
export function limitsOf({ dataset }) {
  const { min, max, step } = dataset;
  return { min: Number(min ?? -Infinity), max: Number(max ?? Infinity), step: Number(step ?? 0) };
}
