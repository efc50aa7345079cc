/** The offer to continue the newest kept run, and the parts that it shares with the list of runs. */
import type { ReactNode } from 'react';
import { bytesText, plural } from '@rl-playground/base/text';
import { percent } from '../../ui/text/format.ts';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { openKeptRun } from '../kept/keptActions.ts';
import type { KeptRun } from '@rl-playground/run/kept';
import { useRun } from '../../run/state/runStore.ts';
import { nameOf } from '../kept/labels.ts';
import { showRuns } from '../../ui/open/places.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { present, useKept } from '../kept/keptStore.ts';
import classes from './kept.module.css';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A text such as "3 minutes ago"; both times are in milliseconds since 1970. */
function ageText(then: number, now: number): string {
  const seconds = Math.max(0, (now - then) / 1000);
  for (const [unit, size] of UNITS)
    if (seconds >= size) return `${plural(Math.floor(seconds / size), unit)} ago`;
  return 'less than a minute ago';
}

export function describeKept(
  { newest, bytes, pastBytes, claimed, run }: KeptRun,
  current?: string | null,
): string {
  const { task, step, model, accuracy, accuracyKind, numSteps, kept } = newest;
  return [
    `${task} at step ${step} of ${numSteps}, with ${model}`,
    ...(accuracy === null ? [] : [`${accuracyKind} accuracy ${percent(accuracy)}`]),
    ageText(kept, Date.now()),
    pastBytes > 0
      ? `${bytesText(bytes)}, of which ${bytesText(pastBytes)} weights of past steps`
      : bytesText(bytes),
    ...(claimed && run !== current ? ['open in another tab'] : []),
  ].join(', ');
}

/** Continues a run, shows one that has ended, or follows one in another tab. */
export function OpenButton({
  kept,
  name,
  outlined = false,
}: {
  readonly kept: KeptRun;
  readonly name: string;
  readonly outlined?: boolean;
}): ReactNode {
  const busy = useKept((state) => state.busy);
  const startable = useRun((state) => canStart(state.snapshot));
  const { step, numSteps } = kept.newest;
  const words = kept.claimed ? 'Read along' : step < numSteps ? `Continue from step ${step}` : 'Open';
  return (
    <ActionButton
      variant={outlined ? 'outline' : 'default'}
      usable={busy === null && startable}
      aria-label={`${words}: ${name}`}
      onClick={() => void openKeptRun(kept)}
    >
      {words}
    </ActionButton>
  );
}

export function KeptOffer(): ReactNode {
  const state = useKept();
  const current = useRun(({ snapshot }) => snapshot.run);
  const [newest, ...older] = present(state).filter(({ run }) => run !== current);
  if (newest === undefined) return null;
  const name = nameOf(newest.run, state.labels);
  return (
    <section aria-label="The newest run kept in this browser" data-testid="kept-runs">
      <div className={classes.offer} data-testid="kept-run">
        <span className={classes.offered}>
          <strong>{name}</strong> is kept in this browser:{' '}
          <span className="quiet">{describeKept(newest)}</span>
        </span>
        <span className="row">
          <OpenButton kept={newest} name={name} outlined />
          {older.length > 0 && (
            <ActionButton usable onClick={showRuns}>
              All {older.length + 1} runs
            </ActionButton>
          )}
          <ActionButton variant="subtle" usable onClick={() => setOpen('keptOffer', false)}>
            Not now
          </ActionButton>
        </span>
      </div>
    </section>
  );
}
