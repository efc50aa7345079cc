import type { ReactNode } from 'react';
import { CheckpointButtons } from './CheckpointButtons.tsx';
import { OnnxButton } from './OnnxButton.tsx';
import { RunDirectoryButton } from './RunDirectoryButton.tsx';
import { parameterCount } from '../format/format.ts';
import { useApp } from '../store.ts';
import classes from './controls.module.css';

/** The model that learns, its size, and the ways in and out of the page for it. */
export function ModelLine(): ReactNode {
  const name = useApp((state) => state.snapshot.modelName);
  const parameters = useApp((state) => state.snapshot.parameterCount);
  const phase = useApp((state) => state.snapshot.phase);
  const wanted = useApp((state) => state.form.model);
  const replaceable = useApp((state) => state.snapshot.modelIsOurs);
  // Beside the settings stands what they would train, which may not be loaded yet.
  const awaited = replaceable && name !== null && wanted !== name;
  const size = parameters === null ? 'not loaded' : `${parameterCount(parameters)} parameters`;
  const note = awaited
    ? 'comes when a run begins'
    : phase === 'loading' && parameters === null
      ? 'loading…'
      : size;
  return (
    <div className={classes.section}>
      <div className={classes.row}>
        <span className={classes.label}>Model</span>
        <span>
          {awaited ? wanted : (name ?? wanted)}
          <span className="quiet">{`, ${note}`}</span>
        </span>
      </div>
      <CheckpointButtons />
      <RunDirectoryButton />
      <OnnxButton />
    </div>
  );
}
