// What was right and wrong in a training item: question by question, mark by mark, and why.
import { $, made } from './dom.js';
import { rangeOf } from './selection.js';

/** @typedef {{verdict: 'found'|'kind'|'missed'|'extra', side?: string, start?: number, end?:
 * number, text?: string,
 *   output?: number, kind?: string}} MarkVerdict */
/** @typedef {{question: string, label: string, right: boolean, expected: string, marks:
 * MarkVerdict[]}} Line */
/** @typedef {{right: boolean|null, lines: Line[], explanation: string}} Feedback */

/** The heading over the feedback: right, not quite, or nothing but an explanation.
 * @param {Feedback} feedback @returns {'answer_right'|'answer_wrong'|'explanation'} */
export function headingOf({ right }) {
  if (right == null) return 'explanation';
  return right ? 'answer_right' : 'answer_wrong';
}

/** The lines of the feedback as plain data, the wrong ones first.
 * @param {Feedback} feedback @param {(key: string, values?: Record<string, any>) => string} t
 * @returns {{state: string, label: string, text: string}[]} */
export function linesOf({ lines }, t) {
  const texts = lines.flatMap(line => {
    if (line.marks.length)
      return line.marks.map(mark => ({
        state: mark.verdict,
        label: t(`mark_${mark.verdict}`),
        text: [mark.text && `“${mark.text}”`, mark.kind].filter(Boolean).join(' '),
      }));
    const state = line.right ? 'found' : 'missed',
      text = line.right ? line.expected : t('expected', { expected: line.expected });
    return [{ state, label: line.label, text: line.expected ? text : '' }];
  });
  return texts.sort((a, b) => Number(a.state === 'found') - Number(b.state === 'found'));
}

/** Show the feedback in its box, and light what was missed in the texts of the row.
 * @param {HTMLElement} box @param {Feedback|null} feedback @param {any} app */
export function showFeedback(box, feedback, app) {
  const { t } = app;
  box.hidden = !feedback;
  if (feedback) {
    box.dataset.state = headingOf(feedback);
    $('h3', box).textContent = t(headingOf(feedback));
    $('.verdicts', box).replaceChildren(
      ...linesOf(feedback, t).map(({ state, label, text }) => {
        const line = made('li', state);
        line.append(made('b', '', label), made('span', '', text));
        return line;
      }),
    );
    $('.why', box).textContent = feedback.explanation;
  }
  light(feedback, app.rows.now);
}

/** @param {Feedback|null} feedback @param {any} row */
function light(feedback, row) {
  const marks = (feedback?.lines ?? []).flatMap(line => line.marks);
  const ranges = marks
    .filter(({ verdict, start }) => verdict === 'missed' && start != null && row)
    .flatMap(({ side, start, end, output = 0 }) => {
      const cell = $(`[data-side="${side}"][data-output="${output}"]`, row.el);
      return cell ? [rangeOf({ cell, start: start ?? 0, end: end ?? 0 })] : [];
    });
  if (ranges.length) CSS.highlights?.set('missed', new Highlight(...ranges));
  else CSS.highlights?.delete('missed');
}
