/** pass@k over k, before and after: the more draws, the more problems have a right one among them. */
import { useMemo, useRef, type ReactNode } from 'react';
import { passCurve } from '../../rl/metrics/passAtK.ts';
import { ChartMenu } from '../charts/ChartMenu.tsx';
import type { Table } from '../charts/csv.ts';
import { percent } from '../format/format.ts';
import { useApp } from '../store.ts';
import { PassDrawing, type PassCurve } from './PassDrawing.tsx';
import charts from '../charts/charts.module.css';
import classes from './evaluation.module.css';

const UNIT = 'share of problems with a right answer among k draws, over k';

/** Of the first evaluation that has draws for it, and of the last. */
function useCurves(): readonly PassCurve[] {
  const evaluations = useApp((state) => state.snapshot.evaluations);
  return useMemo(() => {
    const drawn = evaluations.filter(({ passAtK }) => passAtK !== undefined);
    const [first, last] = [drawn[0], drawn.at(-1)];
    return [
      ...(first
        ? [
            {
              name: first.step <= 0 ? 'before' : `step ${first.step}`,
              colour: 'var(--series-other)',
              dash: '5 3',
              points: passCurve(first),
            },
          ]
        : []),
      ...(last && last !== first
        ? [
            {
              name: `step ${last.step}`,
              colour: 'var(--series-accuracy)',
              dash: '',
              points: passCurve(last),
            },
          ]
        : []),
    ];
  }, [evaluations]);
}

/** Nothing until there are at least two draws of each problem. */
export function PassCurves(): ReactNode {
  const curves = useCurves();
  const figure = useRef<HTMLElement>(null);
  const most = Math.max(0, ...curves.map(({ points }) => points.length));
  if (most < 2) return null;
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
          <span className={charts.unit}>{UNIT}</span>
        </span>
        <ChartMenu
          spec={{ id: 'pass-at-k', title: 'pass@k', unit: UNIT, pinnable: false, curves }}
          figure={figure}
          table={table}
        />
      </figcaption>
      <PassDrawing curves={curves} />
      <p className={charts.key}>
        {curves.map(({ name, colour }) => (
          <span key={name}>
            <span className={charts.swatch} style={{ background: colour }} />
            {name}
          </span>
        ))}
        <span>
          If only the left end rises, the model answers more reliably what it could answer before. If the
          right end rises too, it solves new problems.
        </span>
      </p>
    </figure>
  );
}
