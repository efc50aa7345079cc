/** Several seeds of the same settings, as one entry of the list with one tick. */
import type { ReactNode } from 'react';
import { resultText } from '@rl-playground/run/diagnosis';
import type { RunConfig } from '@rl-playground/run/settings';
import { armName, armRuns } from '../compare/compareActions.ts';
import { useCharts } from '../../see/arms/chartsStore.ts';
import boxes from '../../ui/style/boxes.module.css';
import { CompareControls } from './CompareControls.tsx';
import classes from './kept.module.css';

interface SeedGroupProps {
  /** One of the runs. */
  readonly run: string;
  readonly config: RunConfig | null;
  /** The rows of the runs. */
  readonly children: ReactNode;
}

export function SeedGroup({ run, config, children }: SeedGroupProps): ReactNode {
  const arm = useCharts(({ arms }) => arms.find(({ runs }) => runs.includes(run)));
  const name = armName(armRuns(run).runs);
  return (
    <li className={boxes.item} data-testid="run-group">
      <div className={classes.facts}>
        <b>{name}</b>
        <span className="quiet">
          {arm === undefined
            ? 'One configuration. A tick draws the mean and its 95% interval.'
            : `Accuracy on held-out problems: ${resultText(arm.records)}`}
        </span>
      </div>
      <CompareControls run={run} name={name} config={config} />
      <ul className={`plain ${classes.seeds}`}>{children}</ul>
    </li>
  );
}
