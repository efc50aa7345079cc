import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { compact, count, fixed } from '../format/format.ts';
import { twoStageRows } from './twoStageRows.ts';
import { useApp } from '../store.ts';
import { lazyPart } from '../ui/lazyPart.tsx';
import { ChartFrame } from './ChartFrame.tsx';
import { useSftSpan } from './useSftSpan.ts';
import classes from './charts.module.css';

const SftPlot = lazyPart(async () => (await import('./SftPlot.tsx')).SftPlot);

/** The losses of a run's supervised updates and, on the same axis, of its steps of reinforcement; nothing for a run without the former. */
export function SftChart(): ReactNode {
  const { losses, total } = useApp((state) => state.snapshot.sft);
  const metrics = useApp((state) => state.snapshot.metrics);
  const totalSteps = useApp((state) => state.snapshot.totalSteps);
  const last = metrics.at(-1);
  const lastStep = Math.max(totalSteps, last?.step ?? 1);
  const span = useSftSpan(lastStep);
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
    <ChartFrame
      id="warm-start"
      title="Loss, from warm-up to reinforcement"
      unit="left scale: nats per token taught; right scale: policy loss"
      reading="In the warm-up, how surprising the given answers still are. From step 0 on, the loss of reinforcement, which says little by itself: judge that stage by the reward."
      summary={`Loss: ${stage}.`}
      points={losses.length}
      steps={metrics.length}
      now={
        <span className={`number ${classes.now}`}>
          {last === undefined ? fixed(taught, 3) : compact(last.loss)}
        </span>
      }
      plot={<SftPlot rows={rows} lastStep={lastStep} />}
    />
  );
}
