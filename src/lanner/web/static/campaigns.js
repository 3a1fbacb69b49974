// The list of campaigns: what is typed narrows it.
const field = /** @type {HTMLInputElement | null} */ (document.getElementById('find'));
field?.addEventListener('input', () => {
  const wanted = field.value.trim().toLocaleLowerCase();
  for (const row of document.querySelectorAll('#campaigns tbody tr')) {
    /** @type {HTMLElement} */ (row).hidden = !(row.textContent ?? '')
      .toLocaleLowerCase()
      .includes(wanted);
  }
});
