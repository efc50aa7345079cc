import type { ReactNode } from 'react';
import type { Reward, StopReason } from '../../tasks/types.ts';
import { plural } from '../../base/text.ts';
import { signed } from '../format/format.ts';
import type { DistinctAnswer, ProblemGroup } from './rolloutGroups.ts';
import { CompletionText } from './CompletionText.tsx';
import { RewardBadge } from './RewardBadge.tsx';
import classes from './rollouts.module.css';

const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  eos: 'ended itself',
  stop: 'stop string',
  max_tokens: 'cut: token limit',
  error: 'generator failed',
};

/** Right, and paid for it: a right answer in the wrong form may earn nothing, a wrong one something for its form. */
function earned({ correct, total }: Reward): boolean {
  return correct && total > 0;
}

function Answer({ rollout, times }: DistinctAnswer): ReactNode {
  const { reward } = rollout;
  return (
    <li className={classes.answer} data-correct={reward.correct} data-format={reward.format}>
      <RewardBadge total={reward.total} good={earned(reward)} />
      <CompletionText text={rollout.text} />
      <span className={classes.fact}>
        {times > 1 && (
          <b className="number" title={`${times} answers read the same`}>
            ×{times}
          </b>
        )}
      </span>
      <span className={classes.fact}>
        read{' '}
        <b className="number" data-testid="extracted">
          {reward.extracted ?? 'nothing'}
        </b>
      </span>
      {reward.error !== undefined && <span className={classes.failure}>{reward.error}</span>}
      <span className={classes.fact}>
        advantage <b className="number">{signed(rollout.advantage, 2)}</b>
      </span>
      <span className={classes.fact}>
        {plural(rollout.tokens.length, 'token')}, {STOP_WORDS[rollout.stopReason]}
      </span>
    </li>
  );
}

/** One problem: its question and true answer, how its rollouts did at a glance, and some of them in full. */
export function ProblemCard({ group }: { group: ProblemGroup }): ReactNode {
  const good = group.all.filter(({ reward }) => earned(reward)).length;
  return (
    <article className={classes.problem}>
      <header className={classes.question}>
        <span className={classes.asked}>{group.question}</span>
        <span className={classes.truth}>
          true answer <b className="number">{group.answer}</b>
        </span>
        <span className={classes.tally}>
          <span className={classes.cells} aria-hidden="true">
            {group.all.map((rollout, index) => (
              <span key={index} className={earned(rollout.reward) ? classes.cellGood : classes.cellBad} />
            ))}
          </span>
          {good} of {group.all.length} good
        </span>
      </header>
      <ul className={classes.answers}>
        {group.shown.map((answer, index) => (
          <Answer key={index} {...answer} />
        ))}
      </ul>
    </article>
  );
}
