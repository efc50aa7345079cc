/** Answers of the latest step, each with its reward and the reason for it. */
import { type ReactNode, useMemo } from 'react';
import classes from './stage.module.css';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { ModelPrompt } from '../rollouts/ModelPrompt.tsx';
import { Asked, earned, RewardBadge } from '../rollouts/ProblemCard.tsx';
import { RewardReason } from '../rollouts/RewardReason.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { evaluatedAnswers, judgedPart, tellingAnswers, type ShownAnswer } from './tellingAnswers.ts';

/** An answer with its reward and the reason for it. */
export function Answer({ asked, text, read, reward, correct }: ShownAnswer): ReactNode {
  return (
    <li className={classes.answer} data-correct={correct}>
      <RewardBadge total={reward.total} good={earned(correct, reward.total)} />
      <div className={classes.said}>
        {asked !== undefined && <b>{asked} </b>}
        <CompletionText text={judgedPart(text, read)} />
      </div>
      <RewardReason reward={reward} />
    </li>
  );
}

/** Draws answers of the latest step and, before there are any, `idle`. */
export function LiveAnswers({ idle }: { readonly idle: ReactNode }): ReactNode {
  const rollouts = useRun((state) => state.snapshot.rollouts);
  const step = useRun((state) => state.snapshot.metrics.at(-1)?.step);
  const evaluation = useRun((state) => state.snapshot.evaluations.at(-1));
  const evaluating = useRun((state) => state.snapshot.evaluating);
  const shown = useMemo(
    () =>
      tellingAnswers(rollouts) ??
      evaluatedAnswers(evaluating.length > 0 ? evaluating : (evaluation?.samples ?? [])),
    [rollouts, evaluation, evaluating],
  );
  const trained = rollouts.length > 0;
  return (
    <figure
      className={`panel padded stack close ${classes.answers}`}
      aria-label="Answers of the model"
      data-testid="live-answers"
    >
      <figcaption className="row">
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
        (idle ?? (
          <p className="quiet">Three answers will appear here, each with its reward and the reason for it.</p>
        ))
      ) : (
        <>
          {shown.asked !== null && (
            <p className="note">
              <Asked question={shown.asked.question} answer={shown.asked.truth} />
            </p>
          )}
          <ul className="plain">
            {shown.answers.map((answer, index) => (
              <Answer key={index} {...answer} />
            ))}
          </ul>
        </>
      )}
    </figure>
  );
}
