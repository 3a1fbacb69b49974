// While a pointer is pressed nothing on the page moves: what would change its layout waits for the
// release. Otherwise a press on one control ends on another, because leaving a field has made room
// between the two.
//
// A double click on a button is one click: the second would hit what the first has brought there,
// the next sentence's button or the menu's next step. Buttons that count may be pressed quickly.

/** @type {(() => void)[]} */
const waiting = [];
let pressed = false;
/** Whether the focus is where it is because of a pointer, and not of a key. */
let focused = false;
/** Whether the last thing that happened was a pointer's doing. */
let pointed = false;

/**
 * @type {Element | null | undefined} the button on which a double click began; undefined where it
 * began on the page before this one
 */
let doubled;
const COUNTING = '[data-add], [data-act=size]';

/** Let the second click of a double click on a button do nothing. @param {Event} e */
function takeOnce(e) {
  const { detail } = /** @type {MouseEvent} */ (e),
    target = /** @type {Element} */ (e.target);
  if (e.type === 'mousedown' && detail <= 1) doubled = target.closest(`button:not(${COUNTING})`);
  else if (detail > 1 && (doubled || (doubled === undefined && target.closest('button')))) {
    e.preventDefault();
    e.stopImmediatePropagation();
  }
}

/**
 * Do something that may move other things: now, or as soon as no pointer is pressed.
 * @param {() => void} work
 */
export function whenStill(work) {
  if (pressed) waiting.push(work);
  else work();
}

/** Whether the focused control was reached with a pointer: a key must not press it once more. */
export const byPointer = () => focused;

function release() {
  if (!pressed) return;
  pressed = false;
  // after the click that belongs to this press
  setTimeout(() => {
    if (!pressed) for (const work of waiting.splice(0)) work();
  });
}

/** @param {EventTarget} page */
export function watchPointer(page) {
  const early = { capture: true, passive: true };
  page.addEventListener(
    'pointerdown',
    e => {
      pointed = focused = true;
      if (/** @type {PointerEvent} */ (e).button === 0) pressed = true;
    },
    early,
  );
  page.addEventListener('pointermove', e => /** @type {any} */ (e).buttons || release(), early);
  for (const end of ['pointerup', 'pointercancel', 'dragend']) {
    page.addEventListener(end, release, early);
  }
  addEventListener('blur', release);
  for (const press of ['mousedown', 'click']) page.addEventListener(press, takeOnce, true);
  page.addEventListener(
    'keydown',
    () => {
      pointed = false;
    },
    early,
  );
  page.addEventListener(
    'focusin',
    () => {
      focused = pointed;
    },
    early,
  );
}
