import type { ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { plural } from '@rl-playground/base/text';
import { useIsOpen, setOpen } from '../../ui/open/openStore.ts';
import { useRun } from '../state/runStore.ts';
import { restoreTyped } from './typed.ts';

const MachinesPanel = lazyPart(async () => (await import('./MachinesPanel.tsx')).MachinesPanel);

restoreTyped();

/** Folded: phones and laptops as generators of the run. */
export function MachinesFold(): ReactNode {
  const open = useIsOpen('machines');
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
        open={open}
        onOpen={(now) => setOpen('machines', now)}
      >
        <MachinesPanel />
      </Fold>
    </section>
  );
}
