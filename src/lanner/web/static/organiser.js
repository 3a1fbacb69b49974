// What every organiser's page shares: moments in the reader's own time zone, tables that sort and
// copy, menus that close.
import { written } from './dom.js';
import { compareCells } from './order.js';

/** As “Thu 19 Nov”. */
const day = written({ weekday: 'short', day: 'numeric', month: 'short' });
export const clock = written({ timeStyle: 'short' });

/** Show every <time data-show> in the reader's zone. @param {ParentNode} within */
export function localise(within = document) {
  for (const element of within.querySelectorAll('time[data-show]')) {
    const moment = new Date(element.getAttribute('datetime') ?? '');
    if (Number.isNaN(moment.getTime())) continue;
    const shown = element.getAttribute('data-show');
    element.textContent =
      shown === 'day'
        ? day.format(moment)
        : shown === 'clock'
          ? clock.format(moment)
          : `${day.format(moment)}, ${clock.format(moment)}`;
  }
}

/** What sets a name or figure apart from a sentence read from the other side is no part of it. */
const SETS_APART = /[\u2068\u2069]/g;

/** The words of a cell without what only helps the eye. @param {Element} cell */
const words = cell => {
  const field = cell.querySelector('select, input');
  if (field instanceof HTMLSelectElement)
    return field.selectedOptions[0]?.textContent?.trim() ?? '';
  if (field instanceof HTMLInputElement)
    return field.type === 'number' ? field.value : field.checked ? '✓' : '';
  return (cell.textContent ?? '').replace(SETS_APART, '').replace(/\s+/g, ' ').trim();
};

/** @param {HTMLTableElement} table @param {string} between */
function asText(table, between) {
  const quote = (/** @type {string} */ text) =>
    between === ','
      ? `"${text.replace(/^([=+\-@\t])/, "'$1").replace(/"/g, '""')}"`
      : text.replace(/−(?=[.\d])/g, '-'); // a table calculates with hyphens alone
  const rows = [...table.rows].map(row =>
    [...row.cells].filter(cell => !cell.classList.contains('noprint')),
  );
  return rows.map(cells => cells.map(cell => quote(words(cell))).join(between)).join('\n');
}

/**
 * Headings of tables marked data-sortable become buttons, and every table can be copied.
 * @param {ParentNode} within
 */
export function sortable(within = document) {
  for (const table of within.querySelectorAll(
    'table[data-sortable]:not(#links), [data-copyable]',
  )) {
    const place = table.closest('.scroll') ?? table;
    if (place.nextElementSibling?.classList.contains('copy-table')) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'plain copy-table';
    button.textContent = document.body.dataset.copyTable ?? '';
    place.after(button);
  }
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (
    within.querySelectorAll('table[data-sortable]')
  )) {
    const heads = table.tHead?.rows[0]?.cells ?? [];
    for (const head of heads) {
      if (head.querySelector('button') || head.querySelector('.vh') || !words(head)) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      button.textContent = words(head);
      head.replaceChildren(button);
    }
  }
}

/**
 * Sort a table as the one it takes the place of was.
 * @param {Element} fresh
 * @param {Element} old
 */
export function sortAlike(fresh, old) {
  const before = [...old.querySelectorAll('table[data-sortable]')];
  for (const [place, table] of [...fresh.querySelectorAll('table[data-sortable]')].entries()) {
    const head = /** @type {HTMLTableCellElement | null | undefined} */ (
      before[place]?.querySelector('th[aria-sort]')
    );
    const same =
      head && /** @type {HTMLTableElement} */ (table).tHead?.rows[0]?.cells[head.cellIndex];
    if (same) sortBy(same, head.getAttribute('aria-sort') === 'descending');
  }
}

/**
 * Show the rows of a table that hold the words looked for and, if wished, only marked ones.
 * @param {ParentNode} within
 */
export function filterRows(within = document) {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (
    within.querySelectorAll('input[data-filter]')
  )) {
    const table = within.querySelector(field.dataset.filter ?? '');
    const marked = /** @type {HTMLInputElement | null} */ (
      within.querySelector(`input[data-filter-marked="${field.dataset.filter}"]`)
    );
    const wanted = field.value.trim().toLocaleLowerCase();
    for (const row of /** @type {NodeListOf<HTMLTableRowElement>} */ (
      table?.querySelectorAll('tbody tr') ?? []
    )) {
      const named = words(row.cells[0] ?? row)
        .toLocaleLowerCase()
        .includes(wanted);
      row.hidden = !named || (!!marked?.checked && !('marked' in row.dataset));
    }
  }
}

/**
 * Filter a panel as the one it takes the place of was.
 * @param {Element} fresh
 * @param {Element} old
 */
export function filterAlike(fresh, old) {
  const before = /** @type {NodeListOf<HTMLInputElement>} */ (
    old.querySelectorAll('input[data-filter], input[data-filter-marked]')
  );
  const after = /** @type {NodeListOf<HTMLInputElement>} */ (
    fresh.querySelectorAll('input[data-filter], input[data-filter-marked]')
  );
  for (const [place, field] of [...after].entries()) {
    field.value = before[place]?.value ?? field.value;
    field.checked = before[place]?.checked ?? field.checked;
  }
  filterRows(fresh);
}

document.addEventListener('input', event => {
  const field = event.target;
  if (
    field instanceof HTMLInputElement &&
    ('filter' in field.dataset || 'filterMarked' in field.dataset)
  )
    filterRows(field.closest('section') ?? document);
});

