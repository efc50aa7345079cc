import type { ReactNode } from 'react';
import { useCompare } from '../arms/compareStore.ts';
import classes from './charts.module.css';

/** Which colour is which run. */
export function ArmLegend(): ReactNode {
  const { arms, pinned } = useCompare();
  if (arms.length === 0) return null;
  return (
    <p className={classes.legend} data-testid="arm-legend">
      {arms.map(({ id, name, colour, runs }) => (
        <span key={id}>
          <span className={classes.swatch} style={{ background: colour }} />
          {name}
          {id === pinned && ' (baseline, dashed)'}
          {runs.length > 1 && ', mean with 95% interval'}
        </span>
      ))}
    </p>
  );
}
