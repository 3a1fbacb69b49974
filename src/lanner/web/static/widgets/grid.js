// The same options for each of several lines. In a row's margin the grid is a small chart, one bar a line.
import * as choice from './choice.js';

const lines = el => [...el.querySelectorAll('[data-line]')];
/** @param {HTMLElement} el @returns {Record<string, string>} */
export const read = el => Object.fromEntries(lines(el).map(line => [line.dataset.line, choice.read(line)]).filter(([, v]) => v));
/** @param {HTMLElement} el @param {Record<string, string>|null} value */
export const write = (el, value) => { for (const line of lines(el)) choice.write(line, value?.[line.dataset.line] ?? null); };

/** @param {HTMLElement} el @param {Record<string, string>} value */
export function brief(el, value) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), rows = lines(el);
  let x = 0, group = null;
  for (const line of rows) {
    const options = [...line.querySelectorAll('input')], height = Math.max(0, options.findIndex(o => o.value === value[line.dataset.line]));
    const bar = document.createElementNS(svg.namespaceURI, 'rect'), of = line.closest('.group');
    x += of !== group && group ? 2 : 0;
    group = of;
    const tall = height ? 1 + 12 * height / (options.length - 1) : 1;
    for (const [k, v] of Object.entries({ x, y: 13 - tall, width: 3, height: tall, class: height ? of?.className.match(/g\d/)?.[0] ?? 'g0' : 'z' })) bar.setAttribute(k, v);
    svg.append(bar);
    x += 4;
  }
  svg.setAttribute('viewBox', `0 0 ${x} 13`);
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('glyph');
  return { glyph: svg };
}
