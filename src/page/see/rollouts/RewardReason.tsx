/** The reason for a reward. */
import type { ReactNode } from 'react';
import type { Reward } from '@rl-playground/tasks/parts';
import { signed } from '../../ui/text/format.ts';
import classes from './rollouts.module.css';

const amount = (value: number): string => signed(value, Number.isInteger(value) ? 0 : 2);

/** The parts of a reward with their sum: `+1`, `−2`, `= −1`. A single part is the reward itself. */
export function rewardTerms({ parts, total }: Pick<Reward, 'parts' | 'total'>): {
  readonly terms: readonly { readonly name: string; readonly text: string }[];
  readonly sum: string;
} {
  const counting = Object.entries(parts).filter(([, value]) => value !== 0);
  const terms = counting.length < 2 ? [] : counting;
  return {
    terms: terms.map(([name, value]) => ({ name: name.replaceAll('_', ' '), text: amount(value) })),
    sum: amount(total),
  };
}

/** The scorer's reason with the parts as a sum: `Right, but no [ANSWER]. Reward: +1 −2 = −1`. */
export function RewardReason({ reward }: { reward: Pick<Reward, 'parts' | 'total' | 'reason'> }): ReactNode {
  const { terms, sum } = rewardTerms(reward);
  return (
    <span className={classes.reason} data-testid="reward-reason">
      {reward.reason} Reward:{' '}
      <span className={`number ${classes.sum}`}>
        {terms.map(({ name, text }) => (
          <span key={name}>
            <span title={name}>{text}</span>{' '}
          </span>
        ))}
        {terms.length > 0 && '= '}
        {sum}
      </span>
    </span>
  );
}
