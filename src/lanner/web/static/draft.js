// Making a campaign: what was filled in stays when one goes back to the texts; only the options of
// the chosen design are shown; the plan comes into view when there is one.
const form = /** @type {HTMLFormElement | null} */ (document.querySelector('form.draft'));
/** Kept in this window alone, and until the campaign is made or somebody signs out. */
const place = `lanner-draft-${form?.dataset.texts}`;
let isOver = false;

/** What somebody fills in. @returns {any[]} */
const fields = () =>
  [...(form?.elements ?? [])].filter(
    (/** @type {any} */ field) => field.name && !/hidden|file|submit/.test(field.type),
  );
/** @param {any} field */
const isTick = ({ type }) => type === 'checkbox' || type === 'radio';
/** @param {any} field */
const nameOf = field => (isTick(field) ? `${field.name}=${field.value}` : field.name);

function keep() {
  if (!form) return;
  const values = fields().map(field => [
    nameOf(field),
    isTick(field) ? field.checked : field.value,
  ]);
  try {
    if (isOver) sessionStorage.removeItem(place);
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

if (form && 'first' in form.dataset) bringBack();
document.addEventListener('submit', event => {
  const { value } = /** @type {any} */ (event.submitter ?? {});
  isOver = value === 'make' || event.target !== form;
});
addEventListener('pagehide', keep);

const designs = document.querySelector('.designs');

function show() {
  const design = /** @type {HTMLInputElement | null} */ (designs?.querySelector('input:checked'));
  for (const options of document.querySelectorAll('fieldset[data-design]')) {
    const field = /** @type {HTMLFieldSetElement} */ (options);
    field.hidden = field.disabled = field.dataset.design !== design?.value;
  }
}

designs?.addEventListener('change', show);
show();
const chosen = document.querySelector('.protocols input:checked')?.closest('label');
const list = chosen?.parentElement;
if (chosen && list) list.scrollTop = chosen.offsetTop - list.offsetTop - 60;
document.getElementById('plan')?.scrollIntoView({ block: 'center' });

// Another row with the names of the columns: the menus above it are other ones, so the page is
// asked for again.
const pointing = /** @type {HTMLFormElement | null} */ (document.querySelector('form.pointing'));
pointing?.addEventListener('change', event => {
  if (/** @type {HTMLInputElement} */ (event.target).name !== 'header') return;
  pointing.requestSubmit(/** @type {HTMLElement} */ (pointing.querySelector('button[value=look]')));
});

// A guess becomes "yours" when another role is chosen; it can be taken back to the guess.
for (const mark of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll('.pointing [data-guess]')
)) {
  const menu = /** @type {HTMLSelectElement} */ (mark.parentElement?.querySelector('select'));
  const [guessed, yours] = /** @type {HTMLElement[]} */ ([...mark.children]);
  menu.addEventListener('change', () => {
    yours.hidden = menu.value === mark.dataset.guess;
    guessed.hidden = !yours.hidden;
  });
  mark.querySelector('button')?.addEventListener('click', () => {
    menu.value = mark.dataset.guess ?? '';
    menu.dispatchEvent(new Event('change', { bubbles: true }));
    menu.focus();
  });
}

export {};
