/** The charts that stand open: that of a warm-up, those that tell how a run goes beside its reward, and for each task where a run has several, or looks at its levels. */
import { Suspense, useDeferredValue, useMemo, type ReactNode } from 'react';
import { meanOrNull } from '@rl-playground/base/statistics';
import type { EvalResult } from '@rl-playground/run/loop';
import type { MetricKey, StepMetrics, TaskShare } from '@rl-playground/run/metrics';
import { percent, signed, signedTick } from '../../ui/text/format.ts';
import { Later } from '../../ui/draw/Later.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { ChartGrid } from './ChartGrid.tsx';
import { StepChart } from './StepChart.tsx';
import { COLOURS, PLAIN, SHARES, type ChartSpec, type Curve } from './specs/spec.ts';
import classes from './charts.module.css';

const LevelCharts = lazyPart(async () => (await import('./LevelCharts.tsx')).LevelCharts);
const ArmLegend = lazyPart(async () => (await import('./ArmLegend.tsx')).ArmLegend);
const ChartControls = lazyPart(async () => (await import('./ChartControls.tsx')).ChartControls);
const PinnedCharts = lazyPart(async () => (await import('./PinnedCharts.tsx')).PinnedCharts);
const SftChart = lazyPart(async () => (await import('./SftChart.tsx')).SftChart);

const MEASURED = 'this step';

/** A metric with its standard deviation and its evaluations, where it has them. */
function smoothedCurve(
  metric: MetricKey,
  colour: string,
  besides: Pick<Curve, 'spread' | 'evaluation' | 'greedy'> = {},
): Pick<ChartSpec, 'metrics' | 'curves' | 'shape'> {
  return {
    metrics: [metric],
    curves: [{ name: MEASURED, colour, value: (step) => step[metric], ...besides }],
    shape: 'smoothed',
  };
}

/** What training pushes up; it stands in front of the others, beside answers that earned it. */
export const REWARD_CHART: ChartSpec = {
  id: 'reward',
  title: 'Reward',
  unit: 'mean reward per answer',
  reading: 'The score of each answer by the rule of its task. Training raises it.',
  ...smoothedCurve('reward', COLOURS.blue, { spread: ({ rewardStd }) => rewardStd }),
  range: [0, 1],
  format: (value) => signed(value, 2),
  tick: signedTick,
};

const MAIN_CHARTS: readonly ChartSpec[] = [
  {
    id: 'accuracy',
    title: 'Accuracy',
    unit: 'share of correct answers',
    reading: 'The answer that was read from the text is correct.',
    ...smoothedCurve('accuracy', COLOURS.green, {
      evaluation: ({ accuracy }) => accuracy,
      greedy: ({ greedy }) => greedy?.accuracy ?? null,
    }),
    ...SHARES,
  },
  {
    id: 'format',
    title: 'Format compliance',
    unit: 'share of answers in the requested form',
    reading: 'The answer is marked as requested, e.g. after [ANSWER]. It may still be wrong.',
    ...smoothedCurve('format', COLOURS.orange, {
      evaluation: ({ format }) => format,
      greedy: ({ greedy }) => greedy?.format ?? null,
    }),
    ...SHARES,
  },
  {
    id: 'kl',
    title: 'KL to the reference',
    unit: 'nats per token',
    reading:
      'How far the model has moved from the reference: the model at the start of training, unless the settings name another.',
    ...smoothedCurve('kl', COLOURS.pink),
    ...PLAIN,
  },
];

const shareOf = (tasks: readonly TaskShare[], task: string): TaskShare | undefined =>
  tasks.find((each) => each.task === task);

/** Of the likeliest answers to the task; null where it was not asked, or they were not. */
function greedyShare({ samples }: EvalResult, task: string): number | null {
  return meanOrNull(
    samples.flatMap((sample) =>
      sample.task === task && sample.greedy ? [Number(sample.greedy.correct)] : [],
    ),
  );
}

/** The accuracy of one task over the steps; a step that did not ask it leaves a gap. */
function taskChart(task: string, metrics: readonly StepMetrics[]): ChartSpec {
  const last = metrics.findLast(({ tasks }) => shareOf(tasks, task) !== undefined);
  const level = last && shareOf(last.tasks, task)?.level;
  const accuracy = ({ tasks }: { readonly tasks: readonly TaskShare[] }): number | null =>
    shareOf(tasks, task)?.accuracy ?? null;
  return {
    id: `task-${task}`,
    title: task,
    unit: level == null ? 'share of correct answers' : `share of correct answers, level ${level}`,
    reading: 'Correct answers to this task alone.',
    pinnable: false,
    metrics: [],
    curves: [
      {
        name: MEASURED,
        colour: COLOURS.green,
        value: accuracy,
        evaluation: accuracy,
        greedy: (result) => greedyShare(result, task),
      },
    ],
    shape: 'smoothed',
    ...SHARES,
    format: (value) => (value === null ? 'not asked' : percent(value)),
  };
}

/** One curve for each task of a mixture, or of a run under a curriculum; nothing for other runs. */
function TaskCharts(): ReactNode {
  const metrics = useDeferredValue(useRun((state) => state.snapshot.metrics));
  const evaluations = useDeferredValue(useRun((state) => state.snapshot.evaluations));
  const specs = useMemo(() => {
    const asked = new Set<string>();
    for (const records of [metrics, evaluations])
      for (const { tasks } of records) for (const { task } of tasks) asked.add(task);
    return [...asked].map((task) => taskChart(task, metrics));
  }, [metrics, evaluations]);
  if (specs.length === 0) return null;
  return (
    <section aria-label="By task" className={classes.grid}>
      {specs.map((spec) => (
        <StepChart key={spec.id} spec={spec} />
      ))}
    </section>
  );
}

function Legend(): ReactNode {
  return (
    <p className={classes.legend}>
      <span>
        <svg aria-hidden="true" width="22" height="8">
          <path d="M0 5 6 2l5 4 6-4 5 2" fill="none" stroke="currentColor" strokeWidth="1" opacity="0.7" />
        </svg>
        each step
      </span>
      <span>
        <svg aria-hidden="true" width="22" height="8">
          <path d="M0 4h22" stroke="currentColor" strokeWidth="2.4" />
        </svg>
        moving average (set under Smoothing)
      </span>
      <span>
        <svg aria-hidden="true" width="12" height="12">
          <path d="M6 1 11 6 6 11 1 6Z" fill="none" stroke="currentColor" strokeWidth="1.8" />
        </svg>
        evaluation on held-out problems
      </span>
      <span>
        <svg aria-hidden="true" width="22" height="8">
          <path d="M0 4h22" stroke="currentColor" strokeWidth="1.2" strokeDasharray="5 4" />
        </svg>
        the same with greedy decoding
      </span>
    </p>
  );
}

export function MainCharts(): ReactNode {
  return (
    <>
      <Later>
        <SftChart />
      </Later>
      <div className={classes.controlsPlace}>
        <Suspense>
          <ChartControls />
        </Suspense>
      </div>
      <ChartGrid>
        {MAIN_CHARTS.map((spec) => (
          <StepChart key={spec.id} spec={spec} />
        ))}
      </ChartGrid>
      <Later>
        <PinnedCharts />
      </Later>
      <Legend />
      <Later>
        <ArmLegend />
      </Later>
      <TaskCharts />
      <Later>
        <LevelCharts />
      </Later>
    </>
  );
}
