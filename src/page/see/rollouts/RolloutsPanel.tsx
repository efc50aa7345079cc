import { Button, SegmentedControl } from '@mantine/core';
import { memo, useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { EvalResult, Rollout } from '@rl-playground/run/loop';
import { count } from '../../ui/text/format.ts';
import { Choice } from '../../ui/parts/Choice.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useRun, type RunState } from '../../run/state/runStore.ts';
import { groupRollouts, ROLLOUT_FILTERS, type RolloutFilter } from './rolloutGroups.ts';
import { ProblemCard, SampleCard } from './ProblemCard.tsx';

/** The limits of the list of rollouts. */
const FEW = { total: 6, perProblem: 3 };
const MANY = { total: 256, perProblem: 64 };

interface LatestRolloutsProps {
  readonly rollouts: readonly Rollout[];
  readonly filter: RolloutFilter;
}

const LatestRollouts = memo(function LatestRollouts({ rollouts, filter }: LatestRolloutsProps): ReactNode {
  const [all, setAll] = useState(false);
  const limit = all ? MANY : FEW;
  const { groups, matching, shown } = useMemo(
    () => groupRollouts(rollouts, filter, limit.total, limit.perProblem),
    [rollouts, filter, limit],
  );
  if (rollouts.length === 0) {
    return (
      <p className="quiet">
        From the first step on, this list shows problems of the latest step with the answers that the model
        sampled: the text, the result that was read from it, its reward, and the advantage that the update
        uses.
      </p>
    );
  }
  if (matching === 0) return <p className="quiet">No answer of this step matches the filter.</p>;
  return (
    <>
      {groups.map((group) => (
        <ProblemCard key={group.key} group={group} />
      ))}
      <div className="row quiet">
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
});

/** The most answers of an evaluation that are listed. */
const SAMPLES = 12;

interface EvalSamplesProps {
  readonly evaluation: EvalResult | undefined;
  readonly filter: RolloutFilter;
}

const EvalSamples = memo(function EvalSamples({ evaluation, filter }: EvalSamplesProps): ReactNode {
  if (evaluation === undefined) {
    return <p className="quiet">Answers to held-out problems appear here after each evaluation.</p>;
  }
  const { samples } = evaluation;
  const matching = samples
    .map((sample, index) => ({ sample, index }))
    .filter(({ sample }) => ROLLOUT_FILTERS[filter].passes(sample));
  if (matching.length === 0) {
    return <p className="quiet">No answer of this evaluation matches the filter.</p>;
  }
  return (
    <>
      {matching.slice(0, SAMPLES).map(({ sample, index }) => (
        <SampleCard key={index} sample={sample} draws={evaluation.passAtK?.k} place={index} />
      ))}
      <div className="row quiet">
        {Math.min(SAMPLES, matching.length)} of {matching.length} answers shown
      </div>
    </>
  );
});

function latestAnswers({ snapshot: { metrics, rollouts, evaluations } }: RunState) {
  return { step: metrics.at(-1)?.step, rollouts, evaluation: evaluations.at(-1) };
}

/** The answers of the model, of the latest step or of the latest evaluation. */
export function RolloutsPanel(): ReactNode {
  const [source, setSource] = useState<'Training' | 'Evaluation'>('Training');
  const [filter, setFilter] = useState<RolloutFilter>('all');
  const newest = useRun(useShallow(latestAnswers));
  // The list is long, so it is drawn in slices.
  const { step, rollouts, evaluation } = useDeferredValue(newest);
  const when = source === 'Training' ? step : evaluation?.step;
  return (
    <Panel
      title={when === undefined ? 'What the model writes' : `What the model writes at step ${when}`}
      testId="rollouts"
      aside={
        <>
          <SegmentedControl
            aria-label="Which answers to show"
            value={source}
            onChange={(value) => setSource(value === 'Evaluation' ? value : 'Training')}
            data={['Training', 'Evaluation']}
          />
          <Choice aria-label="Filter answers" value={filter} words={ROLLOUT_FILTERS} onChoose={setFilter} />
        </>
      }
    >
      <div className="stack wide">
        {source === 'Training' ? (
          <LatestRollouts rollouts={rollouts} filter={filter} />
        ) : (
          <EvalSamples evaluation={evaluation} filter={filter} />
        )}
      </div>
    </Panel>
  );
}
