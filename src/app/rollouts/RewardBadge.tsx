import type { ReactNode } from 'react';
import { CheckIcon, CrossIcon } from '../icons.tsx';
import { signed } from '../format/format.ts';
import classes from './rollouts.module.css';

/** A reward with its sign, a mark and a colour, so that none of the three has to be seen alone. */
export function RewardBadge({ total, good }: { total: number; good: boolean }): ReactNode {
  return (
    <span
      className={`number ${classes.badge} ${good ? classes.good : classes.bad}`}
      title={`reward ${signed(total, 2)}`}
    >
      {good ? <CheckIcon /> : <CrossIcon />}
      <span className="visually-hidden">reward</span> {signed(total, Number.isInteger(total) ? 0 : 2)}
    </span>
  );
}
