/** The curves of pass@k over k on a log axis, and what they are at the k that is pointed at or chosen by keyboard. */
import {
  memo,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import type { PassPoint } from '../../rl/metrics/passAtK.ts';
import { GridLines, StepMarks, ValueMarks } from '../charts/Axes.tsx';
import { pixel, plotOf, type Plot } from '../charts/scales.ts';
import { ValueBox } from '../charts/ValueBox.tsx';
import { percent } from '../format/format.ts';
import { useSize, type Size } from '../ui/useSize.ts';
import classes from './evaluation.module.css';

const SHARES = [0, 0.25, 0.5, 0.75, 1];
/** Pixels from the line through a k to what is said of it. */
const BESIDE = 10;

export interface PassCurve {
  readonly name: string;
  readonly colour: string;
  readonly dash: string;
  /** Of k = 1, 2, … */
  readonly points: readonly PassPoint[];
}

/** 1, 2, 4, … and the last k. */
function ticksUpTo(most: number): number[] {
  const powers = Array.from({ length: Math.ceil(Math.log2(most)) }, (_, i) => 2 ** i);
  return [...powers, most];
}

interface CurvesProps {
  readonly curves: readonly PassCurve[];
  readonly most: number;
  readonly size: Size;
  readonly plot: Plot;
}

const Curves = memo(function Curves({ curves, most, size, plot }: CurvesProps): ReactNode {
  const at = (k: number, share: number): string => `${pixel(plot.step(k))} ${pixel(plot.left(share))}`;
  return (
    <svg aria-hidden="true" data-drawing {...size}>
      <GridLines plot={plot} values={SHARES} />
      <StepMarks plot={plot} steps={ticksUpTo(most)} format={(k) => (k === 1 ? 'k = 1' : String(k))} />
      <ValueMarks plot={plot} scale={plot.left} values={SHARES} format={(share) => percent(share, 0)} />
      {curves.map(({ name, colour, dash, points }) => {
        const known = points.flatMap(({ interval }, i) => (interval ? [{ k: i + 1, ...interval }] : []));
        const edge = [
          ...known.map(({ k, high }) => at(k, high)),
          ...known.map(({ k, low }) => at(k, low)).reverse(),
        ];
        return (
          <g key={name}>
            {known.length > 0 && <path d={`M${edge.join('L')}Z`} fill={colour} fillOpacity={0.16} />}
            <path
              d={`M${points.map(({ accuracy }, i) => at(i + 1, accuracy)).join('L')}`}
              fill="none"
              stroke={colour}
              strokeWidth={2}
              strokeDasharray={dash}
            />
            {points.map(({ accuracy }, i) => (
              <circle key={i} cx={plot.step(i + 1)} cy={plot.left(accuracy)} r={2.5} fill={colour} />
            ))}
          </g>
        );
      })}
    </svg>
  );
});

interface AtKProps {
  readonly curves: readonly PassCurve[];
  readonly k: number;
  readonly plot: Plot;
}

function shareOf({ accuracy, interval }: Partial<PassPoint> = {}): string {
  const range = interval ? ` (${percent(interval.low)} to ${percent(interval.high)})` : '';
  return `${percent(accuracy)}${range}`;
}

/** The line through a k, and the values there. */
function AtK({ curves, k, plot }: AtKProps): ReactNode {
  const x = plot.step(k);
  const isLeft = x > plot.x + plot.width / 2;
  return (
    <>
      <svg aria-hidden="true" className={classes.passLine}>
        <path d={`M${x} ${plot.y}v${plot.height}`} stroke="var(--line-strong)" strokeDasharray="3 3" />
      </svg>
      <div
        aria-hidden="true"
        className={classes.passValues}
        style={isLeft ? { right: `calc(100% - ${x - BESIDE}px)` } : { left: x + BESIDE }}
      >
        <ValueBox
          title={`pass@${k}`}
          lines={curves.map(({ name, points }) => [name, shareOf(points[k - 1])])}
        />
      </div>
    </>
  );
}

/** From the k at which somebody is to the one that a key asks for; null for other keys. */
function kBehind(key: string, k: number, most: number): number | null {
  if (key === 'Home') return 1;
  if (key === 'End') return most;
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key];
  return by === undefined ? null : Math.min(most, Math.max(1, k + by));
}

interface PassDrawingProps {
  /** At least two points of one of them. */
  readonly curves: readonly PassCurve[];
}

export function PassDrawing({ curves }: PassDrawingProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const size = useSize(place);
  /** Pointed at, or chosen by keyboard. */
  const [shown, setShown] = useState<number | null>(null);
  const most = Math.max(...curves.map(({ points }) => points.length));
  const plot = useMemo(
    () => size && plotOf(size, [1, most], { left: { domain: [0, 1] }, log: null }, true),
    [size, most],
  );
  const k = Math.min(shown ?? 1, most);
  const inWords = curves.map(({ name, points }) => `${name} ${percent(points[k - 1]?.accuracy)}`).join(', ');
  const point = ({ clientX, currentTarget }: PointerEvent): void => {
    if (plot === null) return;
    const x = clientX - currentTarget.getBoundingClientRect().left;
    const near = (one: number): number => Math.abs(plot.step(one) - x);
    const all = Array.from({ length: most }, (_, i) => i + 1);
    setShown(all.reduce((best, one) => (near(one) < near(best) ? one : best)));
  };
  const press = (event: KeyboardEvent): void => {
    const next = kBehind(event.key, k, most);
    if (next === null) return;
    event.preventDefault();
    setShown(next);
  };
  return (
    <div
      ref={place}
      className={classes.passPlot}
      role="slider"
      tabIndex={0}
      aria-label="k"
      aria-valuemin={1}
      aria-valuemax={most}
      aria-valuenow={k}
      aria-valuetext={`pass@${k}: ${inWords}`}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => setShown(null)}
      onFocus={() => setShown((one) => one ?? 1)}
      onBlur={() => setShown(null)}
      onKeyDown={press}
    >
      {size !== null && plot !== null && (
        <>
          <Curves curves={curves} most={most} size={size} plot={plot} />
          {shown !== null && <AtK curves={curves} k={k} plot={plot} />}
        </>
      )}
    </div>
  );
}
