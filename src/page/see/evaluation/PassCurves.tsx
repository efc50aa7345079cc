/** The curves of pass@k, before and after: the more draws, the more problems have a right answer among them. */
import { useCallback, useMemo, type ReactNode } from 'react';
import { passCurve } from '@rl-playground/run/metrics';
import { useRun } from '../../run/state/runStore.ts';
import { ChartPanel } from '../charts/ChartPanel.tsx';
import { COLOURS, SHARES, type ChartSpec } from '../charts/specs/spec.ts';

/** The curves are those of the first and the last evaluation, drawn once there are at least two draws of each problem. */
export function PassCurves(): ReactNode {
  const evaluations = useRun((state) => state.snapshot.evaluations);
  const results = useMemo(() => {
    const drawn = evaluations.filter((result) => passCurve(result).length > 1);
    return [...new Set([drawn[0], drawn.at(-1)])].flatMap((result) => result ?? []);
  }, [evaluations]);
  const spec = useMemo<ChartSpec>(
    () => ({
      id: 'pass-at-k',
      title: 'pass@k',
      unit: 'share of problems with a right answer among k tries, over k',
      reading:
        'If only the left end rises, the model answers more reliably what it could answer before. If the right end rises too, it solves new problems.',
      metrics: [],
      curves: results.map(({ step }, i) => ({
        name: step <= 0 && i === 0 ? 'before' : `step ${step}`,
        colour: i === 0 ? COLOURS.grey : COLOURS.green,
        value: () => null,
      })),
      ...SHARES,
      axis: { name: 'k', at: (k) => `pass@${k}` },
    }),
    [results],
  );
  const series = useCallback(
    () =>
      results.map(passCurve).map((curve) => ({
        points: curve.map(({ accuracy }, i) => ({ step: i + 1, value: accuracy })),
        bands: curve.map(
          ({ accuracy, interval }) => [interval?.low ?? accuracy, interval?.high ?? accuracy] as const,
        ),
      })),
    [results],
  );
  const most = Math.max(0, ...results.map(({ passAtK }) => passAtK?.k ?? 0));
  return most > 0 && <ChartPanel spec={spec} series={series} lastStep={most} />;
}
