/** The name of the reward model, and where it comes from. */
import { Progress, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldDescription } from '@rl-playground/run/settings';
import { bytesText } from '@rl-playground/base/text';
import { setValue } from '../actions/actions.ts';
import { useForm } from '../form/formStore.ts';
import { useField } from '../form/useField.ts';
import { ServerFields } from '../model/ServerFields.tsx';
import { cancelReward, loadRewardModel, takeRewardFolder } from '../reward/rewardActions.ts';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { Problem } from '../../ui/parts/words.tsx';
import { FieldLabel } from './Setting.tsx';

const WORDS = {
  looking: 'Looking it up…',
  loading: 'Downloading…',
  opening: 'Loading the model into onnxruntime…',
} as const;

/** The progress of the work under way, and the outcome of the last. */
function RewardProgress(): ReactNode {
  const { work, progress, said, failed } = useForm((state) => state.reward);
  if (work === null)
    return (
      <>
        <Problem text={failed} testId="reward-failed" />
        <p role="status" className="quiet" data-testid="reward-said">
          {said}
        </p>
      </>
    );
  const text =
    progress === null ? WORDS[work] : `${bytesText(progress.done)} of ${bytesText(progress.total)}`;
  return (
    <>
      <Progress
        value={progress === null ? 100 : (100 * progress.done) / Math.max(1, progress.total)}
        animated={progress === null}
        aria-label="Loading of the reward model"
      />
      <div className="row apart">
        <span role="status">{text}</span>
        {work !== 'opening' && <ActionButton onClick={cancelReward}>Cancel</ActionButton>}
      </div>
    </>
  );
}

export function RewardModelSetting({ field }: { readonly field: FieldDescription }): ReactNode {
  const { locked, error } = useField('rewardModel');
  const name = useForm((state) => state.form.rewardModel);
  const { work, ready } = useForm((state) => state.reward);
  // A run that goes on may need its model again.
  const usable = work === null;
  const isReady = ready?.name === name;
  return (
    <div className="stack close" role="group" aria-label="Reward model">
      <TextInput
        label={<FieldLabel field={field} help="text" />}
        labelProps={{ component: 'div' }}
        aria-label={field.label}
        data-setting="rewardModel"
        description={field.help}
        placeholder="Xenova/distilbert-base-uncased-finetuned-sst-2-english"
        error={error}
        disabled={locked}
        value={name}
        maxLength={200}
        onChange={(event) => setValue('rewardModel', event.currentTarget.value)}
      />
      <div className="row">
        <ActionButton
          usable={usable && name.trim() !== ''}
          title="From this browser where it is kept, else from the Hub. The page then works offline with it."
          data-testid="reward-load"
          onClick={() => void loadRewardModel(name.trim())}
        >
          {isReady ? 'Load again' : 'Load'}
        </ActionButton>
        <FileButton
          leftSection={<UploadIcon />}
          usable={usable}
          title="A folder with config.json, the tokenizer’s files and onnx/model.onnx"
          folder
          accept=""
          inputName="Folder of the reward model"
          inputTestId="reward-folder"
          onFiles={(files) => void takeRewardFolder(files)}
        >
          Folder…
        </FileButton>
      </div>
      <RewardProgress />
      <ServerFields note="for gated and private models" />
    </div>
  );
}
