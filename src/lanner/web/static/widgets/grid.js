// The same options for each of several lines. In a row's margin the grid is a small chart, one bar
// a line.
import { $, $$ } from '../dom.js';
import * as choice from './choice.js';

const SVG = 'http://www.w3.org/2000/svg';
/** The height of the chart, the width of a bar, and the steps to the next bar and group. */
const HEIGHT = 13;
const BAR = 3;
const STEP = 4;
const GROUP_STEP = 6;

/** @param {Element} el */
const lines = el => $$('[data-line]', el);

/** @param {string} tag @param {Record<string, any>} attributes */
function shape(tag, attributes) {
  const el = document.createElementNS(SVG, tag);
  for (const name in attributes) el.setAttribute(name, attributes[name]);
  return el;
}

/** @param {Element} el @returns {Record<string, string>} */
export function read(el) {
  const chosen = lines(el).map(line => [line.dataset.line, choice.read(line)]);
  return Object.fromEntries(chosen.filter(([, value]) => value));
}

/** @param {Element} el @param {Record<string, string> | null} value */
export function write(el, value) {
  for (const line of lines(el)) choice.write(line, value?.[line.dataset.line]);
}

/** @param {Element} el @param {Record<string, string>} value */
function chart(el, value) {
  const bars = [];
  let x = 0,
    group = null;
  for (const line of lines(el)) {
    const options = $$('input', line),
      level = options.findIndex(option => option.value === value[line.dataset.line]),
      height = level > 0 ? 1 + ((HEIGHT - 1) * level) / (options.length - 1) : 1,
      ownGroup = line.closest('.group');
    x += group && ownGroup !== group ? GROUP_STEP : STEP;
    group = ownGroup;
    const tone = ownGroup?.className.match(/g\d/)?.[0] ?? 'g0';
    const y = HEIGHT - height;
    bars.push(shape('rect', { x: x - STEP, y, width: BAR, height, class: level > 0 ? tone : 'z' }));
  }
  const glyph = shape('svg', {
    viewBox: `0 0 ${x} ${HEIGHT}`,
    'aria-hidden': true,
    class: 'glyph',
  });
  glyph.append(...bars);
  return glyph;
}

/**
 * @param {Element} el
 * @param {Record<string, string>} value
 * @returns {Brief}
 */
export function brief(el, value) {
  const spoken = (/** @type {App} */ { t }) =>
    lines(el)
      .filter(line => !$('.nil :checked', line))
      .map(line => {
        const { long } = choice.brief(line, value[line.dataset.line]);
        return `${$('legend', line).textContent} ${long}`;
      })
      .join(t('comma'));
  return { glyph: chart(el, value), spoken };
}
