/** What is on the screen, or nearly so: one observer for all parts of the page. */
import { startTransition, useEffect, useState, type RefObject } from 'react';

/** How far above and below the screen a part is drawn already, so that none is seen to catch up. */
const NEAR = '200px 0px';

const listeners = new Map<Element, (isNear: boolean) => void>();
let observer: IntersectionObserver | null = null;

function follow(element: Element, listener: (isNear: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    { rootMargin: NEAR },
  );
  listeners.set(element, listener);
  observer.observe(element);
  return () => {
    listeners.delete(element);
    observer?.unobserve(element);
  };
}

/** False until the browser has said so. */
export function useOnScreen(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    // Drawn in slices: several parts come near the screen at once.
    return element === null ? undefined : follow(element, (near) => startTransition(() => setNear(near)));
  }, [place]);
  return isNear;
}

/**
 * `newest`; while `place` is away from the screen, what was shown there last, as long as that `mayStay`: for what takes milliseconds to be
 * drawn, and changes with each step of a run.
 */
export function useWhileSeen<T>(
  place: RefObject<HTMLElement | null>,
  newest: T,
  mayStay: (shown: T) => boolean,
): T {
  const onScreen = useOnScreen(place);
  const [shown, setShown] = useState(newest);
  if (!onScreen && mayStay(shown)) return shown;
  if (shown !== newest) setShown(newest);
  return newest;
}
