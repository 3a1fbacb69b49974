// While a pointer is pressed nothing on the page moves: what would change its layout waits for the
// release. Otherwise a press on one control ends on another, because leaving a field has made room
// between the two.

/** @type {(() => void)[]} */
const waiting = [];
let pressed = false;
/** Whether the focus is where it is because of a pointer, and not of a key. */
let focused = false;
/** Whether the last thing that happened was a pointer's doing. */
let pointed = false;

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
