/** The loop and the words of the page, for a first visit. */
import type { ReactNode } from 'react';
import { FIRST_WORDS, meaningOf } from '../lessons/glossary.ts';
import classes from './explain.module.css';

const STEPS: readonly (readonly [string, string])[] = [
  [
    'Ask.',
    'The task chooses a few problems whose answers it knows. Problems used for evaluation are kept apart: training never sees them.',
  ],
  [
    'Answer.',
    'Generators, each in a thread of its own, write several answers per problem. They sample each next token with the probability that the model gives it, so answers differ.',
  ],
  [
    'Score.',
    'A short program reads the result from each answer and checks it. An answer’s advantage is its reward minus the expected reward.',
  ],
  [
    'Update.',
    'The trainer changes the weights: tokens of answers above expectation become a little more likely, those below a little less likely. The generators get the new weights, and the next step begins.',
  ],
];

export function Explainer(): ReactNode {
  return (
    <div className={classes.explainer}>
      <ol className="stack">
        {STEPS.map(([verb, text]) => (
          <li key={verb}>
            <b>{verb}</b> {text}
          </li>
        ))}
      </ol>
      <ul className="plain stack">
        {FIRST_WORDS.map((word) => (
          <li key={word}>
            <b>{word}:</b> {meaningOf(word)}
          </li>
        ))}
      </ul>
    </div>
  );
}
