/** Offers the runs that this browser keeps: the newest to go on with, the others below it. */
import { useState, type ReactNode } from 'react';
import { bytesText, plural } from '../../base/text.ts';
import type { KeptRun } from '../../run/kept/runStore.ts';
import { percent } from '../format/format.ts';
import { canStart } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/buttons.tsx';
import { Fold } from '../ui/Fold.tsx';
import { deleteKeptRun, openKeptRun } from './keptActions.ts';
import { useKept } from './keptStore.ts';
import classes from './kept.module.css';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** "3 minutes ago"; `then` in milliseconds since 1970. */
export function ageText(then: number, now: number): string {
  const seconds = Math.max(0, (now - then) / 1000);
  for (const [unit, size] of UNITS)
    if (seconds >= size) return `${plural(Math.floor(seconds / size), unit)} ago`;
  return 'less than a minute ago';
}

function describe({ newest, bytes, claimed }: KeptRun): string {
  const { model, accuracy, numSteps, kept } = newest;
  return [
    `of ${numSteps}, with ${model}`,
    ...(accuracy === null ? [] : [`${percent(accuracy)} right`]),
    ageText(kept, Date.now()),
    bytesText(bytes),
    ...(claimed ? ['open in another tab'] : []),
  ].join(', ');
}

function Row({ kept }: { kept: KeptRun }): ReactNode {
  const { task, step } = kept.newest;
  const [asked, setAsked] = useState(false);
  const busy = useKept((state) => state.busy);
  const startable = useApp((state) => canStart(state.snapshot));
  const usable = busy === null && startable;
  const name = `${task} at step ${step}`;
  return (
    <div className={classes.row} data-testid="kept-run">
      <span>
        <strong>{name}</strong> <span className="quiet">{describe(kept)}</span>
      </span>
      <span className={classes.buttons}>
        <ActionButton
          variant="filled"
          usable={usable}
          aria-label={kept.claimed ? `Read along: ${name}` : `Continue from step ${step}: ${task}`}
          onClick={() => void openKeptRun(kept)}
        >
          {kept.claimed ? 'Read along' : `Continue from step ${step}`}
        </ActionButton>
        <ActionButton
          usable={busy === null && !kept.claimed}
          aria-label={asked ? `Delete for good: ${name}` : `Delete ${name}`}
          onClick={() => (asked ? void deleteKeptRun(kept) : setAsked(true))}
          onBlur={() => setAsked(false)}
        >
          {asked ? 'Delete for good' : 'Delete'}
        </ActionButton>
      </span>
    </div>
  );
}

export function KeptRuns(): ReactNode {
  const { runs, storage } = useKept();
  const [newest, ...older] = runs;
  if (newest === undefined) return null;
  return (
    <section
      className={`panel ${classes.kept}`}
      aria-label="Runs kept in this browser"
      data-testid="kept-runs"
    >
      <div className={classes.head}>
        <h2 className={classes.title}>
          Kept in this browser{' '}
          {storage !== null && (
            <span className="quiet">
              {bytesText(storage.used)} of the {bytesText(storage.quota)} that it gives this page
            </span>
          )}
        </h2>
        <ActionButton variant="subtle" usable onClick={() => useKept.setState({ shown: false })}>
          Not now
        </ActionButton>
      </div>
      <Row key={newest.run} kept={newest} />
      {older.length > 0 && (
        <Fold title={`${plural(older.length, 'older run')}`}>
          {older.map((kept) => (
            <Row key={kept.run} kept={kept} />
          ))}
        </Fold>
      )}
    </section>
  );
}
