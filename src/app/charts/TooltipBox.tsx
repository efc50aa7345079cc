import type { ReactNode } from 'react';
import classes from './charts.module.css';

/** What recharts gives to the content of a tooltip. */
export interface TooltipContent<Row> {
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: Row }[];
}

interface TooltipBoxProps {
  readonly title: string;
  /** A name and its value, as they are written. */
  readonly lines: readonly (readonly [string, string])[];
}

/** The values under the crosshair. */
export function TooltipBox({ title, lines }: TooltipBoxProps): ReactNode {
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipStep}>{title}</div>
      {lines.map(([name, value]) => (
        <div key={name} className={classes.tooltipLine}>
          <span>{name}</span>
          <span className="number">{value}</span>
        </div>
      ))}
    </div>
  );
}
