/** Groups of simplexity's configuration that are known by name, for a file that names them and comes alone. */
import { RLVR_SETTINGS, type RlvrSettings } from '../presets/rlvr.ts';
import type { Tree } from '../files/parse.ts';
import type { PresetName } from '../runFields.ts';

const PRESET_OF: Readonly<Record<string, keyof typeof RLVR_SETTINGS>> = {
  rlvr_small: 'rlvr-small',
  small: 'rlvr-small',
  rlvr_large: 'rlvr-large',
  large: 'rlvr-large',
  rlvr_test: 'rlvr-test',
  test: 'rlvr-test',
};

/** The preset that repeats an option of the group `training`; null for a name that is not known. */
export function presetOfTraining(option: string): keyof typeof RLVR_SETTINGS | null {
  return Object.hasOwn(PRESET_OF, option) ? (PRESET_OF[option] ?? null) : null;
}

/** What the preset's own file says; `rlvr-small`'s for a preset of another system. */
export function rlvrSettingsOf(preset: PresetName): RlvrSettings {
  return RLVR_SETTINGS[preset === 'rlvr-large' || preset === 'rlvr-test' ? preset : 'rlvr-small'];
}

function trainingTree(settings: RlvrSettings): Tree {
  return {
    num_epochs: settings.epochs,
    max_batches_per_epoch: settings.batchesPerEpoch,
    complexity_range: [1, settings.maxComplexity],
    max_generation_length: settings.maxLength,
    learning_rate: settings.learningRate,
    batch_size: settings.batch,
    mini_batch_size: settings.miniBatch,
    gradient_accumulation_steps: settings.gradientAccumulation,
    ppo_epochs: settings.ppoEpochs,
    early_stopping: settings.targetKl > 0,
    ...(settings.targetKl > 0 ? { target_kl: settings.targetKl } : {}),
    temperature: settings.temperature,
    top_p: settings.topP,
    ...settings.reward,
    checkpoint_every: settings.checkpointEvery === 0 ? null : settings.checkpointEvery,
  };
}

const PROCESSES: Readonly<Record<string, Tree>> = {
  rpn_arithmetic: { instance: { representation: 'rpn', p: 13, operators: ['+'] } },
  single_addition: { instance: { representation: 'rpn', p: 113, operators: ['+'] } },
};

/** The values of a group's option that has no file; null where the name is not known. */
export function knownGroup(group: string, option: string): Tree | null {
  if (group === 'training') {
    const preset = presetOfTraining(option);
    return preset === null ? null : trainingTree(RLVR_SETTINGS[preset]);
  }
  return group === 'generative_process' && Object.hasOwn(PROCESSES, option)
    ? (PROCESSES[option] ?? null)
    : null;
}
