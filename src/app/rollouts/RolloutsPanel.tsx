import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { ROLLOUT_FILTERS } from './rolloutGroups.ts';
import type { RolloutFilter } from './rolloutGroups.ts';
import { useApp } from '../store.ts';
import { Panel } from '../ui/Panel.tsx';
import { EvalSamples } from './EvalSamples.tsx';
import { LatestRollouts } from './LatestRollouts.tsx';
import classes from './rollouts.module.css';

const FILTER_LABELS: Readonly<Record<RolloutFilter, string>> = {
  all: 'all answers',
  correct: 'correct only',
  wrong: 'wrong only',
  no_format: 'form missed',
};

type Source = 'training' | 'evaluation';

/** What the model writes: the latest step's rollouts or the latest evaluation's answers. */
export function RolloutsPanel(): ReactNode {
  const [source, setSource] = useState<Source>('training');
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
