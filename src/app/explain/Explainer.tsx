/** The loop and the words on the page, for someone who meets them for the first time. */
import type { ReactNode } from 'react';
import classes from './explain.module.css';

const STEPS: readonly (readonly [string, string])[] = [
  [
    'Ask.',
    'The task draws a few problems whose answers it knows. Problems used for evaluation are kept apart: training never sees them.',
  ],
  [
    'Answer.',
    'Generators, each in a thread of its own, write several answers per problem. They pick each next token by chance, as likely as the model finds it, so answers differ.',
  ],
  [
    'Score.',
    'A short rule reads the result out of each answer and checks it. An answer’s advantage is its reward minus what was to be expected.',
  ],
  [
    'Update.',
    'The trainer nudges the weights: tokens of answers above expectation become a little likelier, those below a little rarer. The generators get the new weights, and it starts again.',
  ],
];

const WORDS: readonly (readonly [string, string])[] = [
  ['Reward', 'The score of one answer, by the rule of its task; the good and the bad must differ in it.'],
  [
    'Advantage',
    'Reward minus expectation: minus the mean of all answers to the same problem (GRPO), or a baseline over many (REINFORCE). Zero means: nothing to learn from this one.',
  ],
  ['Accuracy', 'The share of answers whose result is right; no credit for half of it.'],
  [
    'Format',
    'The share of answers in the form that was asked for, such as a tag around the result, so that a program can find it.',
  ],
  [
    'KL',
    'How differently the model now rates its tokens than at the start of the run, per token. Slow growth is learning; a sudden jump often is trouble.',
  ],
  [
    'Sampler and trainer',
    'Generators sample with weights that may be a little older, or computed a little differently, than those being trained. Up to a KL of 0.01 between the two a run is stable, in Tinker’s experience.',
  ],
  [
    'Loss',
    'What an update makes smaller. All of them make good answers likelier; they differ in how far one batch may push, and in how much long answers count.',
  ],
  [
    'Entropy',
    'How undecided the model is about the next token. It falls as the model gets sure. At zero all answers are the same and learning ends.',
  ],
  ['Rollout', 'One sampled answer together with its tokens, their log-probabilities and its reward.'],
  ['Collapse', 'A run that got worse than it was: the update pushed too hard, or a shortcut paid off.'],
];

export function Explainer(): ReactNode {
  return (
    <div className={classes.explainer}>
      <ol className={classes.steps}>
        {STEPS.map(([verb, text]) => (
          <li key={verb}>
            <b>{verb}</b> {text}
          </li>
        ))}
      </ol>
      <dl className={classes.glossary}>
        {WORDS.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
