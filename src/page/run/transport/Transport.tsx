import type { ReactNode } from 'react';
import { pause, step, stop, train } from '../actions/actions.ts';
import { PauseIcon, PlayIcon, ResetIcon, StepIcon, StopIcon } from '../../ui/parts/icons.tsx';
import { canReset, canStart, isBusy, isStoppable } from '../state/phases.ts';
import { useTrainBlock, type TrainBlock } from '../preflight/trainBlock.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../state/runStore.ts';
import { STATUS_DETAIL, StatusLine, type RunTitleComponent } from './StatusLine.tsx';
import classes from './transport.module.css';

/** The green button: Train, Continue, New run or Pause. The element stays, so it keeps the focus. */
function TrainButton({ block }: { block: TrainBlock | null }): ReactNode {
  const phase = useRun((state) => state.snapshot.phase);
  const made = useRun((state) => state.snapshot.step + state.snapshot.sft.losses.length);
  const startable = useRun((state) => canStart(state.snapshot));
  const busy = isBusy(phase);
  const goesOn = made > 0 && phase !== 'finished' && phase !== 'failed';
  return (
    <ActionButton
      variant="filled"
      color="go"
      size="md"
      className={classes.train}
      leftSection={busy ? <PauseIcon /> : <PlayIcon />}
      data-testid={busy ? 'pause-button' : 'train-button'}
      aria-keyshortcuts="Control+Enter"
      usable={busy ? phase !== 'pausing' && phase !== 'stopping' : startable && block === null}
      aria-describedby={block !== null ? BLOCK_ID : startable || busy ? undefined : STATUS_DETAIL}
      onClick={busy ? pause : train}
    >
      {busy ? 'Pause' : goesOn ? 'Continue' : phase === 'finished' ? 'New run' : 'Train'}
    </ActionButton>
  );
}

const BLOCK_ID = 'train-block';

/** Says why Train can't start, with buttons that mend it. */
function Block({ reason, mends }: TrainBlock): ReactNode {
  return (
    <div className={`note bad row ${classes.block}`} data-testid="train-block" role="status">
      <p id={BLOCK_ID}>{reason}</p>
      {mends.map(({ label, act }) => (
        <ActionButton key={label} size="compact-sm" onClick={act}>
          {label}
        </ActionButton>
      ))}
    </div>
  );
}

interface TransportProps {
  readonly reset: () => Promise<void>;
  readonly RunTitle: RunTitleComponent;
}

/** The buttons that start, hold and end a run, with its state beside them. */
export function Transport({ reset, RunTitle }: TransportProps): ReactNode {
  const phase = useRun((state) => state.snapshot.phase);
  const startable = useRun((state) => canStart(state.snapshot));
  const resettable = useRun((state) => state.controller !== null && canReset(state.snapshot));
  const block = useTrainBlock();
  return (
    <section className={`panel row ${classes.transport}`} aria-label="Training controls and status">
      <div className={`row ${classes.buttons}`} role="group" aria-label="Training">
        <TrainButton block={block} />
        <ActionButton
          size="sm"
          leftSection={<StepIcon />}
          data-testid="step-button"
          title="Exactly one update, then pause"
          usable={startable && phase !== 'finished' && block === null}
          onClick={step}
        >
          Step
        </ActionButton>
        <ActionButton
          size="sm"
          leftSection={<StopIcon />}
          data-testid="stop-button"
          title="End the run and evaluate; weights and curves are kept"
          usable={isStoppable(phase)}
          onClick={stop}
        >
          Stop
        </ActionButton>
        <ActionButton
          size="sm"
          leftSection={<ResetIcon />}
          data-testid="reset-button"
          title="Back to the model as it was loaded. The run stays in the list of runs, and this can be undone"
          usable={resettable}
          onClick={() => void reset()}
        >
          Reset
        </ActionButton>
      </div>
      {block !== null && <Block {...block} />}
      <StatusLine blocked={block !== null} RunTitle={RunTitle} />
    </section>
  );
}
