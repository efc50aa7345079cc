import type { ReactNode } from 'react';
import { klCause } from '../../rl/diagnosis/klCause.ts';
import { useApp } from '../store.ts';

/** Why sampler and trainer drift apart, where they do; `otherwise` where they do not. */
export function KlCauseNote({ otherwise }: { otherwise: string }): ReactNode {
  const cause = useApp(({ snapshot: { metrics, config } }) =>
    config === null ? null : (klCause(metrics, config)?.title ?? null),
  );
  return cause ?? otherwise;
}
