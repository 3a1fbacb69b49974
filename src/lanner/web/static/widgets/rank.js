// An order of the texts shown, 1 best. Two texts are three buttons; more are a line each.
import { $, $$, targetOf } from '../dom.js';

/** Where translations are drawn as cards below one another, which one presses. */
const CARDS = '(max-width: 37.5em)';

/** @param {Element} el */
const lines = el => $$('[data-line]', el);
/** @param {Element} el @returns {string | undefined} */
const chosen = el => $(':checked', el)?.value;

/** @param {Element} el @returns {number[] | null} */
export function read(el) {
  if (!lines(el).length) return chosen(el)?.split(',').map(Number) ?? null;
  const ranks = lines(el).map(line => Number(chosen(line) ?? 0));
  return ranks.some(Boolean) ? ranks : null;
}

/**
 * Where no two may share a place, the one that had it gives it up.
 * @param {any} el
 * @param {any} control
 */
export function allow(el, control) {
  if (+el.dataset.most === 1)
    for (const radio of $$('input:checked', el))
      if (radio !== control && radio.value === control.value) radio.checked = false;
  return true;
}

/** @param {Element} el @param {number[] | null} value */
export function write(el, value) {
  if (!lines(el).length)
    for (const radio of $$('input', el)) radio.checked = radio.value === String(value);
  for (const [n, line] of lines(el).entries())
    for (const radio of $$('input', line)) radio.checked = +radio.value === value?.[n];
}

/**
 * The texts that are better than the others; while some have no place yet, none is.
 * @param {number[]} ranks
 */
export function preferred(ranks) {
  const top = Math.min(...ranks),
    best = ranks.flatMap((rank, n) => (rank === top ? [n] : []));
  return top > 0 && best.length < ranks.length ? best : [];
}

/**
 * A card of the active sentence that is pressed is the better one, where a single question asks
 * that. A press that ends a selection or a menu does no more.
 * @param {Ask} ask
 * @param {App} app
 */
export function watch({ el }, app) {
  let busy = false;
  const area = $('.doc');
  if (!area) return; // a questionnaire
  const isCard = (/** @type {Element | null} */ card) =>
    card &&
    app.rows.now?.own &&
    app.rail.asks.filter(({ q }) => q.kind === 'rank').length === 1 &&
    !(busy || app.marking.active || !getSelection()?.isCollapsed);
  area.addEventListener('pointerdown', () => {
    busy = !getSelection()?.isCollapsed || app.marking.active;
  });
  // before another sentence becomes the active one
  area.addEventListener(
    'click',
    (/** @type {Event} */ e) => {
      const card = targetOf(e).closest('.is-active .tgt');
      if (!isCard(card) || targetOf(e).closest('mark') || !matchMedia(CARDS).matches) return;
      $$('input', el)
        .find(({ value }) => preferred(value.split(',').map(Number)).join() === card.dataset.output)
        ?.click();
    },
    { capture: true },
  );
}

/** @param {Element} el @param {number[]} value @returns {Brief} */
export function brief(el, value) {
  const places = value.map(rank => rank || '–').join(' '),
    { brief: badge = places, name: long } = $(`[value="${value}"]`, el)?.dataset ?? {};
  return { badge, long, best: preferred(value) };
}
