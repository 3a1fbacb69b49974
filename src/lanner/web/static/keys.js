// What keys do, for the whole page. Three rules hold wherever the focus is:
//
// - Enter does what the main button says. It presses another button or link only where Tab led to
//   it, never again what was pressed with the mouse; in a text area it is a new line, and there
//   Ctrl+Enter accepts.
// - Up and down change the sentence (in a questionnaire the question). Left and right stay inside
//   what has the focus: the points of a scale, the digits of a number, else the words of the
//   sentence.
// - A key that is held down acts once, unless it moves (arrows, j, k, pages) or types into a field:
//   nobody accepts a sentence that has not been read, or gives a score with the key of a mark.
//
// Letters are read by name, and by position under a Korean or Arabic layout; digits by position
// (AZERTY).
import { $ } from './dom.js';
import { focusedElement } from './focus.js';
import { byPointer } from './pointer.js';

/** @param {{key: string, code: string, shiftKey: boolean}} e @returns {string} */
export function keyOf({ key, code, shiftKey }) {
  if (!shiftKey && /^Digit\d$/.test(code)) return code.slice(5);
  if (/^[ -~]$/.test(key)) return key.toLowerCase();
  if ([...key].length > 1) return key; // it has a name, as a 5 of the keypad without Num Lock has
  if (/^(Key|Digit|Numpad).$/.test(code)) return code.slice(-1).toLowerCase();
  return code === 'Slash' ? (shiftKey ? '?' : '/') : key;
}

/** @type {Record<string, Action>} */
const VERTICAL = { ArrowUp: 'previous', ArrowDown: 'next' };
/** @type {Record<string, Action>} */
const SIDEWAYS = { ArrowLeft: 'left', ArrowRight: 'right' };
/** @type {Record<string, Action>} */
const PARTS = { ArrowLeft: 'part_left', ArrowRight: 'part_right' };
/** @type {Record<string, Action>} */
const ENDS = { Home: 'first_word', End: 'last_word' };
/** @type {Record<string, Action>} */
const PAGES = { PageUp: 'page_up', PageDown: 'page_down' };

/**
 * @param {boolean} command with Ctrl or Cmd
 * @param {Place} place
 * @returns {Action}
 */
function enter(command, { focus, byPointer, linking }) {
  if (command) return 'accept';
  if (focus === 'text') return 'native';
  if (focus === 'search') return 'find_next';
  if (linking) return 'take_link';
  return focus === 'button' && !byPointer ? 'native' : 'accept';
}

const MODIFIERS = ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'];

/** @type {Action[]} what a key does again while it is held down */
const REPEATED = [
  ...[VERTICAL, SIDEWAYS, PARTS, PAGES].flatMap(keys => Object.values(keys)),
  'into_menu',
  'native',
];

/**
 * What a key does.
 * @param {KeyPress} e
 * @param {Place} place
 * @returns {Action}
 */
export function actionOf(e, place) {
  const action = firstActionOf(e, place);
  if (!e.repeat || (action === 'single' && /^[jk]$/.test(keyOf(e)))) return action;
  const pressesButton = e.key === 'Enter' && place.focus !== 'text';
  return REPEATED.includes(action) && !pressesButton ? action : 'nothing';
}

/**
 * What a key does when it goes down.
 * @param {KeyPress} e
 * @param {Place} place
 * @returns {Action}
 */
function firstActionOf(e, place) {
  const { focus, menu, inMenu, marks, rows } = place,
    command = e.ctrlKey || e.metaKey;
  // Safari ends the composition before the key that ends it: it is known by its number alone
  if (e.isComposing || e.keyCode === 229) return 'native';
  if (e.key === 'Enter') return e.altKey ? 'native' : enter(command, place);
  const words = marks && focus !== 'text' && focus !== 'search' && focus !== 'reading';
  const own = !menu && (focus === 'points' || focus === 'number');
  if (command && !e.altKey && words && !own && e.key in PARTS) return PARTS[e.key];
  if (command || e.altKey) return 'native';
  if (e.key === 'Escape') return 'leave';
  if (e.key === 'Tab') return menu && !inMenu && !e.shiftKey ? 'into_menu' : 'native';
  if (focus === 'text' || (focus === 'reading' && !/^[a-z?/]$/.test(keyOf(e)))) return 'native';
  if (e.key in PAGES) return rows ? PAGES[e.key] : 'native';
  if (e.key in VERTICAL) return VERTICAL[e.key];
  if (focus === 'search') return 'native';
  if (e.key === ' ') return focus === 'button' && place.byPointer ? 'nothing' : 'native';
  if (e.key in SIDEWAYS) return words && !own ? SIDEWAYS[e.key] : 'native';
  if (e.key in ENDS) return words && !own ? ENDS[e.key] : 'native';
  if (focus === 'number') return /^[a-z?/]$/.test(keyOf(e)) ? 'single' : 'native';
  if (menu && (e.key === 'Delete' || e.key === 'Backspace')) return 'remove';
  return 'single';
}

