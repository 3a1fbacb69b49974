// What is selected with a mouse, a finger or a stylus. A selection belongs to the text in which it
// began: where the pointer leaves that text, the selection ends at the nearest place inside it.
import { afterFrame } from './dom.js';
import { focusedElement } from './focus.js';
import { points, slice } from './text.js';

const CELL = '[data-side]';
/** How long handles must rest before a selection made with them is taken. */
const REST = 250;

/** @param {Node|null} node @returns {HTMLElement|null} */
const cellOf = node => {
  const element = node instanceof Element ? node : node?.parentElement;
  return element?.closest(`.row ${CELL}`) ?? null;
};

/**
 * The text position nearest to a point, inside a cell.
 * @param {HTMLElement} cell
 * @param {number} x
 * @param {number} y
 */
function caretIn(cell, x, y) {
  const all = document.createRange();
  all.selectNodeContents(cell);
  const lines = [...all.getClientRects()].filter(box => box.height);
  if (!lines.length) return null;
  const top = Math.min(...lines.map(box => box.top)),
    bottom = Math.max(...lines.map(box => box.bottom));
  const { left, right } = cell.getBoundingClientRect(),
    { paddingLeft, paddingRight } = getComputedStyle(cell);
  /**
   * @param {number} value
   * @param {number} low
   * @param {number} high
   */
  const inside = (value, low, high) => Math.max(low, Math.min(high, value));
  const at = /** @type {any} */ (document).caretPositionFromPoint?.(
    inside(x, left + parseFloat(paddingLeft) + 1, right - parseFloat(paddingRight) - 1),
    inside(y, top + 2, bottom - 2),
  );
  return at && cell.contains(at.offsetNode) ? { node: at.offsetNode, offset: at.offset } : null;
}

/**
 * The code point of a cell's text that lies under a point of the screen; null beside the text.
 * @param {HTMLElement} cell
 * @param {number} x
 * @param {number} y
 * @returns {number|null}
 */
export function pointAt(cell, x, y) {
  const at = /** @type {any} */ (document).caretPositionFromPoint?.(x, y);
  return at && cell.contains(at.offsetNode) ? pointsBefore(cell, at.offsetNode, at.offset) : null;
}

/**
 * How many code points of a cell stand before a position in it.
 * @param {HTMLElement} cell
 * @param {Node} node
 * @param {number} offset
 */
function pointsBefore(cell, node, offset) {
  const lead = document.createRange();
  lead.setStart(cell, 0);
  lead.setEnd(node, offset);
  return points(lead.toString());
}

/**
 * A place in a cell, counted in code points, as the browser counts it.
 * @param {HTMLElement} cell
 * @param {number} point
 */
const positionAt = (cell, point) =>
  positionOf(cell, slice(cell.textContent ?? '', 0, point).length);

/**
 * A place in the text of an element, whatever pieces it is drawn in.
 * @param {Element} element
 * @param {number} units of the text before it, as a string counts them
 */
export function positionOf(element, units) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = units,
    node = /** @type {Text | null} */ (walker.nextNode());
  while (node && left > node.length) {
    left -= node.length;
    node = /** @type {Text | null} */ (walker.nextNode());
  }
  return { node: node ?? element, offset: node ? left : 0 };
}

