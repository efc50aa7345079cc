import type { ReactNode } from 'react';
import type { EvalSample } from '../../rl/loop/evaluate.ts';
import { CheckIcon, CrossIcon } from '../icons.tsx';
import { matchesFilter } from './rolloutGroups.ts';
import type { RolloutFilter } from './rolloutGroups.ts';
import { useApp } from '../store.ts';
import { CompletionText } from './CompletionText.tsx';
import classes from './rollouts.module.css';

const SHOWN = 12;

function Sample({ sample }: { sample: EvalSample }): ReactNode {
  return (
    <article className={classes.problem}>
      <header className={classes.question}>
        <span className={classes.asked}>{sample.question}</span>
        <span className={classes.truth}>
          true answer <b className="number">{sample.answer}</b>
        </span>
      </header>
      <ul className={classes.answers}>
        <li className={classes.answer} data-correct={sample.correct} data-format={sample.format}>
          <span className={`${classes.badge} ${sample.correct ? classes.good : classes.bad}`}>
            {sample.correct ? <CheckIcon /> : <CrossIcon />} {sample.correct ? 'right' : 'wrong'}
          </span>
          <CompletionText text={sample.text} />
          <span className={classes.fact} />
          <span className={classes.fact}>
            read <b className="number">{sample.extracted ?? 'nothing'}</b>
          </span>
          <span className={classes.fact}>{sample.format ? 'form kept' : 'form missed'}</span>
        </li>
      </ul>
    </article>
  );
}

/** Answers of the latest evaluation. */
export function EvalSamples({ filter }: { filter: RolloutFilter }): ReactNode {
  const evaluation = useApp((state) => state.snapshot.evaluations.at(-1));
  if (evaluation === undefined) {
    return (
      <p className={classes.waiting}>
        After each evaluation this list shows how the model answered problems that it is never trained on.
      </p>
    );
  }
  const matching = evaluation.samples.filter((sample) => matchesFilter(sample, filter));
  if (matching.length === 0) {
    return <p className={classes.waiting}>No answer of this evaluation matches the filter.</p>;
  }
  return (
    <>
      {matching.slice(0, SHOWN).map((sample, index) => (
        <Sample key={index} sample={sample} />
      ))}
      <div className={classes.footer}>
        {Math.min(SHOWN, matching.length)} of {matching.length} answers shown
      </div>
    </>
  );
}
