/**
 * The `trainer_state.json` of a checkpoint tells how far a run is. transformers has a file of that name, with fields that it refuses others
 * beside: so ours is written as one of those, and what a run needs lies where transformers keeps the states of callbacks, of which it
 * passes over those that it does not know. So its `resume_from_checkpoint` reads the folder, too.
 */
import { z } from 'zod';
import type { GemmPlans } from '@rl-playground/engine/parts';
import { gemmPlansSchema } from '../environment/gemmPlans.ts';
import { checked, isJsonObject, shownJson } from '@rl-playground/base/json';
import { momentOf, momentText } from '@rl-playground/base/clock';
import type { LoopState } from '../loop/loop.ts';
import type { SftUpdates } from '../records/metricsLog.ts';

/** It is raised whenever an older reader would misunderstand a checkpoint. */
const CHECKPOINT_FORMAT = 5;
/** The name in the place where transformers writes the class of a callback. */
const CALLBACK = 'RLPlayground';

export interface TrainerState extends Omit<LoopState, 'baseline'>, SftUpdates {
  readonly policyVersion: number;
  /** The moving baseline, where the algorithm has one. */
  readonly baseline: number | null;
  readonly seed: number;
  readonly wallSeconds: number;
  /** The step after which the present settings hold: 0, or that from which the run was forked under others. */
  readonly settingsSince: number;
  /** When a run began whose prompts say what time it is, as `localMoment` gives it; absent where they don't. */
  readonly promptMoment?: number | undefined;
  /** The measured ways to compute matrix products; null if none were measured. */
  readonly gemmPlans: GemmPlans | null;
}

const count = z.number().int().nonnegative();
const stateSchema = z.object({
  format_version: z.literal(CHECKPOINT_FORMAT),
  model_name: z.string(),
  step: count,
  policy_version: count,
  baseline: z.number().nullable(),
  position: z.object({
    next: count,
    again: z.array(z.object({ index: count, attempt: count, level: count.nullable().default(null) })),
  }),
  total_tokens: count,
  rollout_errors: count,
  groups_skipped: count.default(0),
  curriculum: z.array(z.object({ level: count, recent: z.array(z.boolean()) })).nullable(),
  warm_start_losses: z.array(z.number()),
  warm_start_tokens: z.array(count).optional(),
  seed: z.number().int(),
  wall_seconds: z.number().nonnegative(),
  settings_since: count.optional(),
  prompt_time: z.iso.datetime({ local: true }).optional(),
  gemm_plans: gemmPlansSchema,
});

/** The fields that transformers' `TrainerState` (5.18) wants of a checkpoint, with its own values for those that say nothing here. */
interface SharedState {
  readonly global_step: number;
  /** Answers of a step. transformers divides the number, so it can't be null. */
  readonly train_batch_size: number;
  readonly log_history: readonly never[];
  readonly stateful_callbacks: {
    readonly [CALLBACK]: { readonly args: object; readonly attributes: z.infer<typeof stateSchema> };
    /** transformers looks for it when it saves. */
    readonly TrainerControl: { readonly args: object; readonly attributes: object };
  };
}

/** These ask nothing of the next step. */
const CONTROL = {
  should_training_stop: false,
  should_epoch_stop: false,
  should_save: false,
  should_evaluate: false,
  should_log: false,
};

/** `answers` is the number of answers sampled in a step. */
export function trainerStateJson(state: TrainerState, modelName: string, answers: number): SharedState {
  return {
    global_step: state.step,
    train_batch_size: answers,
    log_history: [],
    stateful_callbacks: {
      [CALLBACK]: { args: {}, attributes: ownState(state, modelName) },
      TrainerControl: { args: CONTROL, attributes: {} },
    },
  };
}

function ownState(state: TrainerState, modelName: string): z.infer<typeof stateSchema> {
  return {
    format_version: CHECKPOINT_FORMAT,
    model_name: modelName,
    step: state.step,
    policy_version: state.policyVersion,
    baseline: state.baseline,
    position: { next: state.position.next, again: [...state.position.again] },
    total_tokens: state.totalTokens,
    rollout_errors: state.rolloutErrors,
    groups_skipped: state.groupsSkipped,
    curriculum: state.curriculum?.map(({ level, recent }) => ({ level, recent: [...recent] })) ?? null,
    warm_start_losses: [...state.sftLosses],
    ...(state.sftTokens && { warm_start_tokens: [...state.sftTokens] }),
    seed: state.seed,
    wall_seconds: state.wallSeconds,
    ...(state.settingsSince > 0 && { settings_since: state.settingsSince }),
    ...(state.promptMoment !== undefined && { prompt_time: momentText(state.promptMoment) }),
    gemm_plans: state.gemmPlans,
  };
}

const sharedSchema = z.looseObject({
  global_step: z.unknown().optional(),
  stateful_callbacks: z.looseObject({ [CALLBACK]: z.looseObject({ attributes: z.unknown() }) }),
});
const headSchema = z.looseObject({ format_version: z.unknown(), step: z.unknown() });

/**
 * Reads how far a run is; null if another trainer wrote the file, which may have passed our part on while its own steps went on.
 *
 * @throws Error naming the field, or the format version found and the one that is read.
 */
export function trainerStateFromJson(json: unknown): { state: TrainerState; modelName: string } | null {
  const shared = sharedSchema.safeParse(json).data;
  const own = shared?.stateful_callbacks[CALLBACK].attributes;
  const head = headSchema.safeParse(own).data;
  const theirs = shared ? head?.step !== shared.global_step : isJsonObject(json) && 'log_history' in json;
  if (theirs) return null;
  if (head?.format_version !== CHECKPOINT_FORMAT)
    throw new Error(
      `format_version is ${shownJson(head?.format_version, 80)}, this page reads ${CHECKPOINT_FORMAT}`,
    );
  const raw = checked(stateSchema, own);
  const { step, baseline, curriculum, seed } = raw;
  return {
    state: {
      step,
      policyVersion: raw.policy_version,
      baseline,
      position: raw.position,
      totalTokens: raw.total_tokens,
      rolloutErrors: raw.rollout_errors,
      groupsSkipped: raw.groups_skipped,
      curriculum,
      sftLosses: raw.warm_start_losses,
      sftTokens: raw.warm_start_tokens,
      seed,
      wallSeconds: raw.wall_seconds,
      settingsSince: raw.settings_since ?? 0,
      promptMoment: raw.prompt_time === undefined ? undefined : momentOf(raw.prompt_time),
      gemmPlans: raw.gemm_plans,
    },
    modelName: raw.model_name,
  };
}
