/** Charts that depend on the run: one for each task and its levels. */
import { useDeferredValue, useMemo, type ReactNode } from 'react';
import { meanOrNull } from '@rl-playground/base/statistics';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics, TaskShare } from '@rl-playground/run/metrics';
import { percent } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { ChartGrid } from './ChartGrid.tsx';
import { aboutOne, COLOURS, SHARES, type ChartSpec } from './specs/spec.ts';

const shareOf = (tasks: readonly TaskShare[], task: string): TaskShare | undefined =>
  tasks.find((each) => each.task === task);

/** The share of correct greedy answers to a task, or null where there are none. */
function greedyShare({ samples }: EvalResult, task: string): number | null {
  return meanOrNull(
    samples.flatMap((sample) =>
      sample.task === task && sample.greedy ? [Number(sample.greedy.correct)] : [],
    ),
  );
}

/** The accuracy of one task over the steps. A step that did not ask it leaves a gap. */
function taskChart(task: string, metrics: readonly StepMetrics[]): ChartSpec {
  const last = metrics.findLast(({ tasks }) => shareOf(tasks, task) !== undefined);
  const level = last && shareOf(last.tasks, task)?.level;
  const accuracy = ({ tasks }: { readonly tasks: readonly TaskShare[] }): number | null =>
    shareOf(tasks, task)?.accuracy ?? null;
  return {
    id: `task-${task}`,
    title: task,
    unit: `share of right answers, sampled${level == null ? '' : `, level ${level}`}`,
    reading: 'Right answers to this task only.',
    metrics: [],
    ...aboutOne(accuracy, COLOURS.green, {
      evaluation: accuracy,
      greedy: (result) => greedyShare(result, task),
    }),
    ...SHARES,
    format: (value) => (value === null ? 'not asked' : percent(value)),
  };
}

/** The colours of levels go from one to another, from the easiest to the hardest. */
function colourOf(index: number, count: number): string {
  const share = Math.round((100 * index) / Math.max(1, count - 1));
  return `color-mix(in oklch increasing hue, var(--series-reward) ${share}%, var(--series-format))`;
}

/** The greedy accuracy at each level of a task, which shows what a run can do beyond what it is trained on. */
function levelChart(task: string, levels: readonly number[]): ChartSpec {
  return {
    id: `levels-${task}`,
    title: `${task} by level`,
    unit: 'share of right answers, greedy',
    reading:
      'Greedy answers to held-out problems of each level of the task settings, whatever level the run trains on.',
    metrics: [],
    curves: levels.map((level, i) => ({
      name: `level ${level}`,
      colour: colourOf(i, levels.length),
      value: () => null,
      ofEvaluations: (result) =>
        result.levels?.find((each) => each.task === task && each.level === level)?.accuracy ?? null,
    })),
    ...SHARES,
  };
}

/** Nothing is drawn for a run of one task whose levels are not looked at. */
export function RunCharts(): ReactNode {
  const metrics = useDeferredValue(useRun((state) => state.snapshot.metrics));
  const evaluations = useDeferredValue(useRun((state) => state.snapshot.evaluations));
  const ofTasks = useMemo(() => {
    const asked = [...metrics, ...evaluations].flatMap(({ tasks }) => tasks.map(({ task }) => task));
    return [...new Set(asked)].map((task) => taskChart(task, metrics));
  }, [metrics, evaluations]);
  const ofLevels = useMemo(() => {
    const asked = evaluations.flatMap(({ levels = [] }) => levels);
    return [...new Set(asked.map(({ task }) => task))].map((task) =>
      levelChart(task, [...new Set(asked.flatMap((each) => (each.task === task ? each.level : [])))]),
    );
  }, [evaluations]);
  return (
    <>
      {ofTasks.length > 0 && (
        <section aria-label="By task">
          <ChartGrid specs={ofTasks} />
        </section>
      )}
      {ofLevels.length > 0 && <ChartGrid specs={ofLevels} />}
    </>
  );
}
