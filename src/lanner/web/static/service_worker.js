// Keeps a judge's pages and what they load, so that they can be reloaded without a network. The
// server writes VERSION, the version of all static files, above these lines, so that a new release
// is a new worker. It waits until the judge takes it.
/* global VERSION */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const ASSETS = `lanner-assets-${VERSION}`;
const PAGES = `lanner-pages-${VERSION}`;
const MOST_PAGES = 20;
const root = new URL(worker.registration.scope).pathname;
const PAGE = /^(work|task\/\d+)$/;
/**
 * A link or a session that ends, and a new one that begins: pages of the judge before are not kept.
 */
const CHANGE = /^(j\/.*|logout|enter\/.*)$/;
const SIGNED_OUT = [401, 403, 404, 410];
const UNREACHABLE = [502, 503, 504];

/** @param {URL} url */
const pathOf = url => url.pathname.slice(root.length);
/** @param {string} path */
const keyOf = path => new URL(root + path, location.origin).href;

/** Pages of any version go. */
async function forget() {
  for (const name of await caches.keys())
    if (name.startsWith('lanner-pages-')) await caches.delete(name);
}

/**
 * Keep a page, and of many the last ones. That of a proxy, or of a release whose files are not kept
 * here, does not take the place of one that can be read.
 * @param {string} path
 * @param {Response} response
 * @returns {Promise<boolean>} whether it is kept
 */
async function keep(path, response) {
  const text = await response.clone().text();
  if (!response.ok || !text.includes(`/static/${VERSION}/`)) return false;
  const cache = await caches.open(PAGES);
  await cache.delete(keyOf(path));
  await cache.put(keyOf(path), response);
  const kept = await cache.keys();
  for (const request of kept.slice(0, Math.max(0, kept.length - MOST_PAGES)))
    await cache.delete(request);
  return true;
}

/**
 * A page as the server has it now; without a server, as it was seen last.
 * @param {FetchEvent} event
 * @param {string} path
 */
async function page(event, path) {
  const last = async () => (await caches.open(PAGES)).match(keyOf(path));
  const response = await fetch(event.request).catch(() => null);
  if (response && !UNREACHABLE.includes(response.status)) {
    event.waitUntil(keep(path, response.clone()));
    if (SIGNED_OUT.includes(response.status)) await forget();
    return response;
  }
  const kept = await last();
  if (!kept) return response ?? Response.error();
  event.waitUntil(announceStale(event.resultingClientId));
  return kept;
}

/**
 * Say to a page that it is the one kept here: what the server holds may be newer.
 * @param {string} id
 */
async function announceStale(id) {
  const client = id ? await worker.clients.get(id) : null;
  client?.postMessage({ stale: true });
}

/**
 * Style sheets and scripts never change under their address, and the server says so; a proxy's page
 * does not, nor what a later release sends in their place.
 * @param {Request | string} request
 */
async function asset(request) {
  const cache = await caches.open(ASSETS),
    kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && response.headers.get('cache-control')?.includes('immutable'))
    await cache.put(request, response.clone());
  return response;
}

/**
 * What a page that was loaded without this worker needs to be loaded again.
 * @param {{path: string, assets: string[]}} page
 */
async function prepare({ path, assets }) {
  for (const url of assets) await asset(url);
  const pages = await caches.open(PAGES);
  if (PAGE.test(path) && !(await pages.match(keyOf(path)))) {
    const response = await fetch(keyOf(path), { credentials: 'same-origin', redirect: 'error' });
    if (!(await keep(path, response))) throw new Error('not a page of this release');
  }
}

worker.addEventListener('activate', event => {
  const current = [ASSETS, PAGES];
  const clean = async () => {
    for (const name of await caches.keys())
      if (name.startsWith('lanner-') && !current.includes(name)) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

worker.addEventListener('message', event => {
  const { data } = event;
  if (data.activate) worker.skipWaiting();
  if (data.forget) event.waitUntil(forget());
  if (data.drop)
    event.waitUntil(
      caches.open(PAGES).then(cache => cache.delete(keyOf(pathOf(new URL(data.drop))))),
    );
  if (data.prepare) {
    const path = pathOf(new URL(data.prepare.page)),
      ready = prepare({ path, assets: data.prepare.assets });
    event.waitUntil(
      ready.then(
        () => event.source?.postMessage({ prepared: true }),
        () => {}, // offline already, or another release: the next visit tries again
      ),
    );
  }
});

// What scripts send goes past this worker: an answer given as its tab closes cannot wait for a
// worker to wake up. Forms do not: signing out is one, and takes the pages kept here away.
worker.addEventListener('install', event => {
  /** @type {any} */ (event).addRoutes?.({
    condition: { requestMethod: 'POST', requestMode: 'cors' },
    source: 'network',
  });
});

worker.addEventListener('fetch', event => {
  const { request } = event,
    url = new URL(request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(root)) return;
  const path = pathOf(url);
  if (request.method === 'GET' && path.startsWith(`static/${VERSION}/`))
    event.respondWith(asset(request));
  else if (request.mode === 'navigate' && CHANGE.test(path)) event.waitUntil(forget());
  else if (request.mode === 'navigate' && request.method === 'GET' && PAGE.test(path))
    event.respondWith(page(event, path));
});
