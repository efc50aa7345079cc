/** Rows that were loaded once, kept in the browser. */
import { browserStore } from '../../base/browserStore.ts';
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

/** The browser's; one that keeps nothing has no rows. */
const kept = browserStore('keyval-store', 'keyval');

export const browserRowStore: RowStore = {
  get: (key) => kept.get(key).then(asRows, () => null),
  set: (key, rows) => kept.set(key, rows).catch(() => undefined),
};
