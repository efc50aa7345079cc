/** The curves of pass@k, before and after: the more draws, the more problems have a right answer among them. */
import { useElementSize } from '@mantine/hooks';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { passCurve } from '@rl-playground/run/metrics';
import { ChartMenu } from '../charts/ChartMenu.tsx';
import type { Table } from '../charts/csv.ts';
import { percent } from '../../ui/text/format.ts';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useRun } from '../../run/state/runStore.ts';
import type { PassCurve } from './PassPlot.tsx';
import charts from '../charts/charts.module.css';
import classes from './evaluation.module.css';

const PassPlot = lazyPart(async () => (await import('./PassPlot.tsx')).PassPlot);

const UNIT = 'share of problems with a right answer among k draws, over k';

/** The curves of the first and the last evaluation with several draws of each problem. */
function useCurves(): readonly PassCurve[] {
  const evaluations = useRun((state) => state.snapshot.evaluations);
  return useMemo(() => {
    const drawn = evaluations.filter(({ passAtK }) => passAtK !== undefined);
    return [...new Set([drawn[0], drawn.at(-1)])].flatMap((result, i) =>
      result === undefined
        ? []
        : [
            {
              name: result.step <= 0 && i === 0 ? 'before' : `step ${result.step}`,
              colour: i === 0 ? 'var(--series-other)' : 'var(--series-accuracy)',
              dash: i === 0 ? '5 3' : '',
              points: passCurve(result),
            },
          ],
    );
  }, [evaluations]);
}

/** `most`: the number of points of the longest curve. */
function PassFigure({ curves, most }: { curves: readonly PassCurve[]; most: number }): ReactNode {
  const figure = useRef<HTMLElement>(null);
  const { ref: plot, width, height } = useElementSize();
  const [keyPlace, setKeyPlace] = useState<HTMLElement | null>(null);
  const table = (): Table => ({
    columns: ['k', ...curves.flatMap(({ name }) => [name, `${name}, low`, `${name}, high`])],
    rows: Array.from({ length: most }, (_, i) => [
      i + 1,
      ...curves.flatMap(({ points }) => [
        points[i]?.accuracy ?? null,
        points[i]?.interval?.low ?? null,
        points[i]?.interval?.high ?? null,
      ]),
    ]),
  });
  const spoken = curves.map(({ name, points }) => {
    const ends = [points[0], points.at(-1)].map((point) => `pass@${point?.k} ${percent(point?.accuracy)}`);
    return `${name}: ${ends.join(', ')}`;
  });
  return (
    <figure
      ref={figure}
      className={classes.passCurves}
      aria-label={`pass@k. ${spoken.join('. ')}.`}
      data-testid="pass-at-k"
    >
      <figcaption className={charts.caption}>
        <span className={charts.names}>
          <span className={classes.label}>pass@k</span>
          <span className={charts.small}>{UNIT}</span>
        </span>
        <ChartMenu
          spec={{ id: 'pass-at-k', title: 'pass@k', unit: UNIT, pinnable: false, curves }}
          figure={figure}
          table={table}
        />
      </figcaption>
      <div ref={plot} className={classes.passPlot}>
        {width > 0 && height > 0 && (
          <PassPlot
            width={Math.round(width)}
            height={Math.round(height)}
            curves={curves}
            keyPlace={keyPlace}
          />
        )}
      </div>
      <div className={charts.key}>
        <div ref={setKeyPlace} />
        <span>
          If only the left end rises, the model answers more reliably what it could answer before. If the
          right end rises too, it solves new problems.
        </span>
      </div>
    </figure>
  );
}

/** The curves are drawn once there are at least two draws of each problem. */
export function PassCurves(): ReactNode {
  const curves = useCurves();
  const most = Math.max(0, ...curves.map(({ points }) => points.length));
  return most >= 2 && <PassFigure curves={curves} most={most} />;
}
