// The page's side of the service worker: has this page kept for a reload without a network, hears
// when it is such a kept page, and says when a new version waits. Nothing of this happens where the
// browser has no service workers (plain http).

const workers = navigator.serviceWorker;
const root = location.pathname.replace(/(task\/\d+|work)\/?$/, '');

/**
 * Whether this page came from the device. The worker says so early, perhaps before anybody asks.
 */
let isKept = false,
  whenKept = () => {};
workers?.addEventListener('message', ({ data }) => {
  if (data.stale) {
    isKept = true;
    whenKept();
  }
  if (data.prepared) document.documentElement.dataset.offline = '';
});

/** What this page was loaded with. @returns {string[]} */
const assets = () =>
  performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter(name => name.includes('/static/'));

/**
 * Tell the service worker something; where the browser shuts it away from this site, there is none.
 * @param {object} message
 */
export async function tellWorker(message) {
  const registration = await workers?.getRegistration(root).catch(() => undefined);
  registration?.active?.postMessage(message);
}

/**
 * Keep this page on the device, and take note of new versions.
 * @param {{
 *   stale?: () => void,
 *   waiting: (activate: () => void) => void,
 *   changed: () => void,
 * }} hooks `stale`: this page came from the device; `waiting`: a new version is ready; `changed`:
 *   another window has taken it
 */
export async function keepOffline({ stale, waiting, changed }) {
  if (!workers || import.meta.url.includes('/static/dev/')) return;
  let activated = false,
    controlled = workers.controller != null;
  whenKept = () => stale?.();
  if (isKept) whenKept();
  workers.addEventListener('controllerchange', () => {
    if (activated) location.reload();
    else if (controlled) changed();
    controlled = true;
  });
  try {
    const registration = await workers.register(`${root}service_worker.js`, { scope: root });
    const offer = () => {
      if (!registration.waiting || !workers.controller) return;
      waiting(() => {
        activated = true;
        registration.waiting?.postMessage({ activate: true });
      });
    };
    registration.addEventListener('updatefound', () =>
      registration.installing?.addEventListener('statechange', offer),
    );
    offer();
    const { active } = await workers.ready;
    active?.postMessage({ prepare: { page: location.href, assets: assets() } });
  } catch {
    /* storage is blocked or full: the page works, but cannot be reloaded without a network */
  }
}
