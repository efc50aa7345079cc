import { useMemo } from 'react';
import { sftSpan, type SftSpan } from './sftSpan.ts';
import { useApp } from '../store.ts';

/** The warm-up of the run at hand on an axis that ends at `lastStep`. */
export function useSftSpan(lastStep: number): SftSpan {
  const updates = useApp(({ snapshot: { sft } }) => Math.max(sft.total, sft.losses.length));
  return useMemo(() => sftSpan(updates, lastStep), [updates, lastStep]);
}
