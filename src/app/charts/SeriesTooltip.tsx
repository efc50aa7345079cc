import type { ReactNode } from 'react';
import type { SeriesRow } from './seriesRows.ts';
import type { SeriesChart } from './specs/spec.ts';
import { TooltipBox, type TooltipContent } from './TooltipBox.tsx';

/** The values of all curves under the crosshair. */
export function SeriesTooltip({
  chart,
  active,
  payload,
}: TooltipContent<SeriesRow> & { readonly chart: SeriesChart }): ReactNode {
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  const lines = chart.curves.map(
    ({ name }, index) => [name, chart.format(row.values[index] ?? null)] as const,
  );
  return <TooltipBox title={`Step ${row.step}`} lines={lines} />;
}
