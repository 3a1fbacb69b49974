// A few records on this device: IndexedDB, or memory where the browser allows none.

/** `put` writes all entries or none; a null deletes.
 * @typedef {{lasting: boolean, all: (store: string, prefix: string) => Promise<[string, any][]>, put: (store: string, ...entries: any[][]) => Promise<any>}} Db */

const STORES = ['drafts', 'outbox', 'times'];

/** @returns {Db} */
export function memory() {
  const kept = Object.fromEntries(STORES.map(name => [name, new Map()]));
  return {
    lasting: false,
    all: async (store, prefix) => [...kept[store]].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => a < b ? -1 : 1),
    put: async (store, ...entries) => { for (const [key, value] of entries) if (value == null) kept[store].delete(key); else kept[store].set(key, structuredClone(value)); },
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
    const run = (store, mode, work) => new Promise((ok, fail) => {
      const tx = db.transaction(store, mode, { durability: store === 'outbox' ? 'strict' : 'default' }), asked = work(tx.objectStore(store));
      tx.oncomplete = () => ok(asked?.result);
      tx.onerror = tx.onabort = () => fail(tx.error);
      tx.commit?.();   // a page that is left right now leaves nothing half-written behind
    });
    return {
      lasting: true,
      async all(store, prefix) {
        const range = IDBKeyRange.bound(prefix, prefix + '\uffff'), read = work => run(store, 'readonly', work);
        const keys = await read(s => s.getAllKeys(range)), values = await read(s => s.getAll(range));
        return keys.map((key, n) => [key, values[n]]);
      },
      put: (store, ...entries) => run(store, 'readwrite', s => entries.map(([key, value]) => value == null ? s.delete(key) : s.put(value, key))),
    };
  } catch {
    return memory();
  }
}
