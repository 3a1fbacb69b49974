// A message to the organiser about this document.
import { $ } from './dom.js';
import { send } from './sending.js';

/** @param {App} app */
export function listenToMessages({ t, say }) {
  const form = $('#message');
  if (!form) return;
  const field = $('textarea', form),
    output = $('output', form),
    url = `${location.pathname.replace(/\/$/, '')}/message`;
  const post = async () => {
    const text = field.value.trim();
    if (!text) return field.focus();
    const { status } = await send(url, { text }).catch(() => ({ status: 0 }));
    output.textContent = t(status === 200 ? 'message_sent' : 'message_waits');
    if (status === 200) field.value = '';
    return say(output.textContent);
  };
  form.addEventListener('submit', (/** @type {SubmitEvent} */ e) => {
    e.preventDefault();
    void post();
  });
  // here Ctrl+Enter sends the message; it accepts no sentence
  form.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return;
    e.preventDefault();
    e.stopPropagation();
    void post();
  });
}
