// One message to the server, and one page of the browser sending at a time.

/** @param {string} url @param {any} [body] @returns {Promise<{status: number, body: any}>} */
export async function send(url, body) {
  const text = body && JSON.stringify(body), headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(url, { method: body ? 'POST' : 'GET', body: text, headers, keepalive: text?.length < 60000, redirect: 'error', signal: AbortSignal.timeout(30000) });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}
export const alone = work => navigator.locks ? navigator.locks.request('lanner-outbox', work) : work();
