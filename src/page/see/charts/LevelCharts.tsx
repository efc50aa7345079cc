/** Greedy accuracy at each level of difficulty of a task over the steps: what a run can do beyond what it is trained on. */
import { useMemo, type ReactNode } from 'react';
import type { EvalResult } from '@rl-playground/run/loop';
import { findTask, type Task } from '@rl-playground/tasks/parts';
import { useRun } from '../../run/state/runStore.ts';
import { stepPosition } from './axes.ts';
import { ChartPanel } from './ChartPanel.tsx';
import { curveInWords } from './describe.ts';
import { chartRows } from './specs/rows.ts';
import { SHARES, type ChartSpec } from './specs/spec.ts';
import { useStepAxis } from './StepChart.tsx';
import classes from './charts.module.css';

/** From the easiest level to the hardest one colour goes over into another. */
function colourOf(index: number, count: number): string {
  const share = Math.round((100 * index) / Math.max(1, count - 1));
  return `color-mix(in oklch increasing hue, var(--series-reward) ${share}%, var(--series-format))`;
}

/** What a level sets, in the words of the form: `fewest numbers 2, most numbers 2`. */
function levelText({ fields, levels }: Task, index: number): string {
  const settings = Object.entries(levels[index] ?? {});
  if (settings.length === 0) return 'the settings as they are';
  return settings
    .map(([name, value]) => `${fields[name]?.label.toLowerCase() ?? name} ${String(value)}`)
    .join(', ');
}

function readingOf(name: string, count: number): string {
  const task = findTask(name);
  const ends = task && `Level 1: ${levelText(task, 0)}. Level ${count}: ${levelText(task, count - 1)}.`;
  return `Greedy answers to held-out problems of each level, whatever level the run trains on. ${ends ?? ''}`;
}

function LevelChart({ task, evaluations }: { task: string; evaluations: readonly EvalResult[] }): ReactNode {
  const { lastStep, span } = useStepAxis();
  const shares = evaluations.map(({ step, levels = [] }) => ({
    step,
    levels: levels.filter((each) => each.task === task),
  }));
  const last = shares.findLast(({ levels }) => levels.length > 0);
  if (last === undefined) return null;
  const shown = last.levels.map(({ level, accuracy }, i) => ({
    name: `level ${level}`,
    colour: colourOf(i, last.levels.length),
    now: SHARES.format(accuracy),
  }));
  const spec: ChartSpec = {
    id: `levels-${task}`,
    title: `${task} by level`,
    unit: 'share of correct greedy answers',
    reading: readingOf(task, last.levels.length),
    metrics: [],
    pinnable: false,
    curves: shown.map(({ name, colour }) => ({ name, colour, value: () => null })),
    ...SHARES,
  };
  const accuracyOf = ({ levels }: (typeof shares)[number], level: number): number | null =>
    levels.find((each) => each.level === level)?.accuracy ?? null;
  const series = last.levels.map(({ level }) => ({
    points: shares.map((each) => ({ step: stepPosition(each.step, span), value: accuracyOf(each, level) })),
  }));
  const rows = chartRows(series);
  const words = shown.map(({ name }, i) => curveInWords(name, series[i]?.points ?? [], SHARES.format));
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      lastStep={lastStep}
      span={span}
      summary={`${spec.title}: ${shown.map(({ name, now }) => `${name} ${now}`).join(', ')} after ${Math.max(0, last.step)} steps.`}
      inWords={words.join(' ')}
      table={() => ({
        columns: ['step', ...shown.map(({ name }) => name)],
        rows: shares.map((each) => [each.step, ...last.levels.map(({ level }) => accuracyOf(each, level))]),
      })}
      points={rows.length}
      shown={shown}
    />
  );
}

/** One chart for each task whose levels are looked at; nothing for other runs. */
export function LevelCharts(): ReactNode {
  const evaluations = useRun((state) => state.snapshot.evaluations);
  const tasks = useMemo(
    () => [...new Set(evaluations.flatMap(({ levels = [] }) => levels.map(({ task }) => task)))],
    [evaluations],
  );
  if (tasks.length === 0) return null;
  return (
    <section aria-label="By level" className={classes.grid}>
      {tasks.map((task) => (
        <LevelChart key={task} task={task} evaluations={evaluations} />
      ))}
    </section>
  );
}
