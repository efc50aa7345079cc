import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { count } from '../format/format.ts';
import { groupRollouts } from './rolloutGroups.ts';
import type { RolloutFilter } from './rolloutGroups.ts';
import { useApp } from '../store.ts';
import { ProblemCard } from './ProblemCard.tsx';
import classes from './rollouts.module.css';

const FEW = { total: 12, perProblem: 3 };
const MANY = { total: 256, perProblem: 64 };

export function LatestRollouts({ filter }: { filter: RolloutFilter }): ReactNode {
  const rollouts = useApp((state) => state.snapshot.rollouts);
  const [all, setAll] = useState(false);
  const limit = all ? MANY : FEW;
  const { groups, matching, shown } = useMemo(
    () => groupRollouts(rollouts, filter, limit.total, limit.perProblem),
    [rollouts, filter, limit],
  );
  if (rollouts.length === 0) {
    return (
      <p className={classes.waiting}>
        From the first step on, this list shows problems of the latest step with the answers that the model
        sampled: the text, the number that was read out of it, its reward, and the advantage that the update
        uses.
      </p>
    );
  }
  if (matching === 0) return <p className={classes.waiting}>No answer of this step matches the filter.</p>;
  return (
    <>
      {groups.map((group) => (
        <ProblemCard key={group.key} group={group} />
      ))}
      <div className={classes.footer}>
        <span>
          {count(shown)} of {count(matching)} answers shown
        </span>
        {(all || matching > shown) && (
          <Button size="compact-xs" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : 'Show more'}
          </Button>
        )}
      </div>
    </>
  );
}
