/** `trainer_state.json` of a checkpoint: where a run stands. */
import { z } from 'zod';
import type { GemmPlans } from '../../kernels/index.ts';
import { gemmPlansSchema } from '../engine/gemmPlans.ts';
import { checked, shownJson } from '../../base/json.ts';
import { momentOf, momentText } from '../../base/clock.ts';
import type { LoopState } from '../../rl/loop/loop.ts';

/** Raised whenever an older reader would misunderstand a checkpoint. */
export const CHECKPOINT_FORMAT = 4;

export interface TrainerState extends Omit<LoopState, 'baseline'> {
  readonly policyVersion: number;
  /** The moving baseline, where the algorithm has one. */
  readonly baseline: number | null;
  /** Loss of each update of the warm start made so far. */
  readonly sftLosses: readonly number[];
  /** Tokens that each of those learned from; absent in files from before they were kept. */
  readonly sftTokens?: readonly number[];
  readonly seed: number;
  readonly wallSeconds: number;
  /** When a run began whose prompts say what time it is, as `localMoment` gives it; absent where they don't. */
  readonly promptMoment?: number | undefined;
  /** How matrix products were computed, where that was measured. */
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
  prompt_time: z.iso.datetime({ local: true }).optional(),
  gemm_plans: gemmPlansSchema,
});

export function trainerStateJson(state: TrainerState, modelName: string): z.infer<typeof stateSchema> {
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
    ...(state.promptMoment !== undefined && { prompt_time: momentText(state.promptMoment) }),
    gemm_plans: state.gemmPlans,
  };
}

/** @throws Error naming the field, or the format version found and the one needed. */
export function trainerStateFromJson(json: unknown): { state: TrainerState; modelName: string } {
  const version = z.looseObject({ format_version: z.unknown() }).safeParse(json).data?.format_version;
  if (version !== CHECKPOINT_FORMAT)
    throw new Error(`format_version is ${shownJson(version, 80)}, this page reads ${CHECKPOINT_FORMAT}`);
  const raw = checked(stateSchema, json);
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
      promptMoment: raw.prompt_time === undefined ? undefined : momentOf(raw.prompt_time),
      gemmPlans: raw.gemm_plans,
    },
    modelName: raw.model_name,
  };
}
