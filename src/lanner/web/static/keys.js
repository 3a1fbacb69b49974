// Keys. Letters are read by name, and by position under a Korean or Arabic layout; digits by position (AZERTY).
import { $ } from './dom.js';

/** @param {{key: string, code: string, shiftKey: boolean}} e @returns {string} */
export function keyOf({ key, code, shiftKey }) {
  if (!shiftKey && /^Digit\d$/.test(code)) return code.slice(5);
  if (/^[ -~]$/.test(key)) return key.toLowerCase();
  if (/^(Key|Digit|Numpad).$/.test(code)) return code.slice(-1).toLowerCase();
  return code === 'Slash' ? (shiftKey ? '?' : '/') : key;
}

/** The definition of what is armed, else of the question around it. */
const defined = el => el && ($('[data-def]', el) ?? $('[data-def]', el.closest('.q')))?.dataset.def;

export function listen(app) {
  const { help, marking, rail, rows } = app;
  const letters = {
    j: () => app.step(1),
    k: () => app.step(-1),
    u: () => app.undo(),
    d: () => help.toggle('definitions'),
    g: () => help.toggle('guidelines'),
    '?': () => help.toggle('keys'),
    i: () => help.define(defined(rail.armed) ?? ''),
    '/': () => $('#find')?.focus(),
    o: () => marking.other(),
    f: () => $('#finish-button')?.focus(),
  };
  /** One step out at a time: the menu at a selection, the armed question or field, the drawer. */
  const out = () => {
    if (marking.active) return marking.close();
    if (!rail.armed && !document.activeElement.matches('#find, .rail *')) return help.shut();
    rail.arm(null);
    document.activeElement.blur();
    return rows.now?.num.focus();
  };
  /** What a key does here; nothing where it belongs to the control that has the focus. */
  const meaning = (e, t) => {
    const k = keyOf(e),
      enter = e.key === 'Enter',
      sideways = { ArrowLeft: -1, ArrowRight: 1 }[e.key],
      upright = { ArrowUp: -1, ArrowDown: 1 }[e.key],
      page = { PageUp: -1, PageDown: 1 }[e.key],
      single = app.prefs.get('single') !== 'off';
    if (enter && (e.ctrlKey || e.metaKey)) return () => app.accept();
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return undefined;
    if (e.key === 'Escape') return out;
    if (page && rows.now && !t.matches('textarea, select, [type=range], .drawer, .drawer *'))
      return () => rows.page(page);
    if (e.key === 'Tab' && !e.shiftKey && marking.sel && !t.closest('.toolbar'))
      return () => marking.enter();
    if (t.matches('textarea, [type=search]') || (t.type === 'number' && !/^[a-z?/]$/.test(k)))
      return enter && !t.matches('textarea')
        ? () => (t.id === 'find' ? help.found() : app.accept())
        : undefined;
    if (
      k === ' ' ||
      (t.matches('select, [type=range]') && !enter) ||
      (t.type === 'radio' && sideways && !marking.active)
    )
      return undefined;
    if (enter)
      return marking.linking
        ? () => marking.link()
        : t.matches('button, a:not(.num), summary')
          ? undefined
          : () => app.accept();
    if (upright) return () => (marking.linking ? marking.row(upright) : app.step(upright));
    if (sideways && marking.bars.length) return () => marking.walk(sideways, e.shiftKey);
    if (marking.active && (k === 'Delete' || k === 'Backspace')) return () => marking.delete();
    return !single
      ? undefined
      : (marking.menu(k) ?? ((!app.frozen && (rail.digit(k) || rail.letter(k))) || letters[k]));
  };
  document.addEventListener('keydown', e => {
    const act = meaning(e, e.target);
    if (act) {
      e.preventDefault();
      act();
    }
  });
}
