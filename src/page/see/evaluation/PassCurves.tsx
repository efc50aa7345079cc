/** The curves of pass@k, before and after: the more draws, the more problems have a right answer among them. */
import { useMemo, type ReactNode } from 'react';
import { passCurve } from '@rl-playground/run/metrics';
import { useRun } from '../../run/state/runStore.ts';
import { ChartPanel } from '../charts/ChartPanel.tsx';
import { COLOURS, SHARES, type ChartSpec } from '../charts/specs/spec.ts';

/** The curves of the first and the last evaluation with several draws of each problem. */
function useCurves() {
  const evaluations = useRun((state) => state.snapshot.evaluations);
  return useMemo(() => {
    const drawn = evaluations.filter(({ passAtK }) => passAtK !== undefined);
    return [...new Set([drawn[0], drawn.at(-1)])].flatMap((result, i) =>
      result === undefined
        ? []
        : [
            {
              name: result.step <= 0 && i === 0 ? 'before' : `step ${result.step}`,
              colour: i === 0 ? COLOURS.grey : COLOURS.green,
              points: passCurve(result),
            },
          ],
    );
  }, [evaluations]);
}

/** The curves are drawn once there are at least two draws of each problem. */
export function PassCurves(): ReactNode {
  const curves = useCurves();
  const most = Math.max(0, ...curves.map(({ points }) => points.length));
  const spec = useMemo<ChartSpec>(
    () => ({
      id: 'pass-at-k',
      title: 'pass@k',
      unit: 'share of problems with a right answer among k draws, over k',
      reading:
        'If only the left end rises, the model answers more reliably what it could answer before. If the right end rises too, it solves new problems.',
      metrics: [],
      curves: curves.map(({ name, colour }) => ({ name, colour, value: () => null })),
      ...SHARES,
      at: (k) => `pass@${k}`,
    }),
    [curves],
  );
  const rows = useMemo(
    () =>
      Array.from({ length: most }, (_, i) => ({
        step: i + 1,
        curves: curves.map(({ points }) => {
          const { accuracy, interval } = points[i] ?? {};
          return {
            ...(accuracy !== undefined && { value: accuracy }),
            ...(interval && { band: [interval.low, interval.high] as const }),
          };
        }),
      })),
    [curves, most],
  );
  if (most < 2) return null;
  return (
    <ChartPanel
      spec={spec}
      rows={rows}
      lastStep={most}
      table={() => ({
        columns: ['k', ...curves.flatMap(({ name }) => [name, `${name}, low`, `${name}, high`])],
        rows: rows.map(({ step, curves: points }) => [
          step,
          ...points.flatMap(({ value = null, band = [null, null] }) => [value, ...band]),
        ]),
      })}
      points={most}
      shown={curves.map(({ name, points }) => ({
        name,
        now: SHARES.format(points.at(-1)?.accuracy ?? null),
      }))}
    />
  );
}
