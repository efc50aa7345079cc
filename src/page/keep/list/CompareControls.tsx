/** Controls that draw a run, or several seeds together, beside the current one, and make it the baseline. */
import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RunConfig } from '@rl-playground/run/settings';
import { hideRun, pinRun, showRun } from '../compare/compareActions.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { asksTheSame, useCharts, MOST_ARMS } from '../../see/arms/chartsStore.ts';
import { useAsked } from '../../see/arms/drawnArms.ts';
import charts from '../../see/charts/charts.module.css';

interface CompareControlsProps {
  /** The run, or one of the seeds. */
  readonly run: string;
  readonly name: string;
  /** The run's settings; null until they are read. */
  readonly config: RunConfig | null;
}

export function CompareControls({ run, name, config }: CompareControlsProps): ReactNode {
  const arms = useCharts((state) => state.arms);
  const pinned = useCharts((state) => state.pinned);
  const asked = useAsked();
  const arm = arms.find(({ runs }) => runs.includes(run));
  const full = arm === undefined && arms.length >= MOST_ARMS;
  const elsewhere = config !== null && !asksTheSame(config, asked);
  return (
    <span className="row">
      {arm !== undefined && elsewhere && (
        <span className="quiet">not drawn: the charts show another task</span>
      )}
      <Checkbox
        label={
          <>
            {arm !== undefined && <span className={charts.swatch} style={{ background: arm.colour }} />}
            Compare
          </>
        }
        aria-label={`Compare ${name}`}
        title={full ? `At most ${MOST_ARMS} are drawn at once` : 'Draw it in the charts'}
        disabled={full}
        checked={arm !== undefined}
        onChange={() => (arm === undefined ? void showRun(run) : hideRun(run))}
      />
      <ActionButton
        size="compact-xs"
        variant={arm !== undefined && arm.id === pinned ? 'filled' : 'subtle'}
        usable={!full}
        aria-pressed={arm !== undefined && arm.id === pinned}
        aria-label={`Baseline: ${name}`}
        title="Compare the others with this run"
        onClick={() => void pinRun(run)}
      >
        Baseline
      </ActionButton>
    </span>
  );
}
