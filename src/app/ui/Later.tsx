/** What lies below the first view: drawn when Train can be pressed, one part after the other, so that nothing of it keeps the visitor waiting. */
import { startTransition, Suspense, useEffect, useState, type ReactNode } from 'react';
import { breathe } from '../../backend/eventLoop.ts';

/** In the order in which they stand on the page. */
const waiting = new Set<() => void>();
let isTime = false;

/** Draws what waits, and from now on everything at once. Each part in slices, and in a task of its own. */
export async function drawTheRest(): Promise<void> {
  isTime = true;
  for (const show of waiting) {
    startTransition(show);
    await breathe();
  }
}

export function Later({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState(isTime);
  useEffect(() => {
    if (shown) return undefined;
    const show = (): void => setShown(true);
    waiting.add(show);
    if (isTime) startTransition(show);
    return () => void waiting.delete(show);
  }, [shown]);
  return shown ? <Suspense>{children}</Suspense> : null;
}
