/** Where values stand in a chart of recharts, for what is drawn inside it. */
import { useXAxisScale, useYAxisScale } from 'recharts';

/** Pixels of what stands at a position. */
export type Scale = (value: number) => number;

/** The scales of recharts' axes; null until it has measured its panel. */
export function useScales(axis: number | string): { readonly x: Scale; readonly y: Scale } | null {
  const x = useXAxisScale();
  const y = useYAxisScale(axis);
  if (x === undefined || y === undefined) return null;
  return { x: (value) => Number(x(value)), y: (value) => Number(y(value)) };
}

/** A tenth of a pixel is enough. */
export const pixel = (value: number): string => String(Math.round(value * 10) / 10);
