// A few records on this device: IndexedDB, or memory where the browser allows none.

const STORES = ['drafts', 'outbox', 'times', 'copies'];
const VERSION = 2;
const LEFT = 'lanner-left-';
/** What takes longer, in milliseconds, will not come: a browser's damaged store never answers. */
const PATIENCE = 10000;

// A browser may drop what a page writes while it is left. Such writes are also noted in the local
// storage, which does not wait for anything, and the next page makes them again.
let leaving = false,
  noted = 0;
globalThis.addEventListener?.('pagehide', () => (leaving = true), true);
globalThis.addEventListener?.('pageshow', () => (leaving = false), true);

/**
 * Note what is being written.
 * @param {string} store
 * @param {any[][]} entries
 * @returns {() => void} for when it is written, as on a page that the browser keeps for going back
 */
function noteDown(store, entries) {
  const name = `${LEFT}${Date.now()}-${String(++noted).padStart(6, '0')}-${Math.random()}`;
  try {
    localStorage.setItem(name, JSON.stringify([store, ...entries]));
    return () => localStorage.removeItem(name);
  } catch {
    return () => {}; // blocked or full: the write itself, and the message that is sent, have to do
  }
}

/** Make the writes again that were noted by pages that were left. @param {Db['put']} put */
async function repeatNoted(put) {
  const names = Object.keys(globalThis.localStorage ?? {}).filter(name => name.startsWith(LEFT));
  for (const name of names.sort()) {
    const [store, ...entries] = JSON.parse(localStorage.getItem(name) ?? '[""]');
    if (entries.length) await put(store, ...entries);
    localStorage.removeItem(name);
  }
}

/** @returns {Db} */
export function memory() {
  const kept = Object.fromEntries(STORES.map(name => [name, new Map()]));
  return {
    lasting: false,
    async all(store, prefix) {
      const entries = [...kept[store]].filter(([key]) => key.startsWith(prefix));
      return structuredClone(entries).sort(([a], [b]) => (a < b ? -1 : 1));
    },
    async put(store, ...entries) {
      for (const [key, value, at = store] of entries) {
        if (value == null) kept[at].delete(key);
        else kept[at].set(key, structuredClone(value));
      }
    },
  };
}

/**
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>} rejected when it takes too long
 */
const inTime = work =>
  new Promise((ok, fail) => {
    const timer = setTimeout(fail, PATIENCE, new DOMException('no reply', 'TimeoutError'));
    work.then(ok, fail).finally(() => clearTimeout(timer));
  });

/** @param {() => IDBFactory} factory @returns {Promise<IDBDatabase>} */
const connect = factory =>
  new Promise((ok, fail) => {
    const request = factory().open('lanner', VERSION);
    request.onupgradeneeded = () => {
      const there = request.result.objectStoreNames;
      for (const name of STORES) if (!there.contains(name)) request.result.createObjectStore(name);
    };
    request.onsuccess = () => {
      const db = request.result;
      db.onversionchange = () => db.close(); // a page of a later version must not wait for this one
      ok(db);
    };
    request.onerror = request.onblocked = () => fail(request.error);
  });

/** @param {() => IDBFactory} [factory] looking at it may fail already @returns {Promise<Db>} */
export async function open(factory = () => indexedDB) {
  try {
    let db = await inTime(connect(factory));
    /**
     * @param {string[]} stores
     * @param {IDBTransactionMode} mode
     * @param {(...stores: IDBObjectStore[]) => IDBRequest[]} work
     * @returns {Promise<any[]>}
     */
    const runOnce = (stores, mode, work) =>
      new Promise((ok, fail) => {
        const tx = db.transaction(stores, mode, {
          durability: stores[0] === 'outbox' ? 'strict' : 'default',
        });
        const requests = work(...stores.map(name => tx.objectStore(name)));
        tx.oncomplete = () => ok(requests.map(request => request.result));
        tx.onerror = tx.onabort = () => fail(tx.error);
        tx.commit?.(); // a page that is left right now leaves nothing half-written behind
      });
    /** @type {typeof runOnce} */
    const run = (...asked) =>
      inTime(
        runOnce(...asked).catch(async e => {
          // somebody has cleared what this site keeps: then the browser closes what is open
          if (e?.name !== 'InvalidStateError') throw e;
          db = await connect(factory);
          return runOnce(...asked);
        }),
      );
    /** @type {Db['put']} */
    const put = (store, ...entries) => {
      const stores = [store, ...entries.map(entry => entry[2] ?? store)];
      return run(stores, 'readwrite', (_, ...at) =>
        entries.map(([key, value], n) =>
          value == null ? at[n].delete(key) : at[n].put(value, key),
        ),
      );
    };
    await run(STORES, 'readonly', (...stores) => stores.map(store => store.count())); // can be read
    await repeatNoted(put).catch(() => {}); // they stay noted
    return {
      lasting: true,
      async all(store, prefix) {
        const range = IDBKeyRange.bound(prefix, prefix + '\uffff');
        // both at one moment: another page may be sending
        const [keys, values] = await run([store], 'readonly', s => [
          s.getAllKeys(range),
          s.getAll(range),
        ]);
        return keys.map((/** @type {string} */ key, /** @type {number} */ n) => [key, values[n]]);
      },
      async put(store, ...entries) {
        const forget = leaving ? noteDown(store, entries) : () => {};
        const written = await put(store, ...entries);
        forget();
        return written;
      },
    };
  } catch {
    return memory();
  }
}
