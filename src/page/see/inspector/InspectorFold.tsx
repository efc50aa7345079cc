import type { ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';

const InspectorPanel = lazyPart(async () => (await import('./InspectorPanel.tsx')).InspectorPanel);

/** Folded: every kept answer, token by token. */
export function InspectorFold(): ReactNode {
  return (
    <section className="panel" aria-label="Token inspector" data-testid="inspector">
      <Fold title="Token inspector" note="the answers of any step side by side, token by token">
        <InspectorPanel />
      </Fold>
    </section>
  );
}
