/** A chart of a lesson: every run in it, from step 1 to the last, drawn anew with each step. */
import { Suspense, type ReactNode } from 'react';
import { plotOf, type PlotLine } from '@rl-playground/bridges/report/plot';
import { curveInWords } from '../../see/charts/describe.ts';
import { MetricMark } from '../../see/charts/ChartMenu.tsx';
import { COLOURS } from '../../see/charts/specs/spec.ts';
import { compact, percent } from '../../ui/text/format.ts';
import { armConfig, type ArmRecord, type Lesson, type LessonChart } from './content/lesson.ts';
import classes from './lessons.module.css';

const WIDTH = 420;
const HEIGHT = 170;
const IN_TURN = [COLOURS.blue, COLOURS.orange, COLOURS.green] as const;

const WRITTEN: Readonly<Record<LessonChart['shown'], (value: number) => string>> = {
  share: (value) => percent(value, 0),
  'small share': (value) => percent(value, 2),
  number: compact,
};

interface LessonChartViewProps {
  readonly lesson: Lesson;
  readonly chart: LessonChart;
  /** Of the arms so far. */
  readonly records: readonly ArmRecord[];
}

/** Runs differ by their colour; of one run alone, its curves do. */
function linesOf({ lesson, chart, records }: LessonChartViewProps): readonly PlotLine[] {
  return records.flatMap(({ metrics }, arm) =>
    chart.curves.map(({ name, value }, curve) => ({
      name: lesson.arms.length > 1 ? (lesson.arms[arm]?.name ?? '') : name,
      colour: IN_TURN[(lesson.arms.length > 1 ? arm : curve) % IN_TURN.length] ?? COLOURS.grey,
      points: metrics.map((step) => ({ step: step.step, value: value(step) })),
    })),
  );
}

export function LessonChartView(props: LessonChartViewProps): ReactNode {
  const { lesson, chart } = props;
  const lines = linesOf(props);
  const lastStep = Math.max(...lesson.arms.map((arm) => armConfig(lesson, arm).numSteps));
  const range = chart.shown === 'share' ? ([0, 1] as const) : ([0, null] as const);
  const plot = plotOf(lines, { width: WIDTH, height: HEIGHT, range, lastStep });
  const written = (value: number): string => WRITTEN[chart.shown](value);
  const words = lines.map(({ name, points }) => curveInWords(name, points, written)).join(' ');
  return (
    <figure className={classes.chart} data-testid="lesson-chart">
      <figcaption className={classes.caption}>
        <b>{chart.title}</b> <span className="quiet">{chart.unit}</span>
        <Suspense>
          <MetricMark metrics={chart.metrics} more={[]} />
        </Suspense>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${chart.title}. ${words}`}>
        {plot.values.map(({ y, value }) => (
          <g key={value}>
            <line x1={plot.left} x2={plot.right} y1={y} y2={y} className={classes.grid} />
            <text x={plot.left - 6} y={y + 4} textAnchor="end" className={classes.tick}>
              {written(value)}
            </text>
          </g>
        ))}
        {plot.steps.map(({ x, step }) => (
          <text key={step} x={x} y={plot.bottom + 16} textAnchor="middle" className={classes.tick}>
            {step}
          </text>
        ))}
        {plot.lines.map(({ colour, measured, average }, i) => (
          <g key={i} fill="none" stroke={colour} strokeLinecap="round" strokeLinejoin="round">
            <path d={measured} strokeWidth={1} opacity={0.45} />
            <path d={average} strokeWidth={2.4} />
          </g>
        ))}
      </svg>
      <p className={classes.key}>
        {lines.map(({ name, colour }, i) => (
          <span key={i}>
            <span className={classes.swatch} style={{ background: colour }} />
            {name}
          </span>
        ))}
      </p>
    </figure>
  );
}
