// The disagreement browser: filters apply at once, j and k walk the list, Enter settles.

const filters = /** @type {HTMLFormElement | null} */ (document.querySelector('form.filters'));
filters?.addEventListener('change', () => {
  for (const field of filters.querySelectorAll('select')) field.disabled = field.value === '';
  filters.submit();
});

// The list scrolls by itself beside the item: the one that is open is in sight, and the page stays
// where it is.
const list = document.querySelector('.list');
const current = /** @type {HTMLElement | null} */ (document.querySelector('.list [aria-current]'));
if (list && current) list.scrollTop = Math.max(0, current.offsetTop - list.clientHeight / 3);

// So does a long passage above its answers: the sentence that is discussed begins at its top.
const passage = document.querySelector('.passage');
const sentence = /** @type {HTMLElement | null} */ (document.querySelector('.passage tr.cur'));
if (passage && sentence && passage.scrollHeight > passage.clientHeight) {
  const before = /** @type {HTMLElement | null} */ (sentence.previousElementSibling);
  const both = sentence.offsetHeight + (before?.offsetHeight ?? 0);
  passage.scrollTop = (both < passage.clientHeight && before ? before : sentence).offsetTop;
}

/** @param {Element | null | undefined} line */
const go = line =>
  /** @type {HTMLAnchorElement | null | undefined} */ (line?.querySelector('a'))?.click();

document.addEventListener('keydown', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  const writing = target.matches('textarea, select, input[type=number], input[type=text]');
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === 'Enter' && target.matches('textarea')) settle(event);
    return;
  }
  if (writing) return;
  if (event.key === 'j') go(current?.nextElementSibling ?? document.querySelector('.list li'));
  else if (event.key === 'k') go(current?.previousElementSibling);
  else if (event.key === 'Enter' && !target.matches('a, button, summary')) settle(event);
});

/** @param {Event} event */
function settle(event) {
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById('settle'));
  if (!form || !document.querySelector('button[form=settle]')) return;
  event.preventDefault();
  form.requestSubmit();
}

export {};
