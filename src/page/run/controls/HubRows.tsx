import { TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { percent } from '../../ui/text/format.ts';
import { ServerFields } from '../model/ServerFields.tsx';
import type { DataProgress } from '@rl-playground/bridges/dataset';
import { ActionButton } from '../../ui/parts/buttons.tsx';

function progressText({ done, total }: DataProgress): string {
  return total === 0
    ? 'Asking the Hub for the files…'
    : `Loading: ${percent(done / total, 0)} of ${(total / 1e6).toFixed(1)} MB`;
}

interface HubRowsProps {
  /** The text in the field at first. */
  readonly start: string;
  readonly usable: boolean;
  readonly progress: DataProgress | null;
  readonly onLoad: (name: string) => void;
  readonly onCancel: () => void;
  /** Other sources of rows, beside the button. */
  readonly children?: ReactNode;
}

/** Names a dataset of the Hub and loads its rows. */
export function HubRows({ start, usable, progress, onLoad, onCancel, children }: HubRowsProps): ReactNode {
  const [name, setName] = useState(start);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (usable && progress === null && name.trim() !== '') onLoad(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Rows from the Hub"
        description="org/name, org/name@revision, or with a folder or file after a colon"
        placeholder="openai/gsm8k"
        value={name}
        data-testid="dataset-name"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <div className="row apart">
        {progress === null ? (
          <ActionButton type="submit" usable={usable && name.trim() !== ''} data-testid="dataset-load">
            Load from the Hub
          </ActionButton>
        ) : (
          <ActionButton onClick={onCancel}>Cancel</ActionButton>
        )}
        {children}
      </div>
      {progress !== null && (
        <p className="quiet" role="status">
          {progressText(progress)}
        </p>
      )}
      <ServerFields note="for gated and private datasets" />
    </form>
  );
}
