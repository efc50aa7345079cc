/** Values that this browser keeps (IndexedDB), each under a name. */
import { createStore, del, get, set, values } from 'idb-keyval';

/** Every call rejects where the browser keeps nothing: in some private windows, on a full disk, and where there is no browser. */
export interface BrowserStore {
  /** Undefined where there is nothing of that name. */
  get(name: string): Promise<unknown>;
  /** All that is kept, in the order of the names. */
  values(): Promise<unknown[]>;
  set(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The store of that name in a database of its own. It is opened at its first use. */
export function browserStore(database: string, name: string): BrowserStore {
  const kept = createStore(database, name);
  return {
    get: async (key) => get<unknown>(key, kept),
    values: async () => values<unknown>(kept),
    set: async (key, value) => set(key, value, kept),
    remove: async (key) => del(key, kept),
  };
}
