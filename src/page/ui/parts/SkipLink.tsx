import type { MouseEvent, ReactNode } from 'react';
import classes from '../../run/header/header.module.css';

/** The id of what the page is about. */
export const MAIN = 'charts';

/** The first stop of the keyboard: past the settings. */
export function SkipLink(): ReactNode {
  const skip = (event: MouseEvent): void => {
    // The address is for settings.
    event.preventDefault();
    const main = document.getElementById(MAIN);
    main?.scrollIntoView({ block: 'start' });
    main?.focus({ preventScroll: true });
  };
  return (
    <a href={`#${MAIN}`} className={classes.skip} onClick={skip}>
      Skip to the charts
    </a>
  );
}
