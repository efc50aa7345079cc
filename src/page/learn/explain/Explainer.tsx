/** The words of the page, for a first visit. */
import type { ReactNode } from 'react';
import { FIRST_WORDS, meaningOf } from './glossary.ts';
import classes from './explain.module.css';

export function Explainer(): ReactNode {
  return (
    <ul className={`plain ${classes.words}`}>
      {FIRST_WORDS.map((word) => (
        <li key={word}>
          <b>{word}:</b> {meaningOf(word)}
        </li>
      ))}
    </ul>
  );
}
