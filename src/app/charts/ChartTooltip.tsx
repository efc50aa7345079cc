import type { ReactNode } from 'react';
import type { ChartRow } from './series.ts';
import type { ChartSpec } from './chartSpecs.ts';
import { TooltipBox, type TooltipContent } from './TooltipBox.tsx';

/** The values of one metric under the crosshair. */
export function ChartTooltip({
  spec,
  active,
  payload,
}: TooltipContent<ChartRow> & { readonly spec: Omit<ChartSpec, 'value'> }): ReactNode {
  const row = payload?.[0]?.payload;
  if (active !== true || row === undefined) return null;
  const values = [
    ['this step', row.raw],
    ['smoothed', row.smooth],
    ['held-out', row.evaluation],
  ] as const;
  return (
    <TooltipBox
      title={row.step < 0 ? 'Warm-up' : `Step ${row.step}`}
      lines={values.flatMap(([name, value]) =>
        value === undefined ? [] : [[name, spec.format(value)] as const],
      )}
    />
  );
}
