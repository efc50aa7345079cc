/** What lies below the first view: drawn when the model is loaded, one part after the other, so that nothing of it keeps the visitor waiting. */
import { startTransition, Suspense, useEffect, useState, type ReactNode } from 'react';
import { whenIdle } from './lazyPart.tsx';

/** In the order in which they stand on the page; each resolves when its part is drawn. */
const waiting = new Set<() => Promise<void>>();
let isTime = false;

/** Draws what waits, and from now on everything at once. Each part in slices, and when there is nothing else to do. */
export async function drawTheRest(): Promise<void> {
  isTime = true;
  for (const show of waiting) {
    await whenIdle();
    await show();
  }
}

export function Later({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState(isTime);
  useEffect(() => {
    if (shown) return undefined;
    let isDrawn = (): void => undefined;
    // One for all who ask: a slow connection's patience may end while the rest is drawn already.
    const drawn = new Promise<void>((resolve) => {
      isDrawn = resolve;
    });
    const show = (): Promise<void> => {
      startTransition(() => setShown(true));
      return drawn;
    };
    waiting.add(show);
    if (isTime) void show();
    return () => {
      waiting.delete(show);
      isDrawn();
    };
  }, [shown]);
  return shown ? <Suspense>{children}</Suspense> : null;
}
