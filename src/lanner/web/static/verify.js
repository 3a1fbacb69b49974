// Settling doubtful rows. The server keeps the rows and every edit; this page moves the frame,
// asks, and shows what came back.

import { $, $$, create } from './dom.js';
import { points } from './text.js';

const END = /[.!?…。！？।؟۔]\S*\s*$/u;
const main = $('.vmain');
const help = /** @type {HTMLDialogElement} */ ($('#help')),
  sure = /** @type {HTMLDialogElement} */ ($('#sure'));
const letters = /** @type {HTMLInputElement} */ ($('#letters'));

let everything = new URLSearchParams(location.search).has('all');
let column = 'source';
/** What was asked for, one after the other: a key pressed while the server works is not lost. */
let queue = Promise.resolve();
const run = (/** @type {() => unknown} */ action) => {
  queue = queue.then(action).then(() => {}, fail);
};
/**
 * The split being prepared: its row, where each text is cut, the texts whose place a person chose.
 * @type {{row: string, cut: Record<string, number>, own: Set<string>, was: boolean} | null}
 */
let splitting = null;

const table = () => $('table.rows');
const at = () => Number(table().dataset.at);
const own = () => $$('tr.own');
const current = () => $('tr.cur') ?? own()[0];
const cells = () => $$('td', current());
const cell = () => cells().find(td => td.dataset.column === column) ?? cells()[0];

/** @param {string} text @param {boolean} [wrong] */
const say = (text, wrong = false) =>
  Object.assign($('#said'), { textContent: text, className: wrong ? 'no' : '' });
const fail = (/** @type {any} */ error) => say(error.message ?? String(error), true);

