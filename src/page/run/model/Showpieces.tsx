/** Runs of real models on the first screen, each begun by one press. Nothing is fetched before that. */
import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { RECOMMENDED_MODELS, modelTerms, type RecommendedModel } from '@rl-playground/run/models';
import { durationText } from '@rl-playground/run/plan';
import { defaultConfig, PRESET_TITLES, PRESETS, type PresetName } from '@rl-playground/run/settings';
import { FileButton, ActionButton } from '../../ui/parts/buttons.tsx';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { useForm } from '../form/formStore.ts';
import { canStart } from '../state/phases.ts';
import { useRun } from '../state/runStore.ts';
import { DownloadState } from './DownloadState.tsx';
import { changeModels, useHub } from './hubStore.ts';
import { beginPreset, beginWithFile } from './showpieceActions.ts';
import { usePlanOf } from './usePlanOf.ts';
import classes from './showpieces.module.css';

interface Showpiece {
  readonly preset: PresetName;
  readonly model: RecommendedModel;
}

const SHOWPIECES: readonly Showpiece[] = RECOMMENDED_MODELS.flatMap((model) =>
  model.presets.map((preset) => ({ preset, model })),
);

/** The button that takes the model's file from this machine. */
function OwnFile({ preset, model, small }: Showpiece & { readonly small: boolean }): ReactNode {
  const usable = useRun((state) => canStart(state.snapshot));
  const name = model.address.split(':')[1] ?? model.address;
  const words = `Choose the file ${name} that you have`;
  return (
    <FileButton
      usable={usable}
      variant={small ? 'subtle' : 'default'}
      size={small ? 'compact-xs' : 'sm'}
      aria-label={`${words}, for “${PRESET_TITLES[preset]}”`}
      title={`${words}, in place of downloading it`}
      accept=".gguf,.zip"
      inputName={`File of the model for “${PRESET_TITLES[preset]}”`}
      inputTestId={`file-${preset}`}
      onFiles={([file]) => void beginWithFile(preset, file)}
    >
      {small ? <UploadIcon /> : 'Choose the file you have…'}
    </FileButton>
  );
}

/** The time of a step with the preset's settings, as far as this machine's speed is known. */
function useStepText({ preset, model }: Showpiece): string {
  const { config, storedType } = model;
  const settings = defaultConfig(PRESETS[preset].task ?? '', preset);
  const plan = usePlanOf()({ config, storedType, promptTokens: null }, settings);
  const seconds = typeof plan === 'string' ? null : plan.step.seconds;
  return seconds === null ? 'time known after one step' : `a step up to ${durationText(seconds)}`;
}

function Card({ preset, model }: Showpiece): ReactNode {
  const chosen = useForm(({ form }) => form.preset === preset);
  const usable = useRun((state) => canStart(state.snapshot));
  const busy = useHub(({ models }) => models.work !== null);
  const step = useStepText({ preset, model });
  return (
    <li className={`panel ${classes.card}`} data-testid={`showpiece-${preset}`}>
      <button
        type="button"
        className={`bare ${classes.begin}`}
        aria-pressed={chosen}
        aria-disabled={!usable || busy}
        onClick={() => usable && !busy && void beginPreset(preset)}
      >
        <b>{PRESET_TITLES[preset]}</b>
        <span className="quiet">{`${bytesText(model.bytes)}, ${step}`}</span>
      </button>
      <span className={classes.marks}>
        <InfoMark label={`About “${PRESET_TITLES[preset]}”`}>
          {`${model.address}, ${bytesText(model.bytes)}. ${modelTerms(model)} It is downloaded from huggingface.co when you press, kept in this browser, and not asked for again.`}
        </InfoMark>
        <OwnFile preset={preset} model={model} small />
      </span>
    </li>
  );
}

/** The progress of the one that was pressed, and its failure with what to do. */
function Begun({ preset, model }: Showpiece): ReactNode {
  const busy = useHub(({ models }) => models.work !== null);
  return (
    <div className={`panel ${classes.begun}`} role="group" aria-label={PRESET_TITLES[preset]}>
      <DownloadState />
      {!busy && (
        <div className="row">
          <ActionButton onClick={() => void beginPreset(preset)}>Try again</ActionButton>
          <OwnFile preset={preset} model={model} small={false} />
          <ActionButton
            variant="subtle"
            onClick={() => changeModels({ begun: null, failed: null, said: '' })}
          >
            Back
          </ActionButton>
        </div>
      )}
    </div>
  );
}

export function Showpieces(): ReactNode {
  const begun = useHub(({ models }) => SHOWPIECES.find(({ preset }) => preset === models.begun));
  if (begun !== undefined) return <Begun {...begun} />;
  return (
    <ul className={`plain ${classes.strip}`} aria-label="Real models, one press each">
      {SHOWPIECES.map((showpiece) => (
        <Card key={showpiece.preset} {...showpiece} />
      ))}
    </ul>
  );
}
