import type { ReactNode } from 'react';
import classes from './charts.module.css';

/** Charts side by side, as many as there is room for; none is left alone in a row that it does not fill. */
export function ChartGrid({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className={classes.room}>
      <div className={classes.more}>{children}</div>
    </div>
  );
}
