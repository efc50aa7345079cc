/** What lies below the first view: drawn when the model is loaded, so that nothing of it keeps the visitor waiting. */
import { Suspense, type ReactNode } from 'react';
import { useOpen } from '../open/openStore.ts';

export function Later({ children }: { readonly children: ReactNode }): ReactNode {
  const isTime = useOpen(({ restDrawn }) => restDrawn);
  return isTime ? <Suspense>{children}</Suspense> : null;
}
