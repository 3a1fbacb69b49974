// A message to the organiser about this document.
import { $ } from './dom.js';
import { isRefusal, NO_REPLY, send } from './sending.js';

/** @param {App} app */
export function listenToMessages({ t, say }) {
  const form = $('#message');
  if (!form) return;
  const field = $('textarea', form),
    output = $('output', form),
    url = `${location.pathname.replace(/\/$/, '')}/message`;
  let isSending = false;
  const post = async () => {
    const text = field.value.trim();
    if (isSending) return undefined;
    if (!text) return field.focus();
    isSending = true;
    const reply = await send(url, { text }).catch(() => NO_REPLY),
      isSent = reply.body?.sent === true;
    isSending = false;
    if (isRefusal(reply)) output.textContent = reply.body.message;
    else output.textContent = t(isSent ? 'message_sent' : 'message_waits');
    if (isSent && field.value.trim() === text) field.value = ''; // else one writes on
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
