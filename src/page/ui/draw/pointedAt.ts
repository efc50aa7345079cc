import type { MouseEvent } from 'react';

/**
 * For what follows the mouse and is walked by keyboard, too: `point` where the mouse itself has moved. A browser also says that it is over
 * something else when that was scrolled beneath it, as the keyboard does, and would take the place that was just walked to.
 */
export const pointedAt =
  (point: () => void) =>
  ({ movementX, movementY }: MouseEvent): void => {
    if (movementX !== 0 || movementY !== 0) point();
  };
