import type { ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { plural } from '@rl-playground/base/text';
import { useRun } from '../state/runStore.ts';
import { restoreTyped } from './typed.ts';

const MachinesPanel = lazyPart(async () => (await import('./MachinesPanel.tsx')).MachinesPanel);

restoreTyped();

/** Folded: phones and laptops as generators of the run. */
export function MachinesFold(): ReactNode {
  const here = useRun(({ machines: { now } }) => now?.machines.filter((machine) => machine.here).length);
  return (
    <section className="panel" aria-label="Invite generators">
      <Fold
        title="Invite generators"
        note={
          here === undefined
            ? 'phones and laptops that answer for this run'
            : `${plural(here, 'machine')} here`
        }
        part="machines"
      >
        <MachinesPanel />
      </Fold>
    </section>
  );
}
