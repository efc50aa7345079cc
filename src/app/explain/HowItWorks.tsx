/** The loop of a step: in a strip with the numbers of the latest, and explained with the words of this page. */
import type { ReactNode } from 'react';
import { compact, count, percent, signed } from '../format/format.ts';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import classes from './explain.module.css';

/** The loop in four words each, with the numbers of the step that was just made. */
function LoopStrip(): ReactNode {
  const last = useApp((state) => state.snapshot.metrics.at(-1));
  const rollouts = useApp((state) => state.snapshot.rollouts);
  const question = rollouts[0]?.question;
  const right = rollouts.filter((rollout) => rollout.reward.correct).length;
  const stages = [
    { verb: 'Ask', what: 'A problem with a known answer is drawn', now: question ?? null },
    {
      verb: 'Answer',
      what: 'The model tries it several times, by chance',
      now: rollouts.length > 0 ? `${count(rollouts.length)} answers, ${count(right)} right` : null,
    },
    {
      verb: 'Score',
      what: 'A rule, no human, gives each answer a reward',
      now: last === undefined ? null : `mean ${signed(last.reward)}, form ${percent(last.format, 0)}`,
    },
    {
      verb: 'Update',
      what: 'Better than expected gets likelier, worse rarer',
      now: last === undefined ? null : `step ${last.step}, moved ${compact(last.kl)} nats`,
    },
  ];
  return (
    <ol className={classes.strip} aria-label="One training step">
      {stages.map((stage, index) => (
        <li key={stage.verb} className={classes.stage}>
          <span className={classes.verb}>
            <span className={`number ${classes.ordinal}`} aria-hidden="true">
              {index + 1}
            </span>
            {stage.verb}
          </span>
          <span className={classes.what}>{stage.what}</span>
          {stage.now !== null && <span className={`number ${classes.now}`}>{stage.now}</span>}
        </li>
      ))}
    </ol>
  );
}

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

/** The loop and its words for someone who meets them for the first time. */
function Explainer(): ReactNode {
  return (
    <div className={classes.more}>
      <Fold title="What is happening?" note="the loop in four steps, and the words on this page">
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
      </Fold>
    </div>
  );
}

export function HowItWorks(): ReactNode {
  return (
    <section className="panel" aria-label="How it works">
      <LoopStrip />
      <Explainer />
    </section>
  );
}
