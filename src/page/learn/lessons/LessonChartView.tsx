import { useCallback, useMemo, type ReactNode } from 'react';
import { ChartPanel } from '../../see/charts/ChartPanel.tsx';
import { runColour } from '../../see/arms/chartsStore.ts';
import type { ChartSpec } from '../../see/charts/specs/spec.ts';
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
  const { arms } = lesson;
  const spec = useMemo<ChartSpec>(() => {
    const { title, unit, metrics, curves, shown } = chart;
    const several = arms.length > 1;
    return {
      id: `lesson-${title.toLowerCase().replaceAll(/\W+/g, '-')}`,
      title,
      unit,
      reading: '',
      metrics,
      curves: arms.flatMap((arm, run) =>
        curves.map(({ name, colour, value }) => ({
          name: several ? arm.name : name,
          colour: several ? runColour(run) : colour,
          value,
        })),
      ),
      shape: 'smoothed',
      range: shown === 'share' ? [0, 1] : [0, null],
      format: FORMATS[shown],
      tick: FORMATS[shown],
    };
  }, [arms, chart]);
  const series = useCallback(
    () =>
      records.flatMap(({ metrics }) =>
        chart.curves.map(({ value }) => ({
          points: metrics.map((step) => ({ step: step.step, value: value(step) })),
          smooth: true,
        })),
      ),
    [chart, records],
  );
  const lastStep = Math.max(...arms.map((arm) => armConfig(lesson, arm).numSteps));
  return <ChartPanel spec={spec} series={series} lastStep={lastStep} />;
}