/** @param {string} path @param {object} body */
async function ask(path, body) {
  const response = await fetch(`${main.dataset.here}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const reply = await response
    .json()
    .catch(() => ({ message: 'The server gave no answer.', next: '' }));
  if (!response.ok) throw new Error([reply.message, reply.next].filter(Boolean).join(' '));
  return reply;
}

/** Frame a cell: the only one that Tab reaches. */
function frame(focus = true) {
  for (const td of $$("td[tabindex='0']")) td.tabIndex = -1;
  const now = cell();
  column = now.dataset.column ?? 'source';
  now.tabIndex = 0;
  if (focus) now.focus({ preventScroll: true });
  now.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** @param {HTMLElement | undefined} row @param {string} [name] */
function go(row, name = column) {
  if (!row) return;
  column = name;
  $('tr.cur')?.classList.remove('cur');
  row.classList.add('cur');
  frame();
}

/**
 * Do something with the framed row and show where that leads.
 * @param {Record<string, any>} request
 */
async function act(request) {
  main.classList.add('busy');
  try {
    const before = at(),
      reply = await ask('act', {
        at: at(),
        row: current()?.dataset.row,
        all: everything,
        ...request,
      });
    $('#group').innerHTML = reply.html;
    const open = new Set(reply.open);
    for (const line of $$('.list li')) {
      const n = Number(line.dataset.n);
      line.classList.toggle('ok', !open.has(n));
      $('.tick .vh', line).textContent = open.has(n) ? 'open' : 'settled';
      line.toggleAttribute('aria-current', n === reply.at);
    }
    $('.list [aria-current]').setAttribute('aria-current', 'true');
    $('.list [aria-current]').scrollIntoView({ block: 'nearest' });
    $('#left').replaceChildren(create('b', '', String(reply.open.length)), ` of ${reply.of} open`);
    $('#left').classList.toggle('all', !reply.open.length);
    history.replaceState(null, '', `?at=${reply.at + 1}${everything ? '&all=1' : ''}`);
    if (reply.at !== before || request.do === 'accept')
      column = $('td.unsure', current())?.dataset.column ?? column;
    say(reply.open.length ? reply.said : `${reply.said} Everything is settled: save and finish.`);
    frame();
  } catch (error) {
    fail(error);
  } finally {
    main.classList.remove('busy');
  }
}

// --- splitting: the words of every text become places at which the second row can begin

/** @param {HTMLElement} td @returns {{at: number, text: string}[]} */
function pieces(td) {
  const text = $('.t', td).textContent;
  const words = [];
  let offset = 0;
  for (const part of 'unspaced' in td.dataset ? [...text] : (text.match(/\s*\S+\s*/g) ?? [])) {
    words.push({ at: offset, text: part });
    offset += points(part);
  }
  return words;
}

async function beginSplit() {
  const row = current().dataset.row,
    was = everything;
  if (pieces($("td[data-column='source']", current())).length < 2)
    return say('The source of this row is one word: there is nothing to split.', true);
  if (!everything && $("[data-do='outputs']")) {
    everything = true;
    await act({ do: 'look' });
    go(own().find(tr => tr.dataset.row === row));
  }
  splitting = { row, cut: {}, own: new Set(), was };
  const source = pieces($("td[data-column='source']", current()));
  for (const td of cells()) {
    const text = $('.t', td);
    text.dataset.whole = text.textContent;
    text.replaceChildren(
      ...pieces(td).map(({ at: place, text: words }) =>
        create('span', 'w', words, { onclick: () => place && put(td.dataset.column, place, true) }),
      ),
    );
  }
  const middle = source.find(piece => END.test(piece.text) && piece !== source.at(-1));
  column = 'source';
  $('.tools:not(.cutting)').hidden = true;
  $('.cutting').hidden = false;
  frame();
  await put(
    'source',
    source[middle ? source.indexOf(middle) + 1 : Math.ceil(source.length / 2)].at,
    true,
  );
}

/**
 * Say where a text is cut; a new place in the source moves those texts that nobody has placed by
 * hand.
 * @param {string} name
 * @param {number} place
 * @param {boolean} [byHand]
 */
async function put(name, place, byHand = false) {
  const now = splitting;
  if (!now) return;
  now.cut[name] = place;
  if (byHand && name !== 'source') now.own.add(name);
  column = name;
  frame();
  paint();
  if (name !== 'source') return;
  try {
    const { cut } = await ask('suggest', { at: at(), row: now.row, offset: place });
    if (splitting !== now || now.cut.source !== place) return;
    for (const key of Object.keys(cut))
      if (key !== 'source' && !now.own.has(key)) now.cut[key] = cut[key];
    paint();
  } catch (error) {
    fail(error);
  }
}

function paint() {
  if (!splitting) return;
  for (const td of cells()) {
    const cut = splitting.cut[td.dataset.column] ?? Infinity;
    let offset = 0,
      begun = false;
    for (const word of $$('.w', td)) {
      const second = offset + points(word.textContent) > cut && offset >= cut - 1;
      word.classList.toggle('second', second);
      word.classList.toggle('begin', second && !begun);
      begun ||= second;
      offset += points(word.textContent);
    }
    td.classList.toggle('cut-here', td.dataset.column === column);
  }
  const words = $$('.w.second', cell())
    .map(word => word.textContent)
    .join('')
    .trim();
  say(`The second row begins with: ${words.slice(0, 60) || 'nothing of this text'}`);
}

/** @param {number} step */
function moveCut(step) {
  if (!splitting) return;
  const td = cell(),
    places = pieces(td)
      .map(piece => piece.at)
      .slice(column === 'source' ? 1 : 0);
  if (column !== 'source') places.push(points($('.t', td).textContent));
  const now = splitting.cut[column] ?? places.at(-1) ?? 0;
  const next = step > 0 ? places.find(place => place > now) : places.findLast(place => place < now);
  if (next !== undefined) void put(column, next, true);
}

function endSplit() {
  const now = splitting;
  splitting = null;
  for (const text of $$('.t'))
    if (text.dataset.whole !== undefined) text.textContent = text.dataset.whole;
  for (const td of $$('.cut-here')) td.classList.remove('cut-here');
  $('.cutting').hidden = true;
  $('.tools:not(.cutting)').hidden = false;
  if (now) everything = now.was;
  say('');
  frame();
}

async function doSplit() {
  const now = splitting;
  if (!now) return;
  endSplit();
  await act({ do: 'split', row: now.row, cut: now.cut });
}

// --- keys and buttons

/** @type {Record<string, () => unknown>} */
const actions = {
  accept: () => act({ do: 'accept' }),
  accept_all: () => act({ do: 'accept_all' }),
  merge: () =>
    'last' in current().dataset
      ? say('This is the last row of its segment: there is nothing below to merge with.', true)
      : act({ do: 'merge' }),
  split: beginSplit,
  give: () => act({ do: 'shift', column, step: -1 }),
  take: () => act({ do: 'shift', column, step: 1 }),
  give_more: () => act({ do: 'shift', column, step: -1, coarse: true }),
  take_more: () => act({ do: 'shift', column, step: 1, coarse: true }),
  undo: () => act({ do: 'undo' }),
  outputs: () => {
    everything = !everything;
    return act({ do: 'look', row: current().dataset.row });
  },
  cut: doSplit,
  cancel: endSplit,
  up: () => go(own()[own().indexOf(current()) - 1]),
  down: () => go(own()[own().indexOf(current()) + 1]),
  left: () => sideways(-1),
  right: () => sideways(1),
  next: () => segment(1),
  previous: () => segment(-1),
  help: () => help.showModal(),
};
/** @type {Record<string, string>} */
const KEYS = {
  Enter: 'accept',
  a: 'accept_all',
  m: 'merge',
  s: 'split',
  '[': 'give',
  ']': 'take',
  '{': 'give_more',
  '}': 'take_more',
  u: 'undo',
  o: 'outputs',
  ArrowUp: 'up',
  k: 'up',
  ArrowDown: 'down',
  j: 'down',
  ArrowLeft: 'left',
  h: 'left',
  ArrowRight: 'right',
  l: 'right',
  n: 'next',
  p: 'previous',
  '?': 'help',
};

/** @param {number} step */
const sideways = step => go(current(), cells()[cells().indexOf(cell()) + step]?.dataset.column);

/** The next open segment in a direction; with none left, the next of all. @param {number} step */
function segment(step) {
  const lines = $$('.list li'),
    here = lines.findIndex(line => Number(line.dataset.n) === at());
  const order = step > 0 ? lines.slice(here + 1) : lines.slice(0, here).reverse();
  const next = order.find(line => !line.classList.contains('ok')) ?? order[0];
  return next && act({ do: 'look', at: Number(next.dataset.n) });
}

/** @param {KeyboardEvent} event */
function cuttingKey(event) {
  const forward =
    getComputedStyle($('.t', cell())).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
    moveCut(event.key === forward ? 1 : -1);
  else if (event.key === 'Tab' || event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const all = cells(),
      step = event.shiftKey || event.key === 'ArrowUp' ? -1 : 1;
    column = all[(all.indexOf(cell()) + step + all.length) % all.length].dataset.column ?? column;
    frame();
    paint();
  } else if (event.key === 'Enter') run(doSplit);
  else if (event.key === 'Escape') endSplit();
  else return;
  event.preventDefault();
}

document.addEventListener('keydown', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (
    !main ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector('dialog[open]')
  )
    return;
  if (splitting && !target.matches('.cutting button')) return cuttingKey(event);
  if (target.matches('input, select, textarea')) return;
  if (event.key === 'Enter' && target.matches('a, button, summary')) return;
  if (event.key.length === 1 && !letters.checked) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  run(() => actions[action]());
});

document.addEventListener('click', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  const pressed = /** @type {HTMLElement | null} */ (target.closest('[data-do]'));
  if (pressed) return run(() => actions[pressed.dataset.do ?? '']?.());
  const td = /** @type {HTMLElement | null} */ (target.closest('tr.own td'));
  if (td && !splitting) {
    column = td.dataset.column ?? column;
    go(/** @type {HTMLElement} */ (td.parentElement));
  }
  const line = /** @type {HTMLElement | null} */ (target.closest('.list li'));
  if (line && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    if (splitting) endSplit();
    run(() => act({ do: 'look', at: Number(line.dataset.n) }));
  }
});

async function finish() {
  say('Writing the result …');
  try {
    const { go: where } = await ask('finish', {});
    if (where.startsWith('/')) location.assign(where);
    else {
      const done = create('main', '', '', { id: 'main', tabIndex: -1 });
      done.append(create('h1', '', 'Saved'), create('p', 'fine pre', where));
      $('.vbar').remove();
      main.replaceWith(done);
      done.focus();
    }
  } catch (error) {
    fail(error);
  }
}

$('#keys')?.addEventListener('click', () => help.showModal());
$('#really')?.addEventListener('click', () => {
  sure.close();
  void finish();
});
$('#finish')?.addEventListener('click', () => {
  const open = $$('.list li:not(.ok)').length;
  $('#still').textContent = String(open);
  if (open) sure.showModal();
  else void finish();
});
if (main) go(current(), $('td.unsure', current())?.dataset.column);