/** What has the focus. @param {any} el @returns {Focus} */
function focusOf(el) {
  if (el.matches('textarea')) return 'text';
  if (el.matches('[type=search]')) return 'search';
  if (el.matches('[inputmode]')) return 'number';
  if (el.matches('.drawer, .drawer *') && !el.matches('button')) return 'reading';
  if (el.matches('select, [type=range], [type=radio]')) return 'points';
  return el.matches('button, a:not(.num), summary') ? 'button' : 'page';
}

/** The definition of what is armed, else of the question around it. @param {any} el */
const defined = el => el && ($('[data-def]', el) ?? $('[data-def]', el.closest('.q')))?.dataset.def;

/** @param {App} app */
export function listen(app) {
  const { help, marking, rail, rows } = app;
  /** @type {Record<string, () => any>} */
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
    w: () => marking.possible && marking.showWordField(true),
    f: () => $('#finish-button')?.focus(),
  };
  /** One step out at a time: the menu at a selection, the armed question or field, the drawer. */
  const leave = () => {
    marking.left = null;
    if (marking.active) {
      const inField = focusedElement().matches('#word');
      marking.close();
      return inField ? rows.focus() : undefined;
    }
    if (!rail.armed && !focusedElement().matches('#find, #word, .rail *')) return help.shut();
    marking.showWordField(false);
    rail.arm(null);
    focusedElement().blur();
    return rows.now?.num.focus();
  };
  /** What a letter or digit means here. @param {string} key */
  const single = key => {
    if (app.prefs.get('single') === 'off') return undefined;
    return (
      marking.menu.keyed(key) ??
      ((!app.frozen && (rail.digit(key) || rail.letter(key))) || letters[key])
    );
  };
  const vertical = (/** @type {number} */ by) =>
    marking.linking ? marking.moveRow(by) : app.step(by);
  /** @type {Record<string, (e: KeyboardEvent) => any>} */
  const actions = {
    accept: () => app.flow.accept(),
    leave,
    into_menu: () => marking.menu.enter(),
    take_link: () => marking.link(),
    find_next: () => (focusedElement().id === 'word' ? marking.wordFound() : help.nextHit()),
    remove: () => marking.delete(),
    next: () => vertical(1),
    previous: () => vertical(-1),
    right: e => marking.walk(1, e.shiftKey),
    left: e => marking.walk(-1, e.shiftKey),
    part_right: e => marking.leap(1, false, e.shiftKey),
    part_left: e => marking.leap(-1, false, e.shiftKey),
    first_word: e => marking.leap(-1, true, e.shiftKey),
    last_word: e => marking.leap(1, true, e.shiftKey),
    page_down: () => rows.page(1),
    page_up: () => rows.page(-1),
    nothing: () => {},
  };
  document.addEventListener('keydown', e => {
    const at = focusedElement();
    if (app.leaving) return; // it is meant for the page that is on its way
    if (!MODIFIERS.includes(e.key)) marking.selection?.end();
    const action = actionOf(e, {
      focus: focusOf(at),
      byPointer: byPointer(),
      menu: marking.active && at.id !== 'word',
      inMenu: at.closest('.toolbar') != null,
      linking: marking.linking != null,
      marks: marking.possible,
      rows: rows.now != null,
    });
    const act = action === 'single' ? single(keyOf(e)) : actions[action];
    if (!act) return;
    e.preventDefault();
    rail.commit(action !== 'accept');
    act(e);
  });
}

/** What was pressed longer ago than this, in milliseconds, nobody remembers for certain. */
const RECENT = 2000;

/**
 * Whether what was pressed before the scripts ran can be taken: all of it on the row that is open
 * now, and not long ago.
 * @param {EarlyInput[]} inputs
 * @param {number} row
 * @param {number} now
 */
export const isTimely = (inputs, row, now) =>
  inputs.every(input => input.row === row && now - input.time < RECENT);

/** Do what was pressed before the scripts ran. @param {EarlyInput[]} inputs */
export function replay(inputs) {
  for (const { key = '', code, shiftKey, control, value } of inputs) {
    if (control) {
      if (typeof value === 'boolean') control.checked = value;
      else control.value = value ?? '';
      const changes = control.matches('[type=radio], [type=checkbox], select') ? [] : ['input'];
      for (const change of [...changes, 'change'])
        control.dispatchEvent(new Event(change, { bubbles: true }));
      continue;
    }
    const options = { key, code, shiftKey, bubbles: true, cancelable: true };
    const isFree = focusedElement().dispatchEvent(new KeyboardEvent('keydown', options)),
      field = /** @type {HTMLInputElement} */ (focusedElement());
    if (!isFree || [...key].length > 1 || !field.matches('textarea, [inputmode]')) continue;
    field.setRangeText(key, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
