import type { ReactNode } from 'react';
import type { ChartRow } from '../lib/series.ts';
import type { ChartSpec } from './chartSpecs.ts';
import classes from './charts.module.css';

interface ChartTooltipProps {
  readonly spec: Omit<ChartSpec, 'value'>;
  /** Given by recharts. */
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: ChartRow }[];
}

/** The values under the crosshair. */
export function ChartTooltip({ spec, active, payload }: ChartTooltipProps): ReactNode {
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  const lines: [string, number | undefined][] = [
    ['this step', row.raw],
    ['smoothed', row.smooth],
    ['held-out', row.evaluation],
  ];
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipStep}>{row.step < 0 ? 'Warm-up' : `Step ${row.step}`}</div>
      {lines.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className={classes.tooltipLine}>
              <span>{name}</span>
              <span className="number">{spec.format(value)}</span>
            </div>
          ),
      )}
    </div>
  );
}
