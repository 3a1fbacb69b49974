// Keeps what is pressed between the first paint of a judging page and the start of its scripts,
// which take it over (keys.js). What is pressed before that is meant for the page still seen.
(() => {
  /** @type {EarlyInput[]} */
  const inputs = [];
  const MOST = 50;
  /** @type {(e: Event, input: object) => void} */
  const keep = (e, input) => {
    const isPainted = performance.getEntriesByName('first-contentful-paint').length > 0;
    const row = document.querySelector('.block:not([hidden]) .is-active');
    const at = Number(/** @type {HTMLElement | null} */ (row)?.dataset.row ?? -1);
    if (e.isTrusted && isPainted && inputs.length < MOST)
      inputs.push({ ...input, row: at, time: e.timeStamp });
  };
  /** @type {(e: KeyboardEvent) => void} */
  const pressed = e => {
    const { key, code, shiftKey } = e;
    // Enter alone may have been pressed once too often on the page before: it accepts nothing here
    const isFirst = key === 'Enter' && !inputs.length;
    const isNative = e.target !== document.body || e.ctrlKey || e.metaKey || e.altKey || e.repeat;
    if (isFirst || isNative || e.isComposing) return;
    if (key === '/') e.preventDefault(); // Firefox would search with what follows
    keep(e, { key, code, shiftKey });
  };
  /** @type {(e: Event) => void} */
  const changed = e => {
    const control = /** @type {HTMLInputElement} */ (e.target);
    const isChoice = control.type === 'radio' || control.type === 'checkbox';
    // a choice when it is made, a text with every letter
    if (isChoice === (e.type === 'change') || control.matches('select'))
      keep(e, { control, value: isChoice ? control.checked : control.value });
  };
  addEventListener('keydown', pressed, true);
  for (const change of ['input', 'change']) addEventListener(change, changed, true);
  window.takeEarlyInput = () => {
    removeEventListener('keydown', pressed, true);
    for (const change of ['input', 'change']) removeEventListener(change, changed, true);
    return inputs.splice(0);
  };
})();
