// Making a campaign: only the options of the chosen design are shown; the plan comes into view when
// there is one.
import './organiser.js'; // first: it brings back what was filled in

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
