import { useMemo, type ReactNode } from 'react';
import { compact, count, fixed } from '../format/format.ts';
import { useApp } from '../store.ts';
import { updateAt, updatePoints, type SftSpan } from './axes.ts';
import { ChartPanel, useStepAxis } from './ChartPanel.tsx';
import { chartRows } from './rows.ts';
import { COLOURS, type ChartSpec } from './spec.ts';

/** Values that are drawn of a long run, half of them for each stage. */
const LIMIT = 480;

function sftSpec(span: SftSpan): ChartSpec {
  return {
    id: 'warm-start',
    title: 'Loss, from warm-up to reinforcement',
    unit: 'left scale: nats per token taught; right scale: policy loss',
    reading:
      'In the warm-up, how surprising the given answers still are. From step 0 on, the loss of reinforcement, which says little by itself: judge that stage by the reward.',
    metrics: [],
    curves: [
      // Of supervised updates, not of steps.
      { name: 'token NLL', colour: COLOURS.grey, value: () => null },
      { name: 'policy loss', colour: COLOURS.blue, value: ({ loss }) => loss },
    ],
    shape: 'smoothed',
    twoScales: true,
    range: 'auto',
    start: 'RL starts here',
    format: compact,
    tick: compact,
    tooltip: ({ step, curves: [taught, policy] }) =>
      taught?.value === undefined
        ? { title: `Step ${count(step)}`, lines: [['policy loss', compact(policy?.value)]] }
        : {
            title: `Supervised update ${count(updateAt(step, span))}`,
            lines: [['token NLL', fixed(taught.value, 3)]],
          },
  };
}

/** The losses of a run's supervised updates and, on the same axis, of its steps of reinforcement; nothing for a run without the former. */
export function SftChart(): ReactNode {
  const { losses, total } = useApp((state) => state.snapshot.sft);
  const metrics = useApp((state) => state.snapshot.metrics);
  const { lastStep, span } = useStepAxis();
  const last = metrics.at(-1);
  const spec = useMemo(() => sftSpec(span), [span]);
  const rows = useMemo(() => {
    const steps = metrics.map(({ step, loss }) => ({ step, value: loss }));
    return chartRows(
      [
        { points: updatePoints(losses, span), smooth: true },
        { points: steps, smooth: true },
      ],
      LIMIT,
    );
  }, [losses, metrics, span]);
  const taught = losses.at(-1);
  if (taught === undefined) return null;
  const stage =
    last === undefined
      ? `${fixed(taught, 3)} nats per token after ${count(losses.length)} of ${count(total)} supervised updates`
      : `policy loss ${compact(last.loss)} at step ${count(last.step)}, after a warm-up that ended at ${fixed(taught, 3)} nats per token`;
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      lastStep={lastStep}
      span={span}
      summary={`Loss: ${stage}.`}
      points={losses.length}
      steps={metrics.length}
      now={{ text: last === undefined ? fixed(taught, 3) : compact(last.loss) }}
    />
  );
}
