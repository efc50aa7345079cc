import { memo, useDeferredValue, useMemo, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { compact, count, fixed } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../arms/chartsStore.ts';
import { updateAt, updatePoints, type SftSpan } from './axes.ts';
import { ChartPanel, type StepAxis } from './ChartPanel.tsx';
import type { Table } from './csv.ts';
import { chartRows } from './specs/rows.ts';
import { COLOURS, type ChartSpec } from './specs/spec.ts';
import { useStepAxis } from './StepChart.tsx';

/** The most values that are drawn, half of them for each stage. */
const LIMIT = 480;

function sftSpec(span: SftSpan): ChartSpec {
  return {
    id: 'warm-start',
    title: 'Loss, from warm-up to reinforcement',
    unit: 'left scale: nats per token taught; right scale: policy loss',
    reading:
      'In the warm-up, how surprising the given answers still are. From step 0 on, the loss of reinforcement, which says little by itself: judge that stage by the reward.',
    metrics: [],
    pinnable: false,
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

/** The losses of a run's supervised updates and of its steps of reinforcement on the same axis. A run without a warm-up has no such chart. */
export function SftChart(): ReactNode {
  const state = useRun(
    useShallow(({ snapshot: { sft, metrics } }) => ({ losses: sft.losses, total: sft.total, metrics })),
  );
  const { lastStep, span } = useStepAxis();
  const smoothing = useCharts(({ view }) => view.smoothing);
  const inputs = useMemo(() => ({ ...state, lastStep, span, smoothing }), [state, lastStep, span, smoothing]);
  return <DrawnSftChart {...useDeferredValue(inputs)} />;
}

interface DrawnSftChartProps extends StepAxis {
  readonly losses: readonly number[];
  readonly total: number;
  readonly metrics: readonly StepMetrics[];
  readonly smoothing: number;
}

const DrawnSftChart = memo(function DrawnSftChart(props: DrawnSftChartProps): ReactNode {
  const { losses, total, metrics, smoothing, lastStep, span } = props;
  const last = metrics.at(-1);
  const spec = useMemo(() => sftSpec(span), [span]);
  const rows = useMemo(() => {
    const steps = metrics.map(({ step, loss }) => ({ step, value: loss }));
    return chartRows(
      [
        { points: updatePoints(losses, span), smooth: true },
        { points: steps, smooth: true },
      ],
      { limit: LIMIT, beta: smoothing },
    );
  }, [losses, metrics, span, smoothing]);
  const taught = losses.at(-1);
  if (taught === undefined) return null;
  const stage =
    last === undefined
      ? `${fixed(taught, 3)} nats per token after ${count(losses.length)} of ${count(total)} supervised updates`
      : `policy loss ${compact(last.loss)} at step ${count(last.step)}, after a warm-up that ended at ${fixed(taught, 3)} nats per token`;
  const table = (): Table => ({
    columns: ['supervised update', 'step', 'token NLL', 'policy loss'],
    rows: [
      ...losses.map((loss, index) => [index + 1, null, loss, null]),
      ...metrics.map(({ step, loss }) => [null, step, null, loss]),
    ],
  });
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      lastStep={lastStep}
      span={span}
      summary={`Loss: ${stage}.`}
      table={table}
      points={losses.length}
      steps={metrics.length}
      now={{ text: last === undefined ? fixed(taught, 3) : compact(last.loss) }}
    />
  );
});
