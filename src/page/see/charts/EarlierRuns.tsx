/** The runs that a chart draws beside the current one, and a way to take them out. */
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { useRun } from '../../run/state/runStore.ts';
import { CrossIcon } from '../../ui/parts/icons.tsx';
import { hideArm } from '../arms/chartsStore.ts';
import { useDrawnArms } from '../arms/drawnArms.ts';
import classes from './charts.module.css';

export function EarlierRuns(): ReactNode {
  const arms = useDrawnArms();
  const current = useRun(({ snapshot }) => snapshot.run);
  const count = arms.flatMap(({ runs }) => runs).filter((run) => run !== current).length;
  if (count === 0) return null;
  const text = plural(count, 'earlier run');
  return (
    <button
      type="button"
      className={`bare ${classes.earlier}`}
      data-testid="earlier-runs"
      aria-label={`${text}: take out of the charts`}
      title={arms.map(({ name }) => name).join(', ')}
      onClick={() => {
        for (const { id } of arms) hideArm(id);
      }}
    >
      {arms.map(({ id, colour }) => (
        <span key={id} className={classes.swatch} style={{ background: colour }} />
      ))}
      {text} <CrossIcon />
    </button>
  );
}
