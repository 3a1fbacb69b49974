// The same options for each of several lines. In a row's margin the grid is a small chart, one bar
// a line.
import { $, $$ } from '../dom.js';
import * as choice from './choice.js';

const SVG = 'http://www.w3.org/2000/svg',
  lines = el => $$('[data-line]', el);
const shape = (tag, attributes) => {
  const el = document.createElementNS(SVG, tag);
  for (const k in attributes) el.setAttribute(k, attributes[k]);
  return el;
};

export const read = el =>
  Object.fromEntries(
    lines(el)
      .map(line => [line.dataset.line, choice.read(line)])
      .filter(([, v]) => v),
  );
export const write = (el, value) =>
  lines(el).forEach(line => {
    choice.write(line, value?.[line.dataset.line]);
  });
export function brief(el, value) {
  let x = 0,
    group;
  const bars = lines(el).map(line => {
      const options = $$('input', line),
        height = options.findIndex(o => o.value === value[line.dataset.line]),
        tall = height > 0 ? 1 + (12 * height) / (options.length - 1) : 1,
        of = line.closest('.group');
      x += group && of !== group ? 6 : 4;
      group = of;
      return shape('rect', {
        x: x - 4,
        y: 13 - tall,
        width: 3,
        height: tall,
        class: height > 0 ? (of?.className.match(/g\d/)?.[0] ?? 'g0') : 'z',
      });
    }),
    glyph = shape('svg', { viewBox: `0 0 ${x} 13`, 'aria-hidden': true, class: 'glyph' });
  glyph.append(...bars);
  const said = lines(el)
    .filter(line => !line.querySelector('.nil :checked'))
    .map(line => [
      $('legend', line).textContent,
      choice.brief(line, value[line.dataset.line]).long,
    ]);
  return { glyph, spoken: said.map(pair => pair.join(' ')).join(', ') };
}
