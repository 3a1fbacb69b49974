// Keys. Letters are read by name, and by position under a Korean or Arabic layout; digits by position (AZERTY).

/** @param {{key: string, code: string, shiftKey: boolean}} e @returns {string} */
export function keyOf({ key, code, shiftKey }) {
  if (!shiftKey && /^Digit\d$/.test(code)) return code.slice(5);
  if (/^[ -~]$/.test(key)) return key.toLowerCase();
  if (/^(Key|Digit|Numpad).$/.test(code)) return code.slice(-1).toLowerCase();
  return code === 'Slash' ? (shiftKey ? '?' : '/') : key;
}

/** @param {any} app */
export function listen(app) {
  const letters = { j: () => app.step(1), k: () => app.step(-1), u: () => app.undo(), d: () => app.help.toggle('definitions'), g: () => app.help.toggle('guidelines'), '?': () => app.help.toggle('keys'),
    i: () => app.help.define(definition(app.rail.armed)), '/': () => document.getElementById('find')?.focus(), o: () => app.marking.other(), f: () => document.getElementById('finish-button')?.focus() };

  document.addEventListener('keydown', e => {
    const t = /** @type {any} */ (e.target), { marking, rail } = app, sideways = e.key === 'ArrowLeft' || e.key === 'ArrowRight';
    const k = keyOf(e), typing = t.matches('textarea, [type=search]') || t.type === 'number' && !/^[a-z?/]$/.test(k), own = t.matches('select, [type=range]');
    /** @param {any} [work] */
    const take = work => { if (work) { e.preventDefault(); work(); } };
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) return take(() => app.accept());
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return undefined;
    if (e.key === 'Escape') return take(() => escape(app, typing));
    if (typing) return e.key === 'Enter' && !t.matches('textarea') ? take(() => t.id === 'find' ? app.help.found() : app.accept()) : undefined;
    const control = t.matches('button, a:not(.num), summary');
    if (k === ' ' || own && e.key !== 'Enter' || t.type === 'radio' && sideways && !marking.active || e.key === 'Enter' && control && !marking.linking) return undefined;
    if (marking.linking && e.key === 'Enter') return take(() => marking.link());
    if (e.key === 'Enter') return take(() => app.accept());
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') return take(() => marking.linking ? marking.row(e.key === 'ArrowDown' ? 1 : -1) : app.step(e.key === 'ArrowDown' ? 1 : -1));
    if (sideways && marking.exists) return take(() => marking.walk(e.key === 'ArrowRight' ? 1 : -1, e.shiftKey));
    if (marking.active && (k === 'Delete' || k === 'Backspace')) return take(() => marking.delete());
    const menu = marking.menu(k);
    if (menu) return take(menu);
    if (app.prefs.get('single') === 'off') return undefined;
    return take((app.frozen ? undefined : rail.digit(k) ?? rail.letter(k)) ?? letters[k]);
  });
}

/** The definition of what is armed. @param {any} el */
const definition = el => el?.querySelector('[data-def]')?.dataset.def ?? el?.closest('.q')?.querySelector('[data-def]')?.dataset.def ?? '';

/** One step out at a time: the menu at a selection, the armed question or field, the drawer. @param {any} app @param {boolean} typing */
function escape(app, typing) {
  if (app.marking.active) app.marking.close();
  else if (app.rail.armed || typing || app.rail.form.contains(document.activeElement)) {
    app.rail.arm(null);
    document.activeElement?.blur?.();
    app.rows.all[app.row]?.num.focus();
  } else app.help.shut();
}
