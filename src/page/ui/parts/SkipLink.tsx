import type { MouseEvent, ReactNode } from 'react';
import { MAIN, showMain } from '../open/places.ts';
import classes from './SkipLink.module.css';

/** The first stop of the keyboard, which leads past the settings. */
export function SkipLink(): ReactNode {
  const skip = (event: MouseEvent): void => {
    // The address is for settings.
    event.preventDefault();
    showMain();
  };
  return (
    <a href={`#${MAIN}`} className={classes.skip} onClick={skip}>
      Skip to the charts
    </a>
  );
}
