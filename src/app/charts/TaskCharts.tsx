import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { StepMetrics } from '../../rl/metrics/index.ts';
import type { TaskShare } from '../../rl/metrics/reward.ts';
import { percent } from '../format/format.ts';
import { useApp } from '../store.ts';
import { ChartPanels } from './ChartPanels.tsx';
import type { ChartSpec } from './chartSpecs.ts';
import classes from './charts.module.css';

const shareOf = (tasks: readonly TaskShare[], task: string): TaskShare | undefined =>
  tasks.find((each) => each.task === task);

function unit(level: number | null | undefined): string {
  return level == null ? 'share of right answers' : `share of right answers, level ${level}`;
}

/** The accuracy of one task over the steps; a step that did not ask it leaves a gap. */
function taskSpec(task: string, metrics: readonly StepMetrics[]): ChartSpec {
  const last = metrics.findLast(({ tasks }) => shareOf(tasks, task) !== undefined);
  return {
    id: `task-${task}`,
    title: task,
    unit: unit(last && shareOf(last.tasks, task)?.level),
    reading: 'Right answers to this task alone.',
    colour: 'var(--series-accuracy)',
    value: ({ tasks }) => shareOf(tasks, task)?.accuracy ?? NaN,
    evaluation: ({ tasks }) => shareOf(tasks, task)?.accuracy ?? NaN,
    range: [0, 1],
    format: (value) => (Number.isNaN(value) ? 'not asked' : percent(value)),
    tick: (value) => percent(value, 0),
  };
}

/** One curve for each task of a mixture, or of a run under a curriculum; nothing for other runs. */
export function TaskCharts(): ReactNode {
  const metrics = useApp((state) => state.snapshot.metrics);
  const evaluations = useApp((state) => state.snapshot.evaluations);
  const specs = useMemo(() => {
    const asked = [...metrics, ...evaluations].flatMap(({ tasks }) => tasks.map(({ task }) => task));
    return [...new Set(asked)].map((task) => taskSpec(task, metrics));
  }, [metrics, evaluations]);
  if (specs.length === 0) return null;
  return (
    <section aria-label="By task" className={classes.grid}>
      <ChartPanels specs={specs} />
    </section>
  );
}
