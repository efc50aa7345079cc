import { useRef } from 'react';
import type { ReactNode } from 'react';
import { downloadCheckpoint, loadCheckpoint } from '../actions.ts';
import { DownloadIcon, UploadIcon } from '../icons.tsx';
import { canStart } from '../lib/phases.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import classes from './controls.module.css';

/** The run out of the page and into it again. */
export function CheckpointButtons(): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const startable = useApp((state) => canStart(state.snapshot));
  return (
    <div className={classes.row} role="group" aria-label="Checkpoint">
      <span className={classes.label}>Checkpoint</span>
      <span className={classes.buttons}>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<DownloadIcon />}
          data-testid="download-button"
          aria-label="Download checkpoint"
          title="A zip in Hugging Face layout, with optimizer state, settings and metrics"
          usable={startable}
          onClick={downloadCheckpoint}
        >
          Download
        </ActionButton>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<UploadIcon />}
          aria-label="Load checkpoint…"
          title="Choose a checkpoint zip, or drop one anywhere on the page"
          usable={startable}
          onClick={() => input.current?.click()}
        >
          Load…
        </ActionButton>
      </span>
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label="Checkpoint file"
        data-testid="load-input"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // The same file can be chosen again only from an empty input.
          event.currentTarget.value = '';
          if (file !== undefined) loadCheckpoint(file);
        }}
      />
    </div>
  );
}
