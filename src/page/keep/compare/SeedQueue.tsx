import type { ReactNode } from 'react';
import { canStart, isUnderWay } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { runSeeds, SEED_COUNTS, stopSeeds } from './compareActions.ts';

/** Makes several runs of the settings as they are, each with the next seed. */
export function SeedQueue(): ReactNode {
  const queue = useCharts((state) => state.queue);
  const free = useRun(({ snapshot }) => canStart(snapshot) && !isUnderWay(snapshot.phase));
  const seedLocked = useForm(({ classroom }) => classroom.locked.has('seed'));
  if (seedLocked) return null;
  if (queue !== null)
    return (
      <span className="row" role="status">
        Seed {Math.min(queue.done + 1, queue.total)} of {queue.total}
        <ActionButton usable={!queue.stopping} onClick={stopSeeds}>
          {queue.stopping ? 'Ends after this run' : 'End after this run'}
        </ActionButton>
      </span>
    );
  return (
    <span className="row">
      {SEED_COUNTS.map((count) => (
        <ActionButton
          key={count}
          usable={free}
          title={
            free
              ? 'One run after the other with the settings as they are, each with the next seed: their mean and its 95% interval are drawn'
              : 'When the current run has ended'
          }
          onClick={() => void runSeeds(count)}
        >
          Run {count} seeds
        </ActionButton>
      ))}
    </span>
  );
}
