/** The four charts of a run, and the meaning of their curves. */
import { Group } from '@mantine/core';
import type { ComponentProps, ReactNode, SVGAttributes } from 'react';
import type { MetricKey } from '@rl-playground/run/metrics';
import { signed, signedTick } from '../../ui/text/format.ts';
import { useCharts } from '../arms/chartsStore.ts';
import { useDrawnArms } from '../arms/drawnArms.ts';
import { ChartGrid } from './ChartGrid.tsx';
import { aboutOne, COLOURS, PLAIN, SHARES, type ChartSpec, type Curve } from './specs/spec.ts';
import classes from './charts.module.css';

/** A metric with its evaluations, where it has them. */
function ofMetric(
  metric: MetricKey,
  colour: string,
  besides?: Pick<Curve, 'evaluation' | 'greedy'>,
): Pick<ChartSpec, 'metrics' | 'curves' | 'shape'> {
  return { metrics: [metric], ...aboutOne((step) => step[metric], colour, besides) };
}

/** The four numbers of a run, in the order of their charts. */
export const MAIN_CHARTS: readonly ChartSpec[] = [
  {
    id: 'reward',
    title: 'Reward',
    unit: 'mean per answer',
    reading: 'The score of each answer by the rule of its task. Training is meant to raise it.',
    ...ofMetric('reward', COLOURS.blue),
    range: [0, 1],
    format: (value) => signed(value, 2),
    tick: signedTick,
  },
  {
    id: 'accuracy',
    title: 'Accuracy',
    unit: 'share of right answers, sampled',
    reading: 'The answer that was read from the text is correct.',
    ...ofMetric('accuracy', COLOURS.green, {
      evaluation: ({ accuracy, temperature }) => (temperature > 0 ? accuracy : null),
      greedy: ({ accuracy, temperature, greedy }) => greedy?.accuracy ?? (temperature > 0 ? null : accuracy),
    }),
    ...SHARES,
  },
  {
    id: 'format',
    title: 'Format',
    unit: 'share in the right format',
    reading: 'The answer is marked as the task requests. It may still be wrong.',
    ...ofMetric('format', COLOURS.orange, {
      evaluation: ({ format }) => format,
      greedy: ({ greedy }) => greedy?.format ?? null,
    }),
    ...SHARES,
  },
  {
    id: 'kl',
    title: 'KL',
    unit: 'nats per token, to the reference',
    reading:
      'How far the model has moved from the reference: the model at the start of training, unless the settings name another.',
    ...ofMetric('kl', COLOURS.pink),
    ...PLAIN,
  },
];

/** A small drawing of a kind of curve. */
function Sign({ path, width = 22, ...stroke }: { path: string } & SVGAttributes<SVGPathElement>): ReactNode {
  return (
    <svg aria-hidden="true" width={width} height="12">
      <path d={path} fill="none" stroke="currentColor" {...stroke} />
    </svg>
  );
}

/** The kinds of curves. */
const SIGNS: readonly (readonly [text: string, sign: ComponentProps<typeof Sign>])[] = [
  ['each step', { path: 'M0 7 6 4l5 4 6-4 5 2', opacity: '0.7' }],
  ['moving average (set under Smoothing)', { path: 'M0 6h22', strokeWidth: '2.4' }],
  ['evaluation on held-out problems', { path: 'M6 1 11 6 6 11 1 6Z', width: 12, strokeWidth: '1.8' }],
  ['the same with greedy decoding', { path: 'M0 6h22', strokeWidth: '1.2', strokeDasharray: '5 4' }],
];

/** The meaning of the curves, and the colours of runs. */
export function Legend(): ReactNode {
  const arms = useDrawnArms();
  const pinned = useCharts((state) => state.pinned);
  return (
    <>
      <Group component="p" gap="4px 18px" className="quiet">
        {SIGNS.map(([text, sign]) => (
          <span key={text}>
            <Sign {...sign} /> {text}
          </span>
        ))}
      </Group>
      {arms.length > 0 && (
        <Group component="p" gap="4px 18px" className="quiet" data-testid="arm-legend">
          {arms.map(({ id, name, colour, runs }) => (
            <span key={id}>
              <span className={classes.swatch} style={{ background: colour }} />
              {name}
              {id === pinned && ' (baseline, dashed)'}
              {runs.length > 1 && ', mean with 95% interval'}
            </span>
          ))}
        </Group>
      )}
    </>
  );
}

/** Marks the recorded curves, which play before anything is trained here. */
function RecordedMark(): ReactNode {
  const shown = useCharts((state) => state.recorded !== null);
  return (
    shown && (
      <p className={classes.recorded} data-testid="recorded-mark">
        Recorded run
      </p>
    )
  );
}

/** The four charts side by side. What each shows in words is behind its mark. */
export function MainCharts(): ReactNode {
  return (
    <div className={classes.main}>
      <ChartGrid specs={MAIN_CHARTS} />
      <RecordedMark />
    </div>
  );
}
