// One message to the server, and one page of the browser sending at a time.
import { asSent } from './digest.js';

const PATIENCE = 30000;
/** Browsers finish a small request even when its page is left. */
const SMALL = 60000;

/**
 * @param {string} url
 * @param {any} [body]
 * @returns {Promise<{status: number, body: any}>}
 */
export async function send(url, body) {
  const text = body && JSON.stringify(body, asSent);
  const reply = await fetch(url, {
    method: body ? 'POST' : 'GET',
    body: text,
    headers: {
      accept: 'application/json',
      'accept-language': document.documentElement.lang,
      ...(body && { 'content-type': 'application/json' }),
    },
    keepalive: text != null && text.length < SMALL,
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE),
  });
  return { status: reply.status, body: await reply.json().catch(() => null) };
}

/** @type {{status: number, body: any}} what a request brought that did not arrive */
export const NO_REPLY = { status: 0, body: null };

/**
 * Whether the server says no, in its own words. A proxy on the way, and a server that fails, have
 * not decided anything.
 * @param {{status: number, body: any}} reply
 */
export const isRefusal = ({ status, body }) =>
  status >= 400 && status < 500 && typeof body?.message === 'string';

/** So often an open page asks whether its link still holds, in milliseconds. */
export const WATCH = 15000;

/**
 * Whether the judge's link was replaced or revoked; without a network nobody knows.
 * @param {string} url the address of the task
 */
export async function signedOut(url) {
  if (document.hidden || !navigator.onLine) return false;
  const { status, body } = await send(`${url}/session`).catch(() => NO_REPLY);
  return status === 401 && typeof body?.message === 'string';
}

/**
 * Where a browser has no locks, or gives none, two pages send at once: each message counts once.
 * @param {() => Promise<any>} work
 * @returns {Promise<any>}
 */
export function alone(work) {
  /** @type {Promise<any> | undefined} */
  let begun;
  const begin = () => (begun ??= work());
  return navigator.locks?.request('lanner-outbox', begin).catch(begin) ?? begin();
}
