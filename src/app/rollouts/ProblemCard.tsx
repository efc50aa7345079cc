import type { ReactNode } from 'react';
import type { ScoredRollout } from '../../rl/types.ts';
import type { StopReason } from '../../tasks/types.ts';
import { plural, signed } from '../lib/format.ts';
import type { ProblemGroup } from '../lib/rolloutGroups.ts';
import { CompletionText } from './CompletionText.tsx';
import { RewardBadge } from './RewardBadge.tsx';
import classes from './rollouts.module.css';

const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  eos: 'ended itself',
  stop: 'stop string',
  max_tokens: 'cut: token limit',
  error: 'generator failed',
};

function Answer({ rollout }: { rollout: ScoredRollout }): ReactNode {
  const { reward } = rollout;
  return (
    <li className={classes.answer} data-correct={reward.correct} data-format={reward.format}>
      <RewardBadge total={reward.total} good={reward.total > 0} />
      <CompletionText text={rollout.text} />
      <span className={classes.facts}>
        <span>
          read{' '}
          <b className="number" data-testid="extracted">
            {reward.extracted ?? 'nothing'}
          </b>
        </span>
        <span>
          advantage <b className="number">{signed(rollout.advantage, 2)}</b>
        </span>
        <span>
          {plural(rollout.tokens.length, 'token')}, {STOP_WORDS[rollout.stopReason]}
        </span>
      </span>
    </li>
  );
}

/** One problem: its question and true answer, how its rollouts did at a glance, and some of them in full. */
export function ProblemCard({ group }: { group: ProblemGroup }): ReactNode {
  const correct = group.all.filter((rollout) => rollout.reward.correct).length;
  return (
    <article className={classes.problem}>
      <header className={classes.question}>
        <span className={classes.asked}>{group.question}</span>
        <span className={classes.truth}>
          true answer <b className="number">{group.answer}</b>
        </span>
        <span className={classes.tally} title={`${correct} of ${group.all.length} correct`}>
          <span className={classes.cells} aria-hidden="true">
            {group.all.map((rollout, index) => (
              <span key={index} className={rollout.reward.total > 0 ? classes.cellGood : classes.cellBad} />
            ))}
          </span>
          {correct} of {group.all.length} correct
        </span>
      </header>
      <ul className={classes.answers}>
        {group.shown.map((rollout, index) => (
          <Answer key={index} rollout={rollout} />
        ))}
      </ul>
    </article>
  );
}
