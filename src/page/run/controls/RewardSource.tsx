/** The places that a reward model comes from: the Hub, this browser, a folder. */
import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { useForm } from '../form/formStore.ts';
import { ServerFields } from '../model/ServerFields.tsx';
import { cancelReward, loadRewardModel, takeRewardFolder } from '../reward/rewardActions.ts';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { Problem } from '../../ui/parts/words.tsx';

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

/** Loads the model that the settings name, or one in a folder. A run that goes on may need its model again. */
export function RewardSource(): ReactNode {
  const name = useForm((state) => state.form.rewardModel);
  const { work, ready } = useForm((state) => state.reward);
  const usable = work === null;
  return (
    <div className="stack close" role="group" aria-label="Source of the reward model">
      <div className="row">
        <ActionButton
          usable={usable && name.trim() !== ''}
          title="From this browser where it is kept, else from the Hub. The page then works offline with it."
          data-testid="reward-load"
          onClick={() => void loadRewardModel(name.trim())}
        >
          {ready?.name === name ? 'Load again' : 'Load'}
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
