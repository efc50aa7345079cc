import { useEffect, type ReactNode } from 'react';
import type { TaskDataset } from '@rl-playground/tasks/parts';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { FileButton } from '../../ui/parts/buttons.tsx';
import { cancelLoading, loadFromHub, readFiles, restoreRows } from '../dataset/datasetRows.ts';
import { useForm } from '../form/formStore.ts';
import { HubRows } from './HubRows.tsx';

/** The source of a task's rows: the Hub in one click, or the user's files. */
export function DatasetSection({ dataset, locked }: { dataset: TaskDataset; locked: boolean }): ReactNode {
  const { progress, said, failed } = useForm((state) => state.dataset);
  useEffect(() => void restoreRows(dataset), [dataset]);
  const ready = dataset.counts() !== null;
  return (
    <div role="group" aria-label="Dataset" data-testid="dataset">
      <p className="quiet">
        {ready
          ? 'The problems are loaded.'
          : `The problems of this task are the rows of ${dataset.id}. Nothing is downloaded before you load them, and they stay in this browser.`}
      </p>
      <HubRows
        start={dataset.id}
        usable={!locked}
        progress={progress}
        onLoad={(name) => void loadFromHub(dataset, name)}
        onCancel={cancelLoading}
      >
        <FileButton
          leftSection={<UploadIcon />}
          usable={!locked && progress === null}
          title="JSONL, CSV or parquet with the columns question and answer"
          multiple
          accept=".jsonl,.ndjson,.json,.csv,.tsv,.parquet"
          inputName="Dataset files"
          inputTestId="dataset-input"
          onFiles={(files) => void readFiles(dataset, files)}
        >
          Files…
        </FileButton>
      </HubRows>
      {progress === null && (
        <p className="quiet" role={failed ? 'alert' : 'status'}>
          {said}
        </p>
      )}
    </div>
  );
}
