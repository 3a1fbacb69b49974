// A few records on this device: IndexedDB, or memory where the browser allows none.

/** `put` writes all entries or none; a null deletes; an entry may name another store.
 * @typedef {{lasting: boolean, all: (store: string, prefix: string) => Promise<[string, any][]>, put: (store: string, ...entries: any[][]) => Promise<any>}} Db */

const STORES = ['drafts', 'outbox', 'times'];

/** @returns {Db} */
export function memory() {
  const kept = Object.fromEntries(STORES.map(name => [name, new Map()]));
  return {
    lasting: false,
    all: async (store, prefix) => [...kept[store]].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => a < b ? -1 : 1),
    put: async (store, ...entries) => { for (const [key, value, at = store] of entries) if (value == null) kept[at].delete(key); else kept[at].set(key, structuredClone(value)); },
  };
}

/** @param {() => IDBFactory} [factory] looking at it may fail already @returns {Promise<Db>} */
export async function open(factory = () => indexedDB) {
  try {
    const db = await new Promise((ok, fail) => {
      const asked = factory().open('lanner', 1);
      asked.onupgradeneeded = () => STORES.forEach(name => asked.result.createObjectStore(name));
      asked.onsuccess = () => ok(asked.result);
      asked.onerror = asked.onblocked = () => fail(asked.error);
    });
    const run = (stores, mode, work) => new Promise((ok, fail) => {
      const tx = db.transaction(stores, mode, { durability: stores[0] === 'outbox' ? 'strict' : 'default' }), asked = work(...stores.map(name => tx.objectStore(name)));
      tx.oncomplete = () => ok(asked.map(each => each.result));
      tx.onerror = tx.onabort = () => fail(tx.error);
      tx.commit?.();   // a page that is left right now leaves nothing half-written behind
    });
    return {
      lasting: true,
      async all(store, prefix) {
        const range = IDBKeyRange.bound(prefix, prefix + '\uffff');
        const [keys, values] = await run([store], 'readonly', s => [s.getAllKeys(range), s.getAll(range)]);   // at one moment: another page may be sending
        return keys.map((key, n) => [key, values[n]]);
      },
      put: (store, ...entries) => run([store, ...entries.map(e => e[2] ?? store)], 'readwrite', (_, ...at) => entries.map(([key, value], n) => value == null ? at[n].delete(key) : at[n].put(value, key))),
    };
  } catch {
    return memory();
  }
}
