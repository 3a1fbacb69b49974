// A set of labels, or labels with how often each applies. One label may stand alone.
const boxes = el => [...el.querySelectorAll('input')];
const id = (el, field) => field.type === 'checkbox' && el.dataset.display !== 'counts' ? field.value : field.name.slice(field.name.lastIndexOf('.') + 1);

/** @param {HTMLElement} el @returns {string[]|Record<string, number>|null} */
export function read(el) {
  if (el.dataset.display !== 'counts') return boxes(el).filter(b => b.checked).map(b => b.value);
  return Object.fromEntries(boxes(el).map(f => [id(el, f), f.type === 'checkbox' ? +f.checked : Math.max(0, Math.round(+f.value || 0))]).filter(([, n]) => n));
}

/** @param {HTMLElement} el @param {string[]|Record<string, number>|null} value */
export function write(el, value) {
  for (const f of boxes(el)) {
    const n = Array.isArray(value) ? +value.includes(f.value) : value?.[id(el, f)] ?? 0;
    if (f.type === 'checkbox') f.checked = n > 0; else f.value = String(n);
  }
}

/** The label that stands alone takes the others away, and any other takes it away; beyond the most, a label is refused.
 * @param {HTMLElement} el @param {HTMLInputElement} control @returns {boolean} */
export function allow(el, control) {
  const alone = el.dataset.exclusive, on = control.type === 'checkbox' ? control.checked : +control.value > 0;
  if (alone && on) for (const f of boxes(el)) if ((id(el, f) === alone) !== (id(el, control) === alone)) { f.checked = false; if (f.type === 'number') f.value = '0'; }
  const most = +el.dataset.most || Infinity, given = read(el) ?? [];
  if ((Array.isArray(given) ? given : Object.keys(given)).length <= most) return true;
  control.checked = false;
  return false;
}

/** @param {HTMLElement} el @param {HTMLButtonElement} button */
export function press(el, button) {
  if (!button.dataset.add) return false;
  const f = button.parentElement.querySelector('input');
  f.value = String(Math.max(0, (+f.value || 0) + +button.dataset.add));
  return allow(el, f);
}

/** @param {HTMLElement} el @param {string[]|Record<string, number>} value */
export function brief(el, value) {
  const names = boxes(el).filter(f => Array.isArray(value) ? value.includes(f.value) : value[id(el, f)]);
  const count = Array.isArray(value) ? value.length : Object.values(value).reduce((a, b) => a + b, 0);
  return { short: String(count), long: names.map(f => f.dataset.name + (value[id(el, f)] > 1 ? ' ×' + value[id(el, f)] : '')).join(', ') };
}
