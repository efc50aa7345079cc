import type { ReactNode } from 'react';
import { parameterCount } from '../lib/format.ts';
import { useApp } from '../store.ts';
import classes from './controls.module.css';

/** The model that learns and its size. */
export function ModelLine(): ReactNode {
  const name = useApp((state) => state.snapshot.modelName);
  const parameters = useApp((state) => state.snapshot.parameterCount);
  const wanted = useApp((state) => state.form.model);
  return (
    <div className={classes.model}>
      <span className={classes.label}>Model</span>
      <span className={classes.modelName}>
        {name ?? wanted}
        <span className="quiet">
          {parameters === null ? ' loading…' : ` ${parameterCount(parameters)} parameters`}
        </span>
      </span>
    </div>
  );
}
