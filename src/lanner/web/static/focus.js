// What has the focus, and what gets it. To move it is the dearest thing that a key does: the
// browser styles the page for it and tells everybody who asked. So the frame that answers the key
// comes first, and the focus follows it; a key or a pointer that is quicker finds it moved already.
import { afterFrame } from './dom.js';

/**
 * @typedef {object} Move
 * @property {HTMLElement} to
 * @property {FocusOptions} [options]
 * @property {() => void} [ended] the focus is there, or has gone elsewhere
 */
/** @type {Move | null} on its way */
let awaited = null;
/** Whether the focus is being moved by this module. */
let moving = false;

/** What has the focus, or is about to have it; the page itself where nothing has. */
export const focusedElement = () =>
  awaited?.to ?? /** @type {HTMLElement} */ (document.activeElement ?? document.body);

/** Whether the page itself has moved the focus, after what it belongs to was done. */
export const followsFrame = () => moving;

/**
 * Give an element the focus as soon as the next frame is drawn.
 * @param {HTMLElement} to
 * @param {FocusOptions} [options]
 * @param {() => void} [ended]
 */
export function focusSoon(to, options, ended) {
  if (!awaited) afterFrame(moveFocus);
  awaited?.ended?.();
  awaited = { to, options, ended };
}

/** Let what is to have the focus have it now. */
export function moveFocus() {
  if (!awaited) return;
  const { to, options, ended } = awaited;
  awaited = null;
  moving = true;
  to.focus(options);
  moving = false;
  ended?.();
}

/** Before anything is pressed the focus is where it belongs; who takes it elsewhere keeps it. */
export function watchFocus() {
  for (const press of ['keydown', 'pointerdown']) addEventListener(press, moveFocus, true);
  addEventListener(
    'focusin',
    () => {
      awaited?.ended?.();
      awaited = null;
    },
    true,
  );
}
