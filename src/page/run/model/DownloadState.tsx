import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import type { DownloadProgress } from '@rl-playground/engine/parts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Problem } from '../../ui/parts/words.tsx';
import { useRun } from '../state/runStore.ts';
import { useHub } from './hubStore.ts';
import { cancel } from './modelActions.ts';
import classes from './model.module.css';

function timeText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function downloadText({ path, done, total, bytesPerSecond, retrying }: DownloadProgress): string {
  const amount = `${bytesText(done)} of ${bytesText(total)}`;
  if (retrying !== null) return `${amount}; ${retrying}, trying again`;
  if (bytesPerSecond === null || bytesPerSecond <= 0) return `${path}: ${amount}`;
  return `${path}: ${amount}, ${bytesText(bytesPerSecond)} a second, ${timeText((total - done) / bytesPerSecond)} left`;
}

const WORDS = { looking: 'Looking it up…', searching: 'Asking the Hub…', loading: 'Loading…' } as const;

/** The progress of a download, and the outcome of the last work. */
export function DownloadState(): ReactNode {
  const { work, progress, failed, said } = useHub((state) => state.models);
  const engine = useRun((state) => state.snapshot.progress);
  if (work === null)
    return (
      <>
        <Problem text={failed} testId="model-failed" />
        <p role="status" className="quiet">
          {said}
        </p>
      </>
    );
  const whole = progress !== null && progress.done === progress.total;
  const text =
    progress === null
      ? WORDS[work]
      : whole
        ? (engine?.label ?? 'Checking the weights…')
        : downloadText(progress);
  return (
    <div className={`stack ${classes.download}`} data-testid="model-progress" data-done={progress?.done ?? 0}>
      <Progress
        value={progress === null ? 100 : (100 * progress.done) / Math.max(1, progress.total)}
        animated={progress === null || whole}
        aria-label="Download of the model"
      />
      <div className="row apart">
        <span role="status">{text}</span>
        {!whole && (
          <ActionButton onClick={cancel} data-testid="model-cancel">
            Cancel
          </ActionButton>
        )}
      </div>
    </div>
  );
}
