/** Where values stand in a chart, in pixels. */
import type { Size } from '../ui/useSize.ts';
import type { Domain } from './domains.ts';

/** Pixels of what stands at a value. */
export type Scale = (value: number) => number;

/** Pixels between the plot and the edges of a chart: half of the last label of the steps stands beyond them. */
const ABOVE = 8;
const BELOW = 24;
const BESIDE = 52;
const RIGHT = 14;

interface Axis {
  readonly domain: Domain;
}

interface Axes {
  readonly left: Axis;
  readonly right?: Axis;
  /** The left one, where it is logarithmic. */
  readonly log: Axis | null;
}

/** The part of a chart that holds its curves, and the scales of its axes. */
export interface Plot extends Size {
  readonly x: number;
  readonly y: number;
  readonly step: Scale;
  readonly left: Scale;
  /** Null without a second vertical axis. */
  readonly right: Scale | null;
}

/** From the ends of an axis to two positions; what lies beyond them goes on. All values stand in the middle of an axis that has one alone. */
function scaleOf(domain: Domain, from: number, to: number, isLog = false): Scale {
  const onAxis = (value: number): number => (isLog ? Math.log(value) : value);
  const [low, high] = [onAxis(domain[0]), onAxis(domain[1])];
  if (low === high) return () => (from + to) / 2;
  return (value) => from + ((onAxis(value) - low) / (high - low)) * (to - from);
}

/** `isLogBelow`: the horizontal axis is logarithmic. */
export function plotOf(
  { width, height }: Size,
  steps: Domain,
  { left, right, log }: Axes,
  isLogBelow = false,
): Plot {
  const area = {
    x: BESIDE,
    y: ABOVE,
    width: width - BESIDE - (right === undefined ? RIGHT : BESIDE),
    height: height - ABOVE - BELOW,
  };
  const bottom = area.y + area.height;
  return {
    ...area,
    step: scaleOf(steps, area.x, area.x + area.width, isLogBelow),
    left: scaleOf(left.domain, bottom, area.y, log !== null),
    right: right === undefined ? null : scaleOf(right.domain, bottom, area.y),
  };
}

/** Of a curve, by its place in the chart: all but the first stand on the right axis, where there is one. */
export const scaleOfCurve = ({ left, right }: Plot, index: number): Scale =>
  index > 0 ? (right ?? left) : left;

/** A tenth of a pixel is enough. */
export const pixel = (value: number): string => String(Math.round(value * 10) / 10);