/** @param {CellStretch} stretch @returns {Range} */
export function rangeOf({ cell, start, end }) {
  const range = document.createRange(),
    from = positionAt(cell, start),
    to = positionAt(cell, end);
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

/**
 * The browser's selection as a stretch of the text it began in, spaces at its ends included; null
 * where it is none.
 * @returns {CellStretch|null}
 */
function drawnStretch() {
  const selection = getSelection();
  if (!selection?.anchorNode || !selection.focusNode || selection.isCollapsed) return null;
  const cell = cellOf(selection.anchorNode);
  if (!cell) return null;
  const anchor = pointsBefore(cell, selection.anchorNode, selection.anchorOffset),
    text = cell.textContent ?? '';
  let focus;
  if (cell.contains(selection.focusNode))
    focus = pointsBefore(cell, selection.focusNode, selection.focusOffset);
  else {
    const place = cell.compareDocumentPosition(selection.focusNode);
    focus = place & Node.DOCUMENT_POSITION_PRECEDING ? 0 : points(text);
  }
  return { cell, start: Math.min(anchor, focus), end: Math.max(anchor, focus) };
}

/**
 * The same without the spaces around it.
 * @returns {DrawnStretch|null}
 */
export function selectedStretch() {
  const drawn = drawnStretch(),
    picked = drawn ? slice(drawn.cell.textContent ?? '', drawn.start, drawn.end) : '';
  if (!drawn || !picked.trim()) return null;
  const start = drawn.start + points(picked) - points(picked.trimStart());
  return { cell: drawn.cell, start, end: start + points(picked.trim()), drawn };
}

/**
 * Watch for selections, by mouse and by the handles of a touch screen.
 * @param {HTMLElement} area
 * @param {(stretch: DrawnStretch, exact: boolean) => void} onSelect called with each selection that
 *   is complete, and whether it is meant to the letter: by handles, or with Alt
 * @param {() => void} onLeave called while other words are being selected than those it has shown
 */
export function watchSelection(area, onSelect, onLeave) {
  /** @type {HTMLElement|null} the text a mouse or a pen is selecting in */
  let dragged = null;
  let resting = 0;
  let finishing = 0;
  let last = '';
  /** Whether Alt is held down. */
  let exact = false;
  /** Whether a key has ended the selection while the mouse is still pressed. */
  let ended = false;
  /** @type {Range | null} what the browser's selection is to become */
  let wanted = null;
  /** @type {CellStretch | null} what was last shown as selected */
  let shown = null;
  /** @param {Stretch | null} stretch */
  const isShown = stretch => stretch?.start === shown?.start && stretch?.end === shown?.end;
  /** Whether the browser shows other words as selected than the page. */
  const isElsewhere = () => {
    const drawn = drawnStretch();
    if (wanted || getSelection()?.isCollapsed !== false) return false;
    return drawn?.cell !== shown?.cell || !(isShown(drawn) || isShown(selectedStretch()));
  };
  /** @param {CellStretch} stretch */
  const keyOf = ({ cell, start, end }) => {
    const row = /** @type {HTMLElement} */ (cell.closest('.row'));
    return `${start} ${end} ${row.dataset.row}`;
  };

  /** End the selection inside the text it began in. @param {MouseEvent} e */
  const clamp = e => {
    if (!dragged) return false;
    const { left, right, top, bottom } = dragged.getBoundingClientRect();
    if (e.clientX >= left && e.clientX <= right && e.clientY >= top && e.clientY <= bottom)
      return false;
    const selection = getSelection(),
      edge = caretIn(dragged, e.clientX, e.clientY);
    if (!edge || !selection?.anchorNode || !dragged.contains(selection.anchorNode)) return false;
    selection.setBaseAndExtent(
      selection.anchorNode,
      selection.anchorOffset,
      edge.node,
      edge.offset,
    );
    return true;
  };
  area.addEventListener('pointerdown', e => {
    dragged =
      e.pointerType !== 'touch' && e.button === 0 ? cellOf(/** @type {Node} */ (e.target)) : null;
    last = '';
    wanted = null;
    ended = false;
  });
  // selected words are never dragged elsewhere; a press on them begins a new selection
  area.addEventListener('dragstart', e => e.preventDefault());
  document.addEventListener('mousemove', e => {
    exact = e.altKey;
    // the browser would select beyond the text, or go on selecting
    if (e.buttons & 1 && (ended || clamp(e))) e.preventDefault();
  });
  /**
   * The mouse was released. A click that ends a selection means nothing else.
   * @param {MouseEvent} [e]
   */
  const finish = e => {
    clearTimeout(resting);
    clearTimeout(finishing);
    if (ended && e?.detail) e.stopPropagation(); // not the click of a key

    if (!dragged) return;
    dragged = null;
    const stretch = selectedStretch();
    last = stretch ? keyOf(stretch) : '';
    if (!stretch) {
      // nothing but spaces, or words of a text in which it did not begin
      if (!getSelection()?.isCollapsed) getSelection()?.removeAllRanges();
      return;
    }
    e?.stopPropagation();
    onSelect(stretch, exact);
  };
  document.addEventListener('mouseup', e => {
    setTimeout(() => {
      ended = false;
    });
    if (!dragged) return;
    exact = e.altKey;
    clamp(e);
    finishing = window.setTimeout(() => finish()); // where no click follows, as beside the window
  });
  document.addEventListener('click', finish, { capture: true });
  document.addEventListener('selectionchange', () => {
    clearTimeout(resting);
    if (isElsewhere()) onLeave();
    if (dragged || ended) return;
    resting = window.setTimeout(() => {
      const stretch = dragged ? null : selectedStretch();
      const before = last;
      last = stretch ? keyOf(stretch) : '';
      if (stretch && last !== before) onSelect(stretch, true);
    }, REST);
  });
  return {
    /**
     * Show a stretch as selected without taking it again. The page lights it at once; the browser's
     * own selection, which is not cheap, follows the frame: it is for copying and for those who
     * listen.
     * @param {CellStretch} stretch
     */
    select(stretch) {
      const range = rangeOf(stretch);
      clearTimeout(resting); // what rested until now is no longer meant
      last = keyOf(stretch);
      wanted = range;
      shown = stretch;
      afterFrame(() => {
        if (wanted !== range) return; // meanwhile something else was selected
        wanted = null;
        if (focusedElement().matches('input, textarea')) return; // the keys belong to it
        const selection = getSelection();
        selection?.removeAllRanges();
        selection?.addRange(range);
      });
      return range;
    },
    /** A key is pressed: what the mouse has selected so far is what it acts on. */
    end() {
      if (!dragged || getSelection()?.isCollapsed) return;
      finish();
      ended = true;
    },
    /** Nothing is selected any more; where nothing was, the page is not laid out for it. */
    clear() {
      const selection = getSelection();
      wanted = shown = null;
      if (selection && !selection.isCollapsed) selection.removeAllRanges();
    },
  };
}
