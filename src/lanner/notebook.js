// Shows one page of Lanner, served by the notebook's own kernel, in a frame below the cell.

const LOCAL = new Set(['localhost', '127.0.0.1']);
const PATIENCE = 10000;

/** The page under the name by which the notebook was opened: cookies belong to a name. */
function localAddress(text) {
  const address = new URL(text);
  if (LOCAL.has(location.hostname)) address.hostname = location.hostname;
  return address.href;
}

/** One frame after the other: each signs somebody in. */
function loadInTurn(frame, address) {
  const loading = () =>
    new Promise(done => {
      frame.addEventListener('load', done, { once: true });
      setTimeout(done, PATIENCE);
      frame.src = address;
    });
  window.lannerFrames = (window.lannerFrames ?? Promise.resolve()).then(loading);
}

function render({ model, el }) {
  const address = localAddress(model.get('address'));
  const frame = document.createElement('iframe');
  frame.title = model.get('title');
  frame.style.cssText =
    'box-sizing: border-box; width: 100%; border: 1px solid #8884; border-radius: 6px';
  const resize = () => {
    frame.style.height = `${model.get('height')}px`;
  };
  resize();
  model.on('change:height', resize);
  const link = document.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener';
  link.textContent = 'Open in a tab of its own';
  el.classList.add('lanner-page');
  el.replaceChildren(frame, link);
  loadInTurn(frame, address);
  return () => model.off('change:height', resize);
}

export default { render };
