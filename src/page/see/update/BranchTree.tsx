/** The likely tokens at each place of an answer as a tree: the sampled ones in a row, the others as branches below. */
import { Fragment, type CSSProperties, type ReactNode } from 'react';
import type { Branch } from '@rl-playground/run/session';
import { Columns } from '../../ui/parts/words.tsx';
import { moveText } from './moved.ts';
import classes from './update.module.css';

/** The width of a place in pixels. */
export const COLUMN = 142;
const NODE = { width: 120, height: 36 };
const ROW = 46;
const TOP = 22;

interface BranchTreeProps {
  /** The likely tokens at each place, one of them sampled. */
  readonly places: readonly (readonly Branch[])[];
  readonly sampled: readonly number[];
  /** The number of the first place in the answer, from 0. */
  readonly from: number;
  /** The place that is looked at, in the answer. */
  readonly at: number;
  readonly textOf: (token: number) => string;
}

interface NodeProps {
  readonly branch: Branch;
  readonly x: number;
  readonly y: number;
  readonly onPath: boolean;
  readonly current: boolean;
  readonly text: string;
}

const fill = (logprob: number): CSSProperties =>
  ({ '--level': `${Number.isNaN(logprob) ? 0 : Math.round(45 * Math.exp(logprob))}%` }) as CSSProperties;

/** Its left half has the colour of the probability before the update, its right half that of the one after it. */
function Node({ branch, x, y, onPath, current, text }: NodeProps): ReactNode {
  const half = NODE.width / 2;
  const look = onPath ? classes.path : classes.other;
  return (
    <g transform={`translate(${x},${y})`} data-path={onPath || undefined}>
      <rect className={look} width={half} height={NODE.height} style={fill(branch.before)} />
      <rect className={look} x={half} width={half} height={NODE.height} style={fill(branch.after)} />
      <rect
        className={current ? classes.current : classes.frame}
        width={NODE.width}
        height={NODE.height}
        rx="4"
      />
      <text className={classes.token} x={half} y="15" textAnchor="middle">
        {text}
      </text>
      <text x={half} y="29" textAnchor="middle">
        {moveText(branch)}
      </text>
    </g>
  );
}

export function BranchTree({ places, sampled, from, at, textOf }: BranchTreeProps): ReactNode {
  const rows = Math.max(1, ...places.map((branches) => branches.length));
  const width = places.length * COLUMN + 14;
  const height = TOP + rows * ROW;
  const middle = NODE.height / 2;
  const others = (place: number): readonly Branch[] =>
    (places[place] ?? []).filter(({ token }) => token !== sampled[place]);
  return (
    <>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        style={{ width, height }}
        className={classes.tree}
        aria-hidden="true"
        data-testid="branch-tree"
      >
        {places.map((branches, place) => {
          const own = branches.find(({ token }) => token === sampled[place]);
          const [start, left] = [place * COLUMN - (COLUMN - NODE.width) + 14, place * COLUMN + 14];
          const siblings = others(place);
          return (
            <Fragment key={place}>
              <text x={left + NODE.width / 2} y="12" textAnchor="middle">
                {from + place + 1}
              </text>
              {[...(own ? [own] : []), ...siblings].map((branch, row) => {
                const y = TOP + row * ROW;
                const onPath = branch === own;
                return (
                  <Fragment key={branch.token}>
                    <path
                      className={onPath ? classes.pathEdge : classes.edge}
                      strokeWidth={1 + 5 * Math.exp(Number.isNaN(branch.after) ? -9 : branch.after)}
                      d={`M${start},${TOP + middle} C${start + 14},${TOP + middle} ${left - 14},${y + middle} ${left},${y + middle}`}
                    />
                    <Node
                      branch={branch}
                      x={left}
                      y={y}
                      onPath={onPath}
                      current={onPath && from + place === at}
                      text={textOf(branch.token)}
                    />
                  </Fragment>
                );
              })}
            </Fragment>
          );
        })}
      </svg>
      {/* A table is as wide as its columns, whatever width it is given, so that a box around it hides it. */}
      <div className="visually-hidden">
        <table data-testid="branch-table">
          <caption>Probabilities before and after the update</caption>
          <Columns names={['place', 'sampled token', 'before → after', 'other likely tokens']} />
          <tbody>
            {places.map((branches, place) => {
              const own = branches.find(({ token }) => token === sampled[place]);
              return (
                <tr key={place}>
                  <th scope="row">{from + place + 1}</th>
                  <td>{own && textOf(own.token)}</td>
                  <td>{own && moveText(own)}</td>
                  <td>
                    {others(place)
                      .map((branch) => `${textOf(branch.token)} ${moveText(branch)}`)
                      .join(', ')}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}
