// What was right and wrong in a training item: question by question, mark by mark, and why.
import { $, create, light, setHidden } from './dom.js';
import { rangeOf } from './selection.js';

/**
 * The heading over the feedback: right, not quite, or nothing but an explanation.
 * @param {Feedback} feedback
 * @returns {'answer_right'|'answer_wrong'|'explanation'}
 */
export function headingOf({ right }) {
  if (right == null) return 'explanation';
  return right ? 'answer_right' : 'answer_wrong';
}

/**
 * The lines of the feedback as plain data, the wrong ones first.
 * @param {Feedback} feedback
 * @param {(key: string, values?: Record<string, any>) => string} t
 * @returns {{state: string, label: string, text: string}[]}
 */
export function linesOf({ lines }, t) {
  const texts = lines.flatMap(line => {
    if (line.marks.length)
      return line.marks.map(mark => ({
        state: mark.verdict,
        label: t(`mark_${mark.verdict}`),
        text: [mark.text && `“${mark.text}”`, mark.kind].filter(Boolean).join(' '),
      }));
    const state = line.right ? 'found' : 'missed',
      text = line.right ? line.expected : t('right_answer', { expected: line.expected });
    return [{ state, label: line.label, text: line.expected ? text : '' }];
  });
  return texts.sort((a, b) => Number(a.state === 'found') - Number(b.state === 'found'));
}

/** Where the questions stand beside the texts, and not below them. */
const WIDE = '(width > 56.25em)';

/**
 * Put the feedback, or what says how to begin, where it is looked for: below the sentence that it
 * is about. Where the screen is narrow or the whole document was judged, elsewhere.
 * @param {HTMLElement} box
 * @param {Row | undefined} row
 * @param {HTMLElement} elsewhere
 */
function placeBelow(box, row, elsewhere) {
  const place = row?.own && matchMedia(WIDE).matches ? row.el : elsewhere;
  if (box.parentElement !== place) place.append(box);
}

/**
 * Show the feedback in its box, and light what was missed in the texts of the row.
 * @param {HTMLElement} box
 * @param {Feedback|null} feedback
 * @param {App} app
 */
export function showFeedback(box, feedback, app) {
  const { t } = app,
    coach = $('#coach');
  setHidden(box, !feedback);
  if (coach) placeBelow(coach, app.rows.now, $('.coaching'));
  if (feedback) {
    placeBelow(box, app.rows.now, $('.rail-body'));
    box.dataset.state = headingOf(feedback);
    $('h3', box).textContent = t(headingOf(feedback));
    $('.verdicts', box).replaceChildren(
      ...linesOf(feedback, t).map(({ state, label, text }) => {
        const line = create('li', state);
        line.append(create('b', '', label), create('span', '', text));
        return line;
      }),
    );
    $('.why', box).textContent = feedback.explanation;
  }
  lightMissed(feedback, app.rows.now);
}

/** @param {Feedback|null} feedback @param {Row | undefined} row */
function lightMissed(feedback, row) {
  const marks = (feedback?.lines ?? []).flatMap(line => line.marks);
  const ranges = marks
    .filter(({ verdict, start }) => verdict === 'missed' && start != null)
    .flatMap(({ side, start, end, output = 0 }) => {
      const cell = row && $(`[data-side="${side}"][data-output="${output}"]`, row.el);
      return cell ? [rangeOf({ cell, start: start ?? 0, end: end ?? 0 })] : [];
    });
  light('missed', ranges);
}
