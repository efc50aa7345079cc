import type { ReactNode } from 'react';
import type { SeriesRow } from '../lib/seriesRows.ts';
import type { SeriesChart } from './more/spec.ts';
import classes from './charts.module.css';

interface SeriesTooltipProps {
  readonly chart: SeriesChart;
  /** Given by recharts. */
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: SeriesRow }[];
}

/** The values of all curves under the crosshair. */
export function SeriesTooltip({ chart, active, payload }: SeriesTooltipProps): ReactNode {
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipStep}>Step {row.step}</div>
      {chart.curves.map(({ name }, index) => (
        <div key={name} className={classes.tooltipLine}>
          <span>{name}</span>
          <span className="number">{chart.format(row.values[index] ?? null)}</span>
        </div>
      ))}
    </div>
  );
}