/** @param {HTMLTableCellElement} head @param {boolean} down */
function sortBy(head, down = head.getAttribute('aria-sort') === 'ascending') {
  const table = /** @type {HTMLTableElement} */ (head.closest('table'));
  for (const other of table.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const column = head.cellIndex;
  const key = (/** @type {HTMLTableRowElement} */ row) =>
    row.cells[column]?.dataset.value ?? words(row.cells[column] ?? row);
  for (const body of table.tBodies) {
    const rows = [...body.rows].sort((one, other) => {
      const order = compareCells(key(one), key(other));
      return down ? -order : order;
    });
    body.append(...rows);
  }
}

/** @param {string} name @param {string} text */
function save(name, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['\ufeff' + text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Copy a text as what is selected in a field is copied. @param {string} text */
function copySelected(text) {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

/** What a button says that was pressed once: it may be pressed again before it says so. */
const labels = /** @type {WeakMap<HTMLElement, string>} */ (new WeakMap());

/** @param {HTMLElement} button @param {string} text */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copySelected(text); // over plain http, and in a notebook's frame, pages are given no clipboard
    button.focus();
  }
  const label = labels.get(button) ?? button.textContent ?? '';
  labels.set(button, label);
  button.textContent = document.body.dataset.copied ?? '';
  setTimeout(() => (button.textContent = label), 1500);
}

document.addEventListener('click', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (!menu.contains(target)) menu.removeAttribute('open');
  const button = target.closest('button');
  if (!button) return;
  const { copyText, copy: from, csv, name } = button.dataset;
  const table = /** @type {HTMLTableElement | null} */ (
    document.querySelector(from ?? csv ?? 'none')
  );
  if (copyText !== undefined) copy(button, copyText);
  else if (from && table) copy(button, asText(table, '\t'));
  else if (csv && table) save(name ?? 'table.csv', asText(table, ','));
  else if (button.classList.contains('copy-table')) {
    const before = button.previousElementSibling;
    const own =
      before instanceof HTMLTableElement ? [before] : (before?.querySelectorAll('table') ?? []);
    copy(button, [...own].map(table => asText(table, '\t')).join('\n\n'));
  } else if ('print' in button.dataset) window.print();
  else if (button.classList.contains('sort'))
    sortBy(/** @type {HTMLTableCellElement} */ (button.closest('th')));
});

document.addEventListener('change', event => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if ('sends' in field.dataset) field.form?.submit();
});

// a second click on a form on its way would do it twice, however slow the server; where a file
// answers, the page stays
document.addEventListener('submit', event => {
  const form = /** @type {HTMLFormElement} */ (event.target),
    { value } = /** @type {any} */ (event.submitter ?? {});
  if (event.defaultPrevented || form.method !== 'post') return;
  if ('sent' in form.dataset) return event.preventDefault();
  form.dataset.sent = '';
  setTimeout(() => delete form.dataset.sent, value === 'csv' ? 3000 : 60000);
});
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

document.addEventListener('keydown', event => {
  if (event.key === 'Escape')
    for (const menu of document.querySelectorAll('details.menu[open]'))
      menu.removeAttribute('open');
});

// What was filled in stays when one looks at another page before it is sent, as at the columns of
// the texts or at another sentence: in this window alone, until it is sent or somebody signs out.
const draft = /** @type {HTMLFormElement | null} */ (document.querySelector('form[data-kept]'));
const place = `lanner-draft-${draft?.dataset.kept}`;
let isOver = false;

/** What somebody fills in. @returns {any[]} */
const fields = () =>
  [...(draft?.elements ?? [])].filter(
    (/** @type {any} */ field) => field.name && !/hidden|file|submit/.test(field.type),
  );
/** @param {any} field */
const isTick = ({ type }) => type === 'checkbox' || type === 'radio';
/** @param {any} field */
const nameOf = field => (isTick(field) ? `${field.name}=${field.value}` : field.name);
/** What a field holds as the page came. @param {any} field */
const standing = ({ options, defaultValue }) =>
  options
    ? ([...options].find(option => option.defaultSelected) ?? options[0])?.value
    : defaultValue;
/** @param {any} field */
const isChanged = field =>
  isTick(field) ? field.checked !== field.defaultChecked : field.value !== standing(field);

function keepDraft() {
  if (!draft) return;
  const isUntouched = 'first' in draft.dataset && !fields().some(isChanged),
    values = fields().map(field => [nameOf(field), isTick(field) ? field.checked : field.value]);
  try {
    if (isOver || isUntouched) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(Object.fromEntries(values)));
  } catch {
    /* storage is blocked: it is filled in anew */
  }
}

function bringBack() {
  let kept = /** @type {Record<string, any>} */ ({});
  try {
    kept = JSON.parse(sessionStorage.getItem(place) ?? '{}');
  } catch {
    return;
  }
  for (const field of fields()) {
    const value = kept[nameOf(field)];
    if (value === undefined || field.disabled) continue;
    if (isTick(field)) field.checked = value;
    else field.value = value;
  }
}

if (draft && 'first' in draft.dataset) bringBack();
document.addEventListener('submit', event => {
  const form = /** @type {HTMLFormElement} */ (event.target),
    { value } = /** @type {any} */ (event.submitter ?? {}),
    isSigningOut = form.matches('.who');
  isOver = isSigningOut || (form === draft && value !== 'plan');
  try {
    if (isSigningOut) sessionStorage.clear();
  } catch {
    /* storage is blocked: nothing is kept */
  }
});
addEventListener('pagehide', keepDraft);

document.documentElement.classList.add('js');
localise();
sortable();
