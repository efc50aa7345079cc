import { useCallback, useDeferredValue, type ReactNode } from 'react';
import { count, fixed } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { ChartPanel } from './ChartPanel.tsx';
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
  axis: { name: 'supervised update', at: (update) => `Supervised update ${count(update)}` },
};

/** The losses of a run's supervised updates. A run without a warm-up has no such chart. */
export function SftChart(): ReactNode {
  const { losses, total } = useDeferredValue(useRun(({ snapshot }) => snapshot.sft));
  const series = useCallback(
    () => [{ points: losses.map((value, index) => ({ step: index + 1, value })), smooth: true }],
    [losses],
  );
  if (losses.length === 0) return null;
  return <ChartPanel spec={SPEC} series={series} lastStep={Math.max(2, total, losses.length)} />;
}
