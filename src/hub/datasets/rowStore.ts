/** Rows that were loaded once, kept in the browser. */
import type { DatasetRow, DatasetRows } from '../../tasks/types.ts';

export interface RowStore {
  /** Null where there is nothing, or nothing that can be used. */
  get(key: string): Promise<DatasetRows | null>;
  /** Does nothing where the browser refuses. */
  set(key: string, rows: DatasetRows): Promise<void>;
}

function isRows(value: unknown): value is DatasetRow[] {
  return (
    Array.isArray(value) &&
    value.every(
      (row: Partial<DatasetRow> | null) =>
        typeof row?.question === 'string' && typeof row.answer === 'string',
    )
  );
}

function asRows(value: unknown): DatasetRows | null {
  if (typeof value !== 'object' || value === null) return null;
  const { train, test } = value as Partial<DatasetRows>;
  return isRows(train) && isRows(test) ? { train, test } : null;
}

/** IndexedDB; a browser that has none, or has it switched off, keeps nothing. */
export const browserRowStore: RowStore = {
  async get(key) {
    if (typeof indexedDB === 'undefined') return null;
    const { get } = await import('idb-keyval');
    return get<unknown>(key).then(asRows, () => null);
  },
  async set(key, rows) {
    if (typeof indexedDB === 'undefined') return;
    const { set } = await import('idb-keyval');
    await set(key, rows).catch(() => undefined);
  },
};
