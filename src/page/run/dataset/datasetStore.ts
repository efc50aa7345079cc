/** What is known of the rows of a task that is asked from a dataset: how far they are, and what happened last. */
import { create } from 'zustand';
import type { DataProgress } from '../../../run/data/readData.ts';

interface DatasetState {
  /** Bytes so far while the Hub's files come in; null while nothing is loading. */
  readonly progress: DataProgress | null;
  /** What happened last, in words; empty before anything did. */
  readonly said: string;
  readonly failed: boolean;
  /** Counts the times that rows were provided, so that what shows problems draws them anew. */
  readonly provided: number;
}

export const useDataset = create<DatasetState>(() => ({
  progress: null,
  said: '',
  failed: false,
  provided: 0,
}));

/** Whether a dropped file is one for the dataset, going by its name. */
export function isDatasetFile({ name }: File): boolean {
  return /\.(jsonl|parquet)$/i.test(name);
}
