import type { ReactNode } from 'react';
import { parameterCount } from '../../ui/text/format.ts';
import { canStart } from '../state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { setOpen, useIsOpen } from '../../ui/open/openStore.ts';
import { useForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './controls.module.css';

const ModelPicker = lazyPart(async () => (await import('../model/parts.ts')).ModelPicker);

export interface ModelSectionProps {
  readonly files: ReactNode;
  readonly runs: ReactNode;
}

/** The model, its size, and the buttons that choose, load and export it. */
export function ModelSection({ files, runs }: ModelSectionProps): ReactNode {
  const snapshot = useRun((state) => state.snapshot);
  const { modelName: name, parameterCount: parameters, phase, modelIsOurs: ours } = snapshot;
  const wanted = useForm((state) => state.form.model);
  const picking = useIsOpen('models');
  // The settings name what they would train, which may not be loaded yet.
  const awaited = ours && name !== null && wanted !== name;
  const size = parameters === null ? 'not loaded' : `${parameterCount(parameters)} parameters`;
  const note = awaited
    ? 'loaded when a run begins'
    : phase === 'loading' && parameters === null
      ? 'loading…'
      : size;
  return (
    <div className={classes.section} role="group" aria-label="Model">
      <div className="row apart">
        <span className={classes.label}>Model</span>
        <span style={{ overflowWrap: 'anywhere' }}>
          {awaited ? wanted : (name ?? wanted)}
          <span className="quiet">{`, ${note}`}</span>
        </span>
      </div>
      <div className={classes.buttons}>
        <ActionButton
          aria-label="Choose another model…"
          aria-haspopup="dialog"
          data-testid="model-picker-button"
          data-setting="model"
          title="Models of the Hugging Face Hub, by name, with what they need of this machine"
          usable={canStart(snapshot)}
          onClick={() => setOpen('models')}
        >
          Choose…
        </ActionButton>
        {files}
      </div>
      {runs}
      {picking && <ModelPicker />}
    </div>
  );
}
