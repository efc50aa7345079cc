import { memo, useDeferredValue, useMemo, type ReactNode } from 'react';
import { count, fixed } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../arms/chartsStore.ts';
import { ChartPanel } from './ChartPanel.tsx';
import { chartRows } from './specs/rows.ts';
import { aboutOne, COLOURS, PLAIN, type ChartSpec } from './specs/spec.ts';

const SPEC: ChartSpec = {
  id: 'warm-start',
  title: 'Loss of the warm-up',
  unit: 'nats per token taught',
  reading: 'How surprising the given answers still are to the model, by supervised update.',
  metrics: [],
  // It has a value for each supervised update, not for each step.
  ...aboutOne(() => null, COLOURS.grey),
  ...PLAIN,
  format: (value) => fixed(value, 3),
  at: (update) => `Supervised update ${count(update)}`,
};

/** The losses of a run's supervised updates. A run without a warm-up has no such chart. */
export function SftChart(): ReactNode {
  const losses = useRun(({ snapshot }) => snapshot.sft.losses);
  const total = useRun(({ snapshot }) => snapshot.sft.total);
  const smoothing = useCharts((state) => state.smoothing);
  const inputs = useMemo(() => ({ losses, total, smoothing }), [losses, total, smoothing]);
  return <DrawnSftChart {...useDeferredValue(inputs)} />;
}

interface DrawnSftChartProps {
  readonly losses: readonly number[];
  readonly total: number;
  readonly smoothing: number;
}

const DrawnSftChart = memo(function DrawnSftChart(props: DrawnSftChartProps): ReactNode {
  const { losses, total, smoothing } = props;
  const rows = useMemo(() => {
    const points = losses.map((value, index) => ({ step: index + 1, value }));
    return chartRows([{ points, smooth: true }], { beta: smoothing });
  }, [losses, smoothing]);
  const last = losses.at(-1);
  if (last === undefined) return null;
  const now = SPEC.format(last);
  return (
    <ChartPanel
      spec={SPEC}
      rows={rows}
      lastStep={Math.max(2, total, losses.length)}
      table={() => ({
        columns: ['supervised update', 'token NLL'],
        rows: losses.map((loss, index) => [index + 1, loss]),
      })}
      points={losses.length}
      now={{ text: now }}
    />
  );
});
