/** The sick and the cured run of a recipe in one chart, of the metric that shows the illness. */
import { useCallback, useMemo, type ReactNode } from 'react';
import { METRICS, type MetricKey } from '@rl-playground/run/metrics';
import type { ZooRuns } from '../../see/arms/chartsStore.ts';
import { ChartPanel } from '../../see/charts/ChartPanel.tsx';
import { metricChart } from '../../see/charts/specs/find.ts';
import type { ChartSpec } from '../../see/charts/specs/spec.ts';

/** The metrics that show the illness. The accuracy does in recipes that are not named. */
const SYMPTOMS: Readonly<Partial<Record<string, MetricKey>>> = {
  'learning-rate': 'kl',
  entropy: 'entropy',
  format: 'format',
  'too-hard': 'fracMixed',
  'cut-off': 'truncated',
  stale: 'klSampleTrainV2',
  kl: 'gradNorm',
  'group-of-two': 'fracMixed',
  mismatch: 'klSampleTrainV2',
};

const KINDS = ['sick', 'cured'] as const;
const COLOURS = { sick: 'var(--run-2)', cured: 'var(--run-1)' } as const;

interface ZooChartProps {
  readonly recipe: string;
  readonly runs: ZooRuns;
}

export function ZooChart({ recipe, runs }: ZooChartProps): ReactNode {
  const metric = METRICS.find(({ key }) => key === (SYMPTOMS[recipe] ?? 'accuracy'));
  const spec = useMemo<ChartSpec | undefined>(
    () =>
      metric && {
        ...metricChart(metric),
        ...(metric.key === 'accuracy' && { unit: 'share of right answers, sampled' }),
        reading: '',
        id: `zoo-${recipe}`,
        curves: KINDS.map((kind) => ({
          name: `${kind} run`,
          colour: COLOURS[kind],
          value: ({ [metric.key]: value }) => value,
        })),
      },
    [metric, recipe],
  );
  const series = useCallback(
    () =>
      KINDS.map((kind) => ({
        points: (runs[kind]?.metrics ?? []).map((step) => ({
          step: step.step,
          value: metric ? step[metric.key] : null,
        })),
        smooth: true,
      })),
    [runs, metric],
  );
  if (spec === undefined) return null;
  const lastStep = Math.max(1, ...KINDS.map((kind) => runs[kind]?.config.numSteps ?? 1));
  return <ChartPanel spec={spec} series={series} lastStep={lastStep} />;
}
