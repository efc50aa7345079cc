import type { ReactNode } from 'react';
import { plural } from '../../base/text.ts';
import { useApp } from '../store.ts';
import { CompletionText } from './CompletionText.tsx';
import classes from './rollouts.module.css';

/** The prompt to the token, special tokens written out: what stands in front of the answer for the model. */
export function ModelPrompt({ ids }: { ids: readonly number[] }): ReactNode {
  const controller = useApp((state) => state.controller);
  const text = controller?.promptText(ids) ?? '';
  if (text === '') return null;
  return (
    <details className={classes.prompt}>
      <summary>As the model sees it, {plural(ids.length, 'token')}</summary>
      <CompletionText text={text} />
    </details>
  );
}
