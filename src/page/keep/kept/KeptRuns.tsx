import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { showRuns } from '../../ui/open/places.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useKept } from './keptStore.ts';
import controls from '../../run/controls/controls.module.css';
import { nameOf } from './labels.ts';

/** A button that leads to the list of runs. */
export function KeptRuns(): ReactNode {
  const count = useKept((state) => state.runs.length);
  if (count === 0) return null;
  return (
    <div className="row apart">
      <span className={controls.label}>Kept in this browser</span>
      <ActionButton usable data-testid="kept-runs-button" onClick={showRuns}>
        {plural(count, 'run')}
      </ActionButton>
    </div>
  );
}

export function RunTitle({ run }: { readonly run: string }): ReactNode {
  const name = useKept(({ labels }) => nameOf(run, labels));
  return (
    <>
      <b data-testid="run-name">{name}</b>{' '}
    </>
  );
}
