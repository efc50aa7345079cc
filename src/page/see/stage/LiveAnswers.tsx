/** Three answers to one problem of the latest step, each with what it earned and why. */
import { useMemo, type ReactNode } from 'react';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { ModelPrompt } from '../rollouts/ModelPrompt.tsx';
import { earned, RewardBadge } from '../rollouts/ProblemCard.tsx';
import { RewardReason } from '../rollouts/RewardReason.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { evaluatedAnswers, tellingAnswers, type ShownAnswer } from './tellingAnswers.ts';
import classes from './stage.module.css';

function Answer({ asked, text, reward, correct }: ShownAnswer): ReactNode {
  return (
    <li className={classes.answer} data-correct={correct}>
      <RewardBadge total={reward.total} good={earned(correct, reward.total)} />
      <div className={classes.said}>
        {asked !== undefined && <span className={classes.asked}>{asked} </span>}
        <CompletionText text={text} />
      </div>
      <RewardReason reward={reward} />
    </li>
  );
}

export function LiveAnswers(): ReactNode {
  const rollouts = useRun((state) => state.snapshot.rollouts);
  const step = useRun((state) => state.snapshot.metrics.at(-1)?.step);
  const evaluation = useRun((state) => state.snapshot.evaluations.at(-1));
  const shown = useMemo(
    () => tellingAnswers(rollouts) ?? evaluatedAnswers(evaluation?.samples ?? []),
    [rollouts, evaluation],
  );
  const trained = rollouts.length > 0;
  return (
    <figure
      className={`panel ${classes.answers}`}
      aria-label="Answers of the model"
      data-testid="live-answers"
    >
      <figcaption className={classes.caption}>
        <span className="panel-title">Answers</span>
        <span className="quiet">
          {shown === null
            ? 'what the model writes, and the reward for it'
            : trained
              ? `to one problem of step ${step ?? 0}`
              : 'to held-out problems, before training'}
        </span>
        {shown?.asked && (
          <div className={classes.prompt}>
            <ModelPrompt ids={shown.asked.promptIds} name="Prompt" />
          </div>
        )}
      </figcaption>
      {shown === null ? (
        <p className={classes.waiting}>
          Three answers will appear here, each with its reward and the reason for it.
        </p>
      ) : (
        <>
          {shown.asked !== null && (
            <p className={classes.question}>
              <span className={classes.asked}>{shown.asked.question}</span>{' '}
              <span className="quiet">
                true answer <b className="number">{shown.asked.truth}</b>
              </span>
            </p>
          )}
          <ul className={classes.list}>
            {shown.answers.map((answer, index) => (
              <Answer key={index} {...answer} />
            ))}
          </ul>
        </>
      )}
    </figure>
  );
}
