import type { MouseEvent } from 'react';

/** Calls `point` where the mouse itself has moved. A browser also reports the mouse over an element that was scrolled beneath it by keyboard. */
export const pointedAt =
  (point: () => void) =>
  ({ movementX, movementY }: MouseEvent): void => {
    if (movementX !== 0 || movementY !== 0) point();
  };
