import { Suspense, useMemo, type ReactNode } from 'react';
import { glossed } from '../text/glossary.ts';
import { lazyPart } from '../draw/lazyPart.tsx';
import classes from './Glossed.module.css';

const Hint = lazyPart(async () => (await import('./Hint.tsx')).Hint);

/** A term with its meaning on hover, focus and touch. */
function Term({ text, meaning }: { readonly text: string; readonly meaning: string }): ReactNode {
  const mark = (
    <button type="button" className={classes.term} aria-label={`${text}: ${meaning}`}>
      {text}
    </button>
  );
  return (
    <Suspense fallback={mark}>
      <Hint label={meaning} width={260}>
        {mark}
      </Hint>
    </Suspense>
  );
}

/** A text whose terms of the field can be looked up where they stand. */
export function Glossed({ text }: { readonly text: string }): ReactNode {
  const parts = useMemo(() => glossed(text), [text]);
  return parts.map((part, index) =>
    part.meaning === null ? part.text : <Term key={index} text={part.text} meaning={part.meaning} />,
  );
}
