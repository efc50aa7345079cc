import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { HANDOFF_SYSTEMS, type HandoffSystem } from '../../../run/handoff/systems.ts';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { changeExport, useKept } from '../kept/keptStore.ts';
import { downloadHandoff } from './exportActions.ts';
import classes from './export.module.css';

const TRAINERS: Readonly<Record<HandoffSystem, string>> = {
  trl: 'TRL, with accelerate and vLLM',
  verl: 'verl, on Ray',
  'prime-rl': 'prime-rl',
};

/** The run as another trainer goes on with it. `usable`: whether it can be asked for now. */
export function HandoffForm({ usable }: { usable: boolean }): ReactNode {
  const trainer = useKept((state) => state.export.trainer);
  return (
    <div className={classes.form}>
      <NativeSelect
        label="Trainer"
        description="Model or adapter, the next problems, the reward in Python, settings and the command; not_carried.md says what becomes of every setting"
        value={trainer}
        disabled={!usable}
        data-testid="handoff-trainer"
        data={HANDOFF_SYSTEMS.map((value) => ({ value, label: TRAINERS[value] }))}
        onChange={({ currentTarget: { value } }) => {
          const chosen = HANDOFF_SYSTEMS.find((each) => each === value);
          if (chosen) changeExport({ trainer: chosen, problem: null });
        }}
      />
      <div className={classes.actions}>
        <ActionButton
          leftSection={<DownloadIcon />}
          usable={usable}
          data-testid="handoff-download"
          onClick={() => void downloadHandoff()}
        >
          Download the run
        </ActionButton>
      </div>
    </div>
  );
}
