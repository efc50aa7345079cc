import type { ReactNode } from 'react';
import type { TooltipText } from './specs/spec.ts';
import classes from './charts.module.css';

/** What a chart is where somebody points, or comes by the arrow keys: a title, and a line for each value. */
export function ValueBox({ title, lines }: TooltipText): ReactNode {
  return (
    <div className={classes.tooltip} aria-live="polite">
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
