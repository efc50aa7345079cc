/** The loop and the words of the page, for a first visit. */
import type { ReactNode } from 'react';
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

const WORDS: readonly (readonly [string, string])[] = [
  [
    'Reward',
    'The score of one answer, by the rule of its task. There is only something to learn if good answers score higher than bad ones.',
  ],
  [
    'Advantage',
    'Reward minus the expected reward: the mean of all answers to the same problem (GRPO), or a baseline over many problems (REINFORCE). An answer with advantage zero teaches nothing.',
  ],
  ['Accuracy', 'The share of answers whose result is correct, without partial credit.'],
  [
    'Format',
    'The share of answers in the requested form, such as a tag before the result, so that a program can find it.',
  ],
  [
    'KL',
    'How differently the model now rates its tokens than at the start of the run, per token. Slow growth is normal; a sudden jump often means trouble.',
  ],
  [
    'Sampler and trainer',
    'Generators sample with weights that may be a little older, or computed a little differently, than those being trained. Up to a KL of 0.01 between the two a run is stable, in Tinker’s experience.',
  ],
  [
    'Loss',
    'The formula that each update minimises. Every loss makes good answers more likely; they differ in how far one batch can move the model, and in how much long answers count.',
  ],
  [
    'Entropy',
    'How uncertain the model is about the next token. It falls as the model becomes more certain. At zero all answers are the same and learning stops.',
  ],
  ['Rollout', 'One sampled answer together with its tokens, their log-probabilities and its reward.'],
  [
    'Collapse',
    'A run that became worse: an update was too large, or the model found a shortcut to a high reward.',
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
        {WORDS.map(([word, meaning]) => (
          <li key={word}>
            <b>{word}:</b> {meaning}
          </li>
        ))}
      </ul>
    </div>
  );
}
