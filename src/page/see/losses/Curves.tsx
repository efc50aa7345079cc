/** The gradient coefficients of two losses over the ratio of one token, with a mark at the ratio that it has. */
import type { ReactNode } from 'react';
import type { CurvePoint } from '@rl-playground/run/inspect/terms';
import tableClasses from '../../ui/style/table.module.css';
import { compact, fixed } from '../../ui/text/format.ts';
import { Columns } from '../../ui/parts/words.tsx';
import classes from './losses.module.css';

const WIDTH = 460;
const HEIGHT = 190;
const EDGE = { left: 44, right: 10, top: 14, bottom: 30 };
const MOST_RATIO = 2;
/** The ratios that the table has. */
const ROWS = [0.5, 0.8, 1, 1.2, 1.5, 2];

interface CurvesProps {
  readonly names: readonly [string, string];
  readonly curves: readonly [readonly CurvePoint[], readonly CurvePoint[]];
  readonly ratio: number;
}

export function Curves({ names, curves, ratio }: CurvesProps): ReactNode {
  const values = curves.flat().map(({ coefficient }) => coefficient);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const x = (at: number): number =>
    EDGE.left + (Math.min(at, MOST_RATIO) / MOST_RATIO) * (WIDTH - EDGE.left - EDGE.right);
  const y = (value: number): number =>
    HEIGHT - EDGE.bottom - ((value - low) / span) * (HEIGHT - EDGE.top - EDGE.bottom);
  const line = (points: readonly CurvePoint[]): string =>
    points.map((point) => `${x(point.ratio).toFixed(1)},${y(point.coefficient).toFixed(1)}`).join(' ');
  const [first, second] = curves;
  const at = (points: readonly CurvePoint[], wanted: number): number | undefined =>
    points.find((point) => Math.abs(point.ratio - wanted) < 1e-6)?.coefficient;
  return (
    <div className={classes.drawn}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={classes.curves} aria-hidden="true">
        <path
          className={classes.axis}
          d={`M${EDGE.left},${EDGE.top} V${HEIGHT - EDGE.bottom} M${EDGE.left},${y(0)} H${WIDTH - EDGE.right}`}
        />
        {[0, 0.5, 1, 1.5, 2].map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - 16} textAnchor="middle">
            {tick}
          </text>
        ))}
        <text x={WIDTH / 2} y={HEIGHT - 3} textAnchor="middle">
          ratio ρ of this token
        </text>
        {[...new Set([low, 0, high])].map((tick) => (
          <text key={tick} x={EDGE.left - 5} y={y(tick) + 4} textAnchor="end">
            {compact(tick)}
          </text>
        ))}
        <text x={EDGE.left + 5} y={EDGE.top - 3}>
          g
        </text>
        <line className={classes.here} x1={x(ratio)} x2={x(ratio)} y1={EDGE.top} y2={HEIGHT - EDGE.bottom} />
        <polyline className={`${classes.curve} ${classes.first}`} points={line(first)} />
        <polyline className={`${classes.curve} ${classes.second}`} points={line(second)} />
      </svg>
      <table className={`${tableClasses.table} ${tableClasses.figures}`}>
        <caption>
          g over the ratio of this token alone; the dashed line is at the ratio that it has, {fixed(ratio)}
        </caption>
        <Columns names={['ρ', ...names]} />
        <tbody>
          {ROWS.map((wanted) => (
            <tr key={wanted}>
              <th scope="row">{wanted}</th>
              <td>{compact(at(first, wanted))}</td>
              <td>{compact(at(second, wanted))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
