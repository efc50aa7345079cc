import type { ReactNode } from 'react';
import { useCharts } from '../arms/chartsStore.ts';
import classes from './charts.module.css';

/** Which colour is which run. */
export function ArmLegend(): ReactNode {
  const { arms, pinned } = useCharts();
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
