// A line above the page that stays until it is answered, and answers to take along.
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

/** Answers that are not on the server, as a file. @param {Message[]} messages */
export function downloadAnswers(messages) {
  const rows = messages.map(({ task, item, body: { answers, answered_at } }) => {
    return { task, item: item + 1, answers, answered_at };
  });
  const type = 'application/json',
    href = URL.createObjectURL(new Blob([JSON.stringify(rows, null, 2)], { type }));
  create('a', '', '', { href, download: 'answers.json' }).click();
  setTimeout(() => URL.revokeObjectURL(href));
}
