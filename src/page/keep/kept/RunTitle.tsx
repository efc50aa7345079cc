import type { ReactNode } from 'react';
import { useKept } from './keptStore.ts';
import { nameOf } from './labels.ts';

/** What the run is called. */
export function RunTitle({ run }: { readonly run: string }): ReactNode {
  const name = useKept(({ labels }) => nameOf(run, labels));
  return (
    <>
      <b data-testid="run-name">{name}</b>{' '}
    </>
  );
}
