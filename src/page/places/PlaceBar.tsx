/** The heading of the place that is shown, with what it is for or, where there is one, the newest notice: a bar that keeps its height. */
import type { ReactNode } from 'react';
import { AlarmBody, AlarmButton } from './alarmParts.tsx';
import { Notices, useNotices } from '../run/notices/Notices.tsx';
import { lazyPart } from '../ui/draw/lazyPart.tsx';
import { useIsOpen, useOpen } from '../ui/open/openStore.ts';
import { PLACES } from '../ui/open/placeNames.ts';
import classes from './places.module.css';

const KeptOffer = lazyPart(async () => (await import('../keep/list/KeptOffer.tsx')).KeptOffer);

export function PlaceBar(): ReactNode {
  const { title, what } = PLACES[useOpen((state) => state.place)];
  const offered = useIsOpen('keptOffer');
  const notices = useNotices();
  return (
    <div className={classes.bar}>
      <h2>{title}</h2>
      {notices.length === 0 && (offered ? <KeptOffer /> : <p>{what}</p>)}
      <Notices notices={notices} AlarmBody={AlarmBody} AlarmButton={AlarmButton} />
    </div>
  );
}
