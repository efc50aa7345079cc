/** Values that this browser keeps (IndexedDB), each under a name. */
import { createStore, del, get, set, values } from 'idb-keyval';
import { realTimers, unlessLate, type Timers } from './deadline.ts';

/**
 * Every call rejects if the browser keeps nothing (in some private windows, on a full disk, and outside of a browser),
 * and if its database does not answer for half a minute.
 */
export interface BrowserStore {
  /** Resolves to undefined if nothing has that name. */
  get(name: string): Promise<unknown>;
  /** Returns all values that are kept, in the order of their names. */
  values(): Promise<unknown[]>;
  set(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
}

/**
 * The longest wait for the database, in milliseconds. A database that another tab is about to upgrade may never answer,
 * and the page then starts without what is kept. A busy machine answers far sooner.
 */
const ANSWER_WITHIN = 30_000;

/** The store of that name in a database of its own. It is opened at its first use. */
export function browserStore(database: string, name: string, timers: Timers = realTimers): BrowserStore {
  const kept = createStore(database, name);
  const late = (): Error =>
    new Error(
      `This browser’s database "${database}" has not answered for ${ANSWER_WITHIN / 1000} s. Close other tabs of this page, and load it again.`,
    );
  const within = <T>(work: Promise<T>): Promise<T> => unlessLate(work, ANSWER_WITHIN, late, timers);
  return {
    get: async (key) => within(get<unknown>(key, kept)),
    values: async () => within(values<unknown>(kept)),
    set: async (key, value) => within(set(key, value, kept)),
    remove: async (key) => within(del(key, kept)),
  };
}
