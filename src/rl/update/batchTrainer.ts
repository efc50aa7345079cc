/** Trains on one whole batch: its passes, updates and mini-batches, and an early stop by KL. */
import type { Sequence } from './batch.ts';
import type { Engine } from '../engine/engine.ts';
import type { LossOptions } from '../loss/lossOptions.ts';
import type { TrainedValues } from '../loop/rollouts.ts';
import type { UpdateRecord } from '../metrics/context.ts';
import { tokenWeights } from '../loss/reduction.ts';
import { measureUpdate, oldLogprobsOf } from './updateRecord.ts';
import { planUpdates, type PlannedUpdate, type UpdateSettings } from './updates.ts';

export interface BatchTrainerOptions {
  readonly engine: Engine;
  readonly loss: LossOptions;
  readonly plan: UpdateSettings;
  readonly learningRate: number;
  /** Mean of log q − log p beyond which no further update of the batch is made; 0 is off. */
  readonly targetKl: number;
  readonly measurePost: boolean;
  /** Shuffles mini-batches; uniform in [0, 1). */
  readonly draw: () => number;
  /** Padded tokens done, and to be done in all, as far as that is known. */
  readonly onProgress: (tokens: number) => void;
}

export interface BatchOutcome {
  readonly updates: readonly UpdateRecord[];
  readonly updatesSkipped: number;
  /** Of each sequence of the batch; null where no forward pass of an update saw it: the early stop by KL leaves such. */
  readonly trained: (TrainedValues | null)[];
}

/**
 * `sequences` carry log p_ref. With p_old from the trainer and more than one update, log p_old is taken of the whole batch first; with one update
 * it is p itself, so that the ratio is exactly 1. An update is not made where the mean of log q − log p of its own forward pass has
 * passed the target (as PPO implementations stop early): it and all that would follow count as skipped.
 */
export async function trainOnBatch(
  sequences: readonly Sequence[],
  options: BatchTrainerOptions,
): Promise<BatchOutcome> {
  const { engine, loss, learningRate, targetKl } = options;
  const plan = planUpdates(sequences.length, options.plan, options.draw);
  const ratioToItself = loss.oldLogprobs === 'trainer' && plan.length === 1;
  const call = { temperature: loss.temperature, onProgress: options.onProgress };
  const batch =
    loss.oldLogprobs === 'trainer' && !ratioToItself
      ? await withOldLogprobs(sequences, engine, call)
      : sequences;

  const first: (FirstValues | undefined)[] = [];
  const updates: UpdateRecord[] = [];
  for (const update of plan) {
    const { record, values } = await accumulate(batch, update, { ...options, ratioToItself });
    for (const [i, value] of values) first[i] ??= value;
    if (targetKl > 0 && updates.length > 0 && record.klSampleTrainV1 > targetKl) {
      engine.clearGradients();
      break;
    }
    const { gradNorm } = await engine.optimStep(learningRate);
    updates.push({ ...record, gradNorm });
  }

  const post = options.measurePost ? (await engine.computeLogprobs(batch, 'policy', call)).logprobs : null;
  const trained = batch.map(({ referenceLogprobs, masked }, i): TrainedValues | null => {
    const seen = first[i];
    if (seen === undefined) return null;
    return {
      ...seen,
      referenceLogprobs: referenceLogprobs ?? [],
      postLogprobs: post?.[i] ?? null,
      counted: masked !== true,
    };
  });
  return { updates, updatesSkipped: plan.length - updates.length, trained };
}

async function withOldLogprobs(
  sequences: readonly Sequence[],
  engine: Engine,
  call: { readonly temperature: number; readonly onProgress: (tokens: number) => void },
): Promise<Sequence[]> {
  const { logprobs } = await engine.computeLogprobs(sequences, 'policy', call);
  return sequences.map((sequence, i) => ({ ...sequence, oldLogprobs: logprobs[i] ?? [] }));
}

type FirstValues = Pick<TrainedValues, 'logprobs' | 'oldLogprobs' | 'entropies'>;

/** The gradient of one update, its record without the norm, and what its forward passes saw of each sequence. */
async function accumulate(
  batch: readonly Sequence[],
  update: PlannedUpdate,
  options: BatchTrainerOptions & { readonly ratioToItself: boolean },
): Promise<{ record: Omit<UpdateRecord, 'gradNorm'>; values: Map<number, FirstValues> }> {
  const { engine, loss, ratioToItself } = options;
  const weights = tokenWeights(loss.reduction, loss.maxTokens);
  const parts = update.map((part) => part.flatMap((i) => batch[i] ?? []));
  const values = new Map<number, FirstValues>();
  let total = 0;
  for (const [p, part] of parts.entries()) {
    const denominator = weights.denominator(parts, p);
    const result = await engine.forwardBackward(
      part,
      {
        tokenLoss: loss.tokenLoss,
        weightOf: (i) => weights.numerator(part[i] as Sequence) / denominator,
      },
      { temperature: loss.temperature, onProgress: options.onProgress, ratioToItself },
    );
    total += result.loss;
    part.forEach((sequence, i) => {
      const logprobs = result.logprobs[i] ?? [];
      const oldLogprobs = oldLogprobsOf(sequence, logprobs, ratioToItself);
      values.set(update[p]?.[i] ?? -1, { logprobs, oldLogprobs, entropies: result.entropies[i] ?? [] });
    });
  }
  const order = update.flat();
  const measured = measureUpdate(
    order.flatMap((i) => batch[i] ?? []),
    order.map((i) => values.get(i)?.logprobs ?? []),
    loss,
    ratioToItself,
  );
  return { record: { loss: total, ...measured }, values };
}
