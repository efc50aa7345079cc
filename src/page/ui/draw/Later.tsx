/** What lies below the first view: drawn when the model is loaded, so that nothing of it keeps the visitor waiting. */
import { Suspense, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { create } from 'zustand';

const useTime = create(() => ({ isTime: false }));

/** Draws what waits, and from now on everything at once. */
export function drawTheRest(): void {
  flushSync(() => useTime.setState({ isTime: true }));
}

export function Later({ children }: { readonly children: ReactNode }): ReactNode {
  const { isTime } = useTime();
  return isTime ? <Suspense>{children}</Suspense> : null;
}
