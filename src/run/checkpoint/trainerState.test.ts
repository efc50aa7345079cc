import { describe, expect, it } from 'vitest';
import { trainerStateFromJson, trainerStateJson, type TrainerState } from './trainerState.ts';

const state: TrainerState = {
  step: 3,
  policyVersion: 5,
  baseline: 0.25,
  position: { next: 48, again: [{ index: 7, attempt: 1, level: null }] },
  totalTokens: 900,
  rolloutErrors: 0,
  groupsSkipped: 1,
  curriculum: [{ level: 2, recent: [true, false] }],
  sftLosses: [1.5],
  sftTokens: [12],
  seed: 4,
  wallSeconds: 8,
  settingsSince: 3,
  gemmPlans: null,
};

/** The fields of `transformers.TrainerState`, version 5.18; with any other its constructor throws a TypeError. */
const THEIRS = [
  'epoch',
  'global_step',
  'max_steps',
  'logging_steps',
  'eval_steps',
  'save_steps',
  'train_batch_size',
  'num_train_epochs',
  'num_input_tokens_seen',
  'total_flos',
  'log_history',
  'best_metric',
  'best_global_step',
  'best_model_checkpoint',
  'is_local_process_zero',
  'is_world_process_zero',
  'is_hyper_param_search',
  'trial_name',
  'trial_params',
  'stateful_callbacks',
];

describe('trainer_state.json', () => {
  const written = trainerStateJson(state, 'starter', 128);
  const own = written.stateful_callbacks.RLPlayground.attributes;

  it('has no field that transformers refuses, and says its step and batch', () => {
    expect(Object.keys(written).filter((key) => !THEIRS.includes(key))).toEqual([]);
    expect(written).toMatchObject({ global_step: 3, train_batch_size: 128 });
    // Without it a Trainer that goes on can't save.
    expect(written.stateful_callbacks.TrainerControl.args).toMatchObject({ should_save: false });
  });

  it('comes back as it was', () => {
    const read: unknown = JSON.parse(JSON.stringify(written));
    expect(trainerStateFromJson(read)).toEqual({ state, modelName: 'starter' });
  });

  it('says nothing of our runs where another trainer wrote it', () => {
    const theirs = { global_step: 5, log_history: [], stateful_callbacks: { TrainerControl: { args: {} } } };
    expect(trainerStateFromJson(theirs)).toBeNull();
    expect(trainerStateFromJson({ global_step: 5, log_history: [] })).toBeNull();
    // One that went on from ours keeps what it does not know.
    expect(trainerStateFromJson({ ...written, global_step: 5 })).toBeNull();
  });

  it('of another format is refused, and so is a file that is no trainer’s', () => {
    const later = {
      ...written,
      stateful_callbacks: { RLPlayground: { attributes: { ...own, format_version: 6 } } },
    };
    expect(() => trainerStateFromJson(later)).toThrow('format_version is 6, this page reads 5');
    expect(() => trainerStateFromJson({ ...own, format_version: 4 })).toThrow('this page reads 5');
  });
});
