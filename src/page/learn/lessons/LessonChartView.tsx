import { useMemo, type ReactNode } from 'react';
import { ChartPanel } from '../../see/charts/ChartPanel.tsx';
import { curveInWords } from '../../see/charts/describe.ts';
import { chartRows } from '../../see/charts/specs/rows.ts';
import { colourAt, type ChartSpec } from '../../see/charts/specs/spec.ts';
import { compact, percent } from '../../ui/text/format.ts';
import { armConfig, type ArmRecord, type Lesson, type LessonChart } from './content/lesson.ts';

const FORMATS: Readonly<Record<LessonChart['shown'], (value: number | null) => string>> = {
  share: (value) => percent(value, 0),
  'small share': (value) => percent(value, 2),
  number: compact,
};

interface LessonChartViewProps {
  readonly lesson: Lesson;
  readonly chart: LessonChart;
  readonly records: readonly ArmRecord[];
}

/** A chart of a lesson. Several runs have a curve each; a single run has all curves of the chart. */
export function LessonChartView({ lesson, chart, records }: LessonChartViewProps): ReactNode {
  const { title, unit, metrics, curves, shown } = chart;
  const { arms } = lesson;
  const format = FORMATS[shown];
  const lines = useMemo(
    () =>
      records.flatMap((record, arm) =>
        curves.map(({ name, value }, curve) => ({
          name: arms.length > 1 ? (arms[arm]?.name ?? '') : name,
          colour: colourAt(arms.length > 1 ? arm : curve),
          points: record.metrics.map((step) => ({ step: step.step, value: value(step) })),
        })),
      ),
    [arms, curves, records],
  );
  const spec = useMemo<ChartSpec>(
    () => ({
      id: `lesson-${title.toLowerCase().replaceAll(/\W+/g, '-')}`,
      title,
      unit,
      reading: '',
      metrics,
      curves: lines.map(({ name, colour }) => ({ name, colour, value: () => null })),
      shape: 'smoothed',
      range: shown === 'share' ? [0, 1] : [0, null],
      format,
      tick: format,
    }),
    [title, unit, metrics, lines, shown, format],
  );
  const rows = useMemo(() => chartRows(lines.map(({ points }) => ({ points, smooth: true }))), [lines]);
  const longest = lines.reduce<(typeof lines)[number]['points']>(
    (most, { points }) => (points.length > most.length ? points : most),
    [],
  );
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      lastStep={Math.max(...arms.map((arm) => armConfig(lesson, arm).numSteps))}
      inWords={lines.map(({ name, points }) => curveInWords(name, points, format)).join(' ')}
      table={() => ({
        columns: ['step', ...lines.map(({ name }) => name)],
        rows: longest.map(({ step }, i) => [step, ...lines.map(({ points }) => points[i]?.value ?? null)]),
      })}
      points={longest.length}
      shown={lines.map(({ name, points }) => ({ name, now: format(points.at(-1)?.value ?? null) }))}
    />
  );
}
