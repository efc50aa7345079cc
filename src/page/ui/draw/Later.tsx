/** The parts below the first view, which are drawn when the model is loaded. */
import type { ReactNode } from 'react';
import { useOpen } from '../open/openStore.ts';

export function Later({ children }: { readonly children: ReactNode }): ReactNode {
  const isTime = useOpen(({ restDrawn }) => restDrawn);
  return isTime && children;
}
