/** The words of the page, for a first visit. */
import type { ReactNode } from 'react';
import { FIRST_WORDS, meaningOf } from './glossary.ts';
import boxes from '../../ui/style/boxes.module.css';

export function Explainer(): ReactNode {
  return (
    <ul className={`plain ${boxes.cards} ${boxes.wide}`}>
      {FIRST_WORDS.map((word) => (
        <li key={word}>
          <b>{word}:</b> {meaningOf(word)}
        </li>
      ))}
    </ul>
  );
}
