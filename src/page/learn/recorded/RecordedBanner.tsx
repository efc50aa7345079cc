import type { ReactNode } from 'react';
import { clock, percent } from '../../ui/text/format.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { hideRecorded, recorded } from './play.ts';

/** A banner that tells which recorded run the charts show. */
export function RecordedBanner(): ReactNode {
  const shown = useCharts((state) => state.recorded !== null);
  if (!shown) return null;
  const { seconds, device, date, evaluations } = recorded;
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  return (
    <aside className="note row" aria-label="Recorded run" data-testid="recorded">
      <span>
        <b>Recorded run</b>{' '}
        <span className="quiet">
          of {date}, {device}: {percent(first?.[2])} → {percent(last?.[2])} right in {clock(seconds)}. Press
          Train for a run of your own.
        </span>
      </span>
      <ActionButton size="compact-xs" variant="subtle" usable onClick={hideRecorded}>
        Hide
      </ActionButton>
    </aside>
  );
}
