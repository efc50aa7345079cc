import { useEffect, type ReactNode } from 'react';
import type { TaskDataset } from '../../tasks/types.ts';
import { UploadIcon } from '../icons.tsx';
import { percent } from '../format/format.ts';
import { ActionButton, FileButton } from '../ui/buttons.tsx';
import classes from '../controls/controls.module.css';
import { cancelLoading, loadFromHub, readFiles, restoreRows, useDataset } from './datasetStore.ts';

function progressText(done: number, total: number): string {
  return total === 0
    ? 'Asking the Hub for the files…'
    : `Loading: ${percent(done / total, 0)} of ${(total / 1e6).toFixed(1)} MB`;
}

/** Where a task's rows come from: the Hub in one click, or the user's files. */
export function DatasetSection({ dataset, locked }: { dataset: TaskDataset; locked: boolean }): ReactNode {
  const { progress, said, failed } = useDataset();
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
          <ActionButton usable={!locked} onClick={() => void loadFromHub(dataset)}>
            {ready ? 'Load again' : 'Load from the Hub'}
          </ActionButton>
        ) : (
          <ActionButton usable onClick={cancelLoading}>
            Cancel
          </ActionButton>
        )}
        <FileButton
          leftSection={<UploadIcon />}
          usable={!locked && progress === null}
          title="JSONL or parquet with the columns question and answer"
          multiple
          accept=".jsonl,.json,.parquet"
          inputName="Dataset files"
          inputTestId="dataset-input"
          onFiles={(files) => void readFiles(dataset, files)}
        >
          Files…
        </FileButton>
      </div>
      <p className={classes.summary} role={failed ? 'alert' : 'status'}>
        {progress === null ? said : progressText(progress.done, progress.total)}
      </p>
    </div>
  );
}
