import { Suspense, lazy, useMemo } from 'react';
import type { ReactNode } from 'react';
import { compact, count, fixed } from '../lib/format.ts';
import { twoStageRows } from '../lib/twoStageRows.ts';
import { useApp } from '../store.ts';
import { useWarmUpSpan } from './useWarmUpSpan.ts';
import classes from './charts.module.css';

const WarmStartPlot = lazy(async () => ({ default: (await import('./WarmStartPlot.tsx')).WarmStartPlot }));

/** The losses of a run's supervised updates and, on the same axis, of its steps of reinforcement; nothing for a run without the former. */
export function WarmStartChart(): ReactNode {
  const { losses, total } = useApp((state) => state.snapshot.warmStart);
  const metrics = useApp((state) => state.snapshot.metrics);
  const totalSteps = useApp((state) => state.snapshot.totalSteps);
  const last = metrics.at(-1);
  const lastStep = Math.max(totalSteps, last?.step ?? 1);
  const span = useWarmUpSpan(lastStep);
  const rows = useMemo(() => {
    const steps = metrics.map(({ step, loss }) => ({ step, value: loss }));
    return twoStageRows(losses, steps, span);
  }, [losses, metrics, span]);
  const taught = losses.at(-1);
  if (taught === undefined) return null;
  const stage =
    last === undefined
      ? `${fixed(taught, 3)} nats per token after ${count(losses.length)} of ${count(total)} supervised updates`
      : `policy loss ${compact(last.loss)} at step ${count(last.step)}, after a warm-up that ended at ${fixed(taught, 3)} nats per token`;
  return (
    <figure
      className={`panel ${classes.chart}`}
      aria-label={`Loss: ${stage}.`}
      data-testid="chart-warm-start"
      data-points={losses.length}
      data-steps={metrics.length}
    >
      <figcaption className={classes.caption}>
        <span className={classes.names}>
          <span className="panel-title">Loss, from warm-up to reinforcement</span>
          <span className={classes.unit}>left scale: nats per token taught; right scale: policy loss</span>
        </span>
        <span className={`number ${classes.now}`}>
          {last === undefined ? fixed(taught, 3) : compact(last.loss)}
        </span>
      </figcaption>
      <div className={classes.plot}>
        <Suspense fallback={null}>
          <WarmStartPlot rows={rows} lastStep={lastStep} />
        </Suspense>
      </div>
      <p className={classes.reading}>
        In the warm-up, how surprising the given answers still are. From step 0 on, the loss of reinforcement,
        which says little by itself: judge that stage by the reward.
      </p>
    </figure>
  );
}
