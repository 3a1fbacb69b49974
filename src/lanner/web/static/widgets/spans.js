// Marked stretches of text: marking.js does the marking; here is the list of marks beside the other
// questions.
import { $, button, made } from '../dom.js';

export const read = el => el.spans;
export function write(el, value, { marking, rows, t, frozen }) {
  const list = $('.spans', el),
    spans = value ?? [];
  el.spans = spans;
  list.replaceChildren(
    ...spans.map((span, id) => {
      const li = made('li'),
        name = marking.marks.named(el, span),
        change = frozen ? made('span', 'btn') : button('btn', ''),
        end = span.link && rows.all.find(r => r.el.dataset.segment === span.link.segment);
      change.append(
        made('span', `sw s${marking.marks.level(el, span)}${span.missing ? ' gone' : ''}`),
        made('span', '', name),
      );
      change.dataset.span = id;
      li.append(
        change,
        made('bdi', '', span.text || t('nowhere')),
        made('small', '', end ? t('linked', { n: end.name }) : ''),
      );
      const remarks = [span.note, span.correction && `→ ${span.correction}`].filter(Boolean);
      if (remarks.length) li.append(made('p', 'remark', remarks.join(' '), { dir: 'auto' }));
      if (!frozen) {
        const pen = button('btn icon', '✎');
        pen.dataset.remarks = id;
        pen.ariaLabel = `${list.dataset.remarks} ${name}: ${span.text ?? ''}`;
        li.append(pen);
        const x = button('btn icon', '×');
        x.dataset.remove = id;
        x.ariaLabel = `${list.dataset.remove} ${name}: ${span.text ?? ''}`;
        li.append(x);
      }
      return li;
    }),
    ...(spans.length ? [] : [made('li', 'none', list.dataset.none)]),
  );
}
export const brief = (_, value) => ({ spoken: String(value.length) });
