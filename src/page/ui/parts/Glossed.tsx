import { useMemo, type ReactNode } from 'react';
import { glossed } from '../text/glossary.ts';
import { Hinted } from './InfoMark.tsx';
import classes from './InfoMark.module.css';

/** A text in which each term of the field shows its meaning on hover, focus and touch. */
export function Glossed({ text }: { readonly text: string }): ReactNode {
  const parts = useMemo(() => glossed(text), [text]);
  return parts.map((part, index) =>
    part.meaning === null ? (
      part.text
    ) : (
      <Hinted key={index} label={part.meaning}>
        <button
          type="button"
          className={`bare ${classes.term}`}
          data-short={part.text.length <= 2}
          aria-label={`${part.text}: ${part.meaning}`}
        >
          {part.text}
        </button>
      </Hinted>
    ),
  );
}
