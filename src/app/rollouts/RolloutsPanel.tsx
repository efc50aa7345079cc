import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { count } from '../format/format.ts';
import { groupRollouts, matchesFilter, ROLLOUT_FILTERS, type RolloutFilter } from './rolloutGroups.ts';
import { useApp } from '../store.ts';
import { Panel } from '../ui/Panel.tsx';
import { ProblemCard, SampleCard } from './ProblemCard.tsx';
import classes from './rollouts.module.css';

const FILTER_LABELS: Readonly<Record<RolloutFilter, string>> = {
  all: 'all answers',
  correct: 'correct only',
  wrong: 'wrong only',
  no_format: 'form missed',
};

/** Limits of the list of rollouts. */
const FEW = { total: 12, perProblem: 3 };
const MANY = { total: 256, perProblem: 64 };

/** Rollouts of the latest step. */
function LatestRollouts({ filter }: { filter: RolloutFilter }): ReactNode {
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

/** Answers of an evaluation that are listed. */
const SAMPLES = 12;

/** Answers of the latest evaluation. */
function EvalSamples({ filter }: { filter: RolloutFilter }): ReactNode {
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
      {matching.slice(0, SAMPLES).map((sample, index) => (
        <SampleCard key={index} sample={sample} draws={evaluation.passAtK?.k} />
      ))}
      <div className={classes.footer}>
        {Math.min(SAMPLES, matching.length)} of {matching.length} answers shown
      </div>
    </>
  );
}

/** What the model writes: the latest step's rollouts or the latest evaluation's answers. */
export function RolloutsPanel(): ReactNode {
  const [source, setSource] = useState<'training' | 'evaluation'>('training');
  const [filter, setFilter] = useState<RolloutFilter>('all');
  const step = useApp((state) => state.snapshot.metrics.at(-1)?.step);
  const evaluation = useApp((state) => state.snapshot.evaluations.at(-1));
  const when = source === 'training' ? step : evaluation?.step;
  return (
    <Panel
      title={when === undefined ? 'What the model writes' : `What the model writes at step ${when}`}
      testId="rollouts"
      aside={
        <>
          <SegmentedControl
            aria-label="Which answers to show"
            value={source}
            onChange={(value) => setSource(value === 'evaluation' ? 'evaluation' : 'training')}
            data={[
              { value: 'training', label: 'Training' },
              { value: 'evaluation', label: 'Evaluation' },
            ]}
          />
          <NativeSelect
            aria-label="Filter answers"
            value={filter}
            onChange={(event) =>
              setFilter(ROLLOUT_FILTERS.find((each) => each === event.currentTarget.value) ?? 'all')
            }
            data={ROLLOUT_FILTERS.map((value) => ({ value, label: FILTER_LABELS[value] }))}
          />
        </>
      }
    >
      <div className={classes.list}>
        {source === 'training' ? <LatestRollouts filter={filter} /> : <EvalSamples filter={filter} />}
      </div>
    </Panel>
  );
}
