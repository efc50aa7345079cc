import { useMemo } from 'react';
import { warmUpSpan, type WarmUpSpan } from './sftSpan.ts';
import { useApp } from '../store.ts';

/** The warm-up of the run at hand on an axis that ends at `lastStep`. */
export function useWarmUpSpan(lastStep: number): WarmUpSpan {
  const updates = useApp(({ snapshot: { warmStart } }) => Math.max(warmStart.total, warmStart.losses.length));
  return useMemo(() => warmUpSpan(updates, lastStep), [updates, lastStep]);
}
