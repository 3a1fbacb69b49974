// A line above the page that stays until it is answered.
import { button, create } from './dom.js';

/** @param {string} text @param {NoteAct[]} acts where there are none, the note can be closed */
export function createNote(text, acts) {
  const note = create('p', 'note', '', { role: 'alert' });
  /** @type {NoteAct[]} */
  const offers = acts.length ? acts : [['×']];
  const buttons = offers.map(([label, act]) =>
    button('btn line small', label, () => {
      note.remove();
      act?.();
    }),
  );
  note.append(create('span', '', text), ...buttons);
  return note;
}
