// Keeps the live page fresh: waits for news, fetches the panels, and replaces those that changed.
import { clock, filterAlike, localise, sortAlike, sortable } from './organiser.js';

const panels = /** @type {HTMLElement} */ (document.getElementById('panels'));
const sign = /** @type {HTMLElement} */ (document.getElementById('live'));
const word = sign.querySelector('.words')?.textContent ?? '';
let madeAt = sign.dataset.made ?? '';
const PAUSE = 1200; // between two refreshes: judges' saves come first
const RETRY = 3000; // after one that failed
const FOCUS = 'a, button, summary, [tabindex]';
let fetching = false;
let again = false;

/** @param {"live" | "lost"} state */
function say(state) {
  const at = madeAt ? clock.format(new Date(madeAt)) : '';
  sign.dataset.state = state;
  const words = sign.querySelector('.words');
  if (words)
    words.textContent =
      state === 'live'
        ? `${word}${at && ', '}${at}`
        : (sign.dataset.lost ?? '').replace('{time}', at);
}

/** The question the panels that set judges side by side are about. */
const question = () => new URLSearchParams(location.search).get('question') ?? '';

async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  let pause = PAUSE;
  try {
    const response = await fetch(
      `${panels.dataset.from}?question=${encodeURIComponent(question())}`,
    );
    const made = response.headers.get('x-made-at'); // the page of some proxy has none
    if (!response.ok || !made) throw new Error(String(response.status));
    madeAt = made;
    replace(await response.text());
    say('live');
  } catch {
    say('lost');
    again = true;
    pause = RETRY;
  }
  setTimeout(() => {
    fetching = false;
    if (again) {
      again = false;
      refresh();
    }
  }, pause);
}

/**
 * Put new panels in the place of old ones that differ, so that focus and scroll stay elsewhere.
 * @param {string} html
 */
function replace(html) {
  const fresh = new DOMParser().parseFromString(html, 'text/html');
  for (const panel of /** @type {NodeListOf<HTMLElement>} */ (
    fresh.querySelectorAll('[data-panel]')
  )) {
    const old = /** @type {HTMLElement | null} */ (
      panels.querySelector(`[data-panel="${panel.getAttribute('data-panel')}"]`)
    );
    if (!old) return panels.replaceChildren(...fresh.body.childNodes);
    localise(panel);
    sortable(panel);
    sortAlike(panel, old);
    const opened = [...old.querySelectorAll('details')].map(details => details.open);
    for (const [at, details] of [...panel.querySelectorAll('details')].entries())
      details.open = opened[at] ?? false;
    if (old.innerHTML === panel.innerHTML && old.hidden === panel.hidden) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    if (focused?.matches('select, input, textarea')) continue; // someone is choosing
    const place = focused ? [...old.querySelectorAll(FOCUS)].indexOf(focused) : -1;
    const put = document.importNode(panel, true);
    const scrolled = [...old.querySelectorAll('.scroll')].map(box => ({
      left: box.scrollLeft,
      top: box.scrollTop,
    }));
    old.replaceWith(put);
    filterAlike(put, old);
    for (const [at, box] of [...put.querySelectorAll('.scroll')].entries())
      box.scrollTo(scrolled[at]);
    /** @type {HTMLElement | undefined} */ (put.querySelectorAll(FOCUS)[place])?.focus({
      preventScroll: true,
    });
  }
}

panels.addEventListener('change', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (!(target instanceof HTMLSelectElement) || !('question' in target.dataset)) return;
  const address = new URL(location.href);
  address.searchParams.set('question', target.value);
  history.replaceState(null, '', address);
  target.blur();
  refresh();
});
// a panel in which someone was choosing was not replaced
panels.addEventListener('focusout', ({ target }) => {
  if (/** @type {HTMLElement} */ (target).matches('select, input, textarea')) refresh();
});

/** Wait for news. Browsers give up for good where a proxy replies in the place of the server. */
function listen() {
  const news = new EventSource(panels.dataset.events ?? '');
  news.addEventListener('changed', refresh);
  news.addEventListener('open', refresh);
  news.addEventListener('trouble', ({ data }) => {
    const notice = document.getElementById('trouble');
    if (!notice) return;
    const reason = JSON.parse(data);
    notice.hidden = !reason;
    /** @type {HTMLElement} */ (notice.querySelector('span')).textContent = reason;
  });
  news.addEventListener('error', () => {
    say('lost');
    if (news.readyState === EventSource.CLOSED) setTimeout(listen, RETRY);
  });
}
listen();
say('live');
