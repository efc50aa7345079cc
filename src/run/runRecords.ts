/** The small JSON files of a checkpoint: `trainer_state.json` and `eval_results/`. */
import { z } from 'zod';
import type { GemmPlans } from '../kernels/index.ts';
import type { LevelState } from '../rl/curriculum.ts';
import type { SourcePosition } from '../rl/schedules/types.ts';
import type { EvalResult } from '../rl/types.ts';
import { gemmPlansSchema } from './gemmPlans.ts';

/** Raised whenever an older reader would misunderstand a checkpoint. */
export const CHECKPOINT_FORMAT = 4;

export interface TrainerState {
  /** Updates made. */
  readonly step: number;
  readonly policyVersion: number;
  /** The moving baseline, where the algorithm has one. */
  readonly baseline: number | null;
  /** Which problems of the run's stream are asked next. */
  readonly position: SourcePosition;
  /** Tokens of prompts and completions so far, and completions that broke. */
  readonly totalTokens: number;
  readonly rolloutErrors: number;
  /** Where the curriculum of each task stands; null without one. */
  readonly curriculum: readonly LevelState[] | null;
  /** Loss of each update of the warm start made so far. */
  readonly warmStartLosses: readonly number[];
  readonly seed: number;
  readonly wallSeconds: number;
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
    again: z.array(z.object({ index: count, attempt: count })),
  }),
  total_tokens: count,
  rollout_errors: count,
  curriculum: z.array(z.object({ level: count, recent: z.array(z.boolean()) })).nullable(),
  warm_start_losses: z.array(z.number()),
  seed: z.number().int(),
  wall_seconds: z.number().nonnegative(),
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
    curriculum: state.curriculum?.map(({ level, recent }) => ({ level, recent: [...recent] })) ?? null,
    warm_start_losses: [...state.warmStartLosses],
    seed: state.seed,
    wall_seconds: state.wallSeconds,
    gemm_plans: state.gemmPlans,
  };
}

/** @throws Error naming the field, or the format version found and the one needed. */
export function trainerStateFromJson(json: unknown): { state: TrainerState; modelName: string } {
  const version = z.looseObject({ format_version: z.unknown() }).safeParse(json).data?.format_version;
  if (version !== CHECKPOINT_FORMAT) {
    throw new Error(`format_version is ${JSON.stringify(version)}, this page reads ${CHECKPOINT_FORMAT}`);
  }
  const raw = check(stateSchema, json);
  const { step, baseline, curriculum, seed } = raw;
  return {
    state: {
      step,
      policyVersion: raw.policy_version,
      baseline,
      position: raw.position,
      totalTokens: raw.total_tokens,
      rolloutErrors: raw.rollout_errors,
      curriculum,
      warmStartLosses: raw.warm_start_losses,
      seed,
      wallSeconds: raw.wall_seconds,
      gemmPlans: raw.gemm_plans,
    },
    modelName: raw.model_name,
  };
}

const taskShare = z.object({
  task: z.string(),
  reward: z.number(),
  accuracy: z.number(),
  format: z.number(),
  n: count,
  level: count.nullable(),
});

const evalSchema = z.object({
  step: count,
  accuracy: z.number(),
  format: z.number(),
  n: count,
  tasks: z.array(taskShare),
  temperature: z.number(),
  seconds: z.number(),
  samples: z.array(
    z.object({
      task: z.string(),
      question: z.string(),
      answer: z.string(),
      text: z.string(),
      extracted: z.string().nullable(),
      correct: z.boolean(),
      format: z.boolean(),
    }),
  ),
});

/** @throws Error naming the first field that does not fit. */
export function evalResultFromJson(json: unknown): EvalResult {
  return check(evalSchema, json);
}

const EVAL_FILE = /^eval_results\/eval_step_(\d+)(?:_(\d+))?\.json$/;

/** A second evaluation at the same step gets `_2`, and so on. */
export function evalFileNames(evaluations: readonly EvalResult[]): string[] {
  const seen = new Map<number, number>();
  return evaluations.map(({ step }) => {
    const times = (seen.get(step) ?? 0) + 1;
    seen.set(step, times);
    return `eval_results/eval_step_${step}${times > 1 ? `_${times}` : ''}.json`;
  });
}

/** The evaluation files among `names`, in order of step and then of repetition. */
export function sortedEvalFiles(names: Iterable<string>): string[] {
  const found = [...names].flatMap((name) => {
    const match = EVAL_FILE.exec(name);
    return match ? [{ name, step: Number(match[1]), times: Number(match[2] ?? 1) }] : [];
  });
  return found.sort((a, b) => a.step - b.step || a.times - b.times).map((file) => file.name);
}

function check<T>(schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
}
