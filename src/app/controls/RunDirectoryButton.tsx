import type { ReactNode } from 'react';
import { downloadRunDirectory } from '../actions.ts';
import { DownloadIcon } from '../icons.tsx';
import { canStart } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import classes from './controls.module.css';

/** Everything that the run has written so far, as one file. */
export function RunDirectoryButton(): ReactNode {
  const startable = useApp((state) => canStart(state.snapshot));
  const begun = useApp((state) => state.snapshot.config !== null);
  return (
    <div className={classes.row}>
      <span className={classes.label}>Run directory</span>
      <span className={classes.buttons}>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<DownloadIcon />}
          data-testid="run-directory-button"
          aria-label="Download run directory"
          title={
            begun
              ? 'A zip with config.json, metrics.jsonl, rollouts.jsonl, evaluations, checkpoints and train_results.json'
              : 'There is one as soon as a run has begun'
          }
          usable={startable && begun}
          onClick={downloadRunDirectory}
        >
          All files
        </ActionButton>
      </span>
    </div>
  );
}
