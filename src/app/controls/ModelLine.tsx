import type { ReactNode } from 'react';
import { CheckpointButtons } from './CheckpointButtons.tsx';
import { OnnxButton } from './OnnxButton.tsx';
import { parameterCount } from '../lib/format.ts';
import { useApp } from '../store.ts';
import classes from './controls.module.css';

/** The model that learns, its size, and the ways in and out of the page for it. */
export function ModelLine(): ReactNode {
  const name = useApp((state) => state.snapshot.modelName);
  const parameters = useApp((state) => state.snapshot.parameterCount);
  const phase = useApp((state) => state.snapshot.phase);
  const wanted = useApp((state) => state.form.model);
  return (
    <div className={classes.section}>
      <div className={classes.row}>
        <span className={classes.label}>Model</span>
        <span>
          {name ?? wanted}
          <span className="quiet">
            {parameters === null
              ? phase === 'loading'
                ? ', loading…'
                : ', not loaded'
              : `, ${parameterCount(parameters)} parameters`}
          </span>
        </span>
      </div>
      <CheckpointButtons />
      <OnnxButton />
    </div>
  );
}
