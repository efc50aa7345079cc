import type { ReactNode } from 'react';
import { LockIcon } from '../icons.tsx';
import { useLock } from './useField.ts';
import classes from './controls.module.css';

/** Why settings can't be changed at the moment. */
export function LockNote(): ReactNode {
  const lock = useLock();
  if (lock === 'none') return null;
  return (
    <p className={classes.lock}>
      <LockIcon />
      <span>
        {lock === 'all'
          ? 'Locked while the model works. Pause to change steps, generators or the evaluation interval.'
          : 'These settings belong to the run at hand. Steps, generators and the evaluation interval can change; Reset frees the rest.'}
      </span>
    </p>
  );
}
