// One message to the server, and one page of the browser sending at a time.

/** @param {string} url @param {any} [body] @returns {Promise<{status: number, body: any}>} */
export async function send(url, body) {
  const text = body && JSON.stringify(body), answer = await fetch(url, { method: body ? 'POST' : 'GET', body: text, keepalive: !!text && text.length < 60000, redirect: 'error',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) }, signal: AbortSignal.timeout(30000) });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
export const alone = work => navigator.locks ? navigator.locks.request('lanner-outbox', work) : work();
