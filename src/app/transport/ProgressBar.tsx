import type { ReactNode } from 'react';
import classes from './transport.module.css';

/** The run's share that is done. The words beside it carry the same, so screen readers skip it. */
export function ProgressBar({ share, active }: { share: number; active: boolean }): ReactNode {
  const width = `${Math.min(1, Math.max(0, share)) * 100}%`;
  return (
    <div className={classes.bar} aria-hidden="true">
      <div className={`${classes.fill} ${active ? classes.active : ''}`} style={{ width }} />
    </div>
  );
}
