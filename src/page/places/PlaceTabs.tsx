/** The tabs of the page's places, of which one is shown. A place that was left keeps what was typed and opened in it. */
import { Tabs } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { isPlace, PLACES, type Place } from '../ui/open/placeNames.ts';
import { beginAt, showPlace, useOpen } from '../ui/open/openStore.ts';
import classes from './places.module.css';

interface PlaceTabsProps {
  readonly places: readonly Place[];
  readonly children: ReactNode;
}

export function PlaceTabs({ places, children }: PlaceTabsProps): ReactNode {
  const place = useOpen((state) => state.place);
  const go = (value: string | null): void => {
    if (value === null || !isPlace(value)) return;
    showPlace(value);
    window.scrollTo(0, 0);
  };
  return (
    <Tabs id="place" value={place} onChange={go} variant="none" className={classes.root} data-place={place}>
      <nav className={classes.tabs} aria-label="Places">
        <Tabs.List className={classes.list} aria-label="Places of the page">
          {places.map((each) => (
            <Tabs.Tab key={each} value={each} className={classes.tab} data-testid={`place-${each}`}>
              {PLACES[each].title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </nav>
      {children}
    </Tabs>
  );
}

/** A place is first drawn when it is first shown. Train is drawn from the start, because other places lead to its settings. */
export function PlacePanel({ place, children }: { place: Place; children: ReactNode }): ReactNode {
  const shown = useOpen((state) => state.place === place);
  const [drawn, setDrawn] = useState(shown || place === 'train');
  if (shown && !drawn) setDrawn(true);
  return (
    <Tabs.Panel value={place} className={classes.panel}>
      {drawn && children}
    </Tabs.Panel>
  );
}

/** Shows Train where the link that opened the page leaves out the place that it names. */
export function useShownPlace(places: readonly Place[]): void {
  const lost = useOpen((state) => !places.includes(state.place));
  useEffect(() => {
    if (lost) beginAt('train');
  }, [lost]);
}
