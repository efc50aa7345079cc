import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import type { TaskDataset } from '../../tasks/types.ts';
import { UploadIcon } from '../icons.tsx';
import { percent } from '../lib/format.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import classes from '../controls/controls.module.css';
import { cancelLoading, loadFromHub, readFiles, restoreRows, useDataset } from './datasetStore.ts';

function progressText(done: number, total: number): string {
  return total === 0
    ? 'Asking the Hub for the files…'
    : `Loading: ${percent(done / total, 0)} of ${(total / 1e6).toFixed(1)} MB`;
}

/** Where a task's rows come from: the Hub in one click, or files of the person's own. */
export function DatasetSection({ dataset, locked }: { dataset: TaskDataset; locked: boolean }): ReactNode {
  const { progress, said, failed } = useDataset();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => void restoreRows(dataset), [dataset]);
  const ready = dataset.counts() !== null;
  return (
    <div role="group" aria-label="Dataset" data-testid="dataset">
      <p className={classes.summary}>
        {ready
          ? 'Its problems are here.'
          : `This task asks the rows of ${dataset.id}. Loading them is the one thing here that uses the network; they stay in this browser.`}
      </p>
      <div className={classes.row}>
        {progress === null ? (
          <ActionButton
            size="xs"
            variant="default"
            usable={!locked}
            onClick={() => void loadFromHub(dataset)}
          >
            {ready ? 'Load again' : 'Load from the Hub'}
          </ActionButton>
        ) : (
          <ActionButton size="xs" variant="default" usable onClick={cancelLoading}>
            Cancel
          </ActionButton>
        )}
        <ActionButton
          size="xs"
          variant="default"
          leftSection={<UploadIcon />}
          usable={!locked && progress === null}
          title="JSONL or parquet with the columns question and answer"
          onClick={() => input.current?.click()}
        >
          Files…
        </ActionButton>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".jsonl,.json,.parquet"
        aria-label="Dataset files"
        data-testid="dataset-input"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // The same file can be chosen again only from an empty input.
          event.currentTarget.value = '';
          if (files.length > 0) void readFiles(dataset, files);
        }}
      />
      <p className={classes.summary} role={failed ? 'alert' : 'status'}>
        {progress === null ? said : progressText(progress.done, progress.total)}
      </p>
    </div>
  );
}
