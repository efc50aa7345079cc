/** Trains on one whole batch: cuts it into passes, updates and mini-batches, stops early by KL, and records each update. */
import type { Sequence } from '../loss/sequence.ts';
import type { Engine } from '../calls/engine.ts';
import type { RatioBounds } from '../loss/losses.ts';
import type { LossOptions } from '../loss/trainingLoss.ts';
import type { TrainedValues, UpdateRecord } from './records.ts';
import { countedTokens, tokenWeights } from '../loss/reduction.ts';
import type { ValueTerm } from '../loss/valueLoss.ts';
import type { ValueRecord } from '../update/trainer.ts';

export interface UpdateSettings {
  /** The number of contiguous parts of the batch, each with an update of its own (Tinker's `num_substeps`). */
  readonly numSubsteps: number;
  /** The number of passes over the batch (PPO's epochs, TRL's `num_iterations`). */
  readonly ppoEpochs: number;
  /** The answers in a mini-batch of a shuffled batch; 0 keeps the batch, or its substeps, whole. */
  readonly miniBatchSize: number;
  /** The number of mini-batches whose gradients are summed for one update. */
  readonly gradientAccumulation: number;
}

/** One update: the sequences of each of its mini-batches, by index. */
export type PlannedUpdate = readonly (readonly number[])[];

/**
 * The updates of a batch of `count` sequences, all passes in order. Parts are as equal as whole numbers allow, and none is empty.
 * Mini-batches are those of a batch that `draw` (uniform in [0, 1)) shuffles, as in TRL and PPO; substeps are contiguous, as in Tinker.
 */
export function planUpdates(count: number, settings: UpdateSettings, draw: () => number): PlannedUpdate[] {
  const { numSubsteps, ppoEpochs, miniBatchSize, gradientAccumulation } = settings;
  const all = Array.from({ length: count }, (_, i) => i);
  const pass = (): PlannedUpdate[] => {
    if (miniBatchSize === 0)
      return evenParts(all, numSubsteps).map((substep) => evenParts(substep, gradientAccumulation));
    const miniBatches = evenParts(shuffled(all, draw), Math.ceil(count / miniBatchSize));
    const updates = Math.ceil(miniBatches.length / gradientAccumulation);
    return Array.from({ length: updates }, (_, k) =>
      miniBatches.slice(k * gradientAccumulation, (k + 1) * gradientAccumulation),
    );
  };
  return Array.from({ length: ppoEpochs }, pass).flat();
}

/** Cuts items into contiguous parts, at most one for each item. */
function evenParts(items: readonly number[], wanted: number): number[][] {
  const parts = Math.min(wanted, items.length);
  const edge = (k: number): number => Math.floor((k * items.length) / parts);
  return Array.from({ length: parts }, (_, k) => items.slice(edge(k), edge(k + 1)));
}

/** Fisher and Yates' shuffle. */
function shuffled(items: readonly number[], draw: () => number): number[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const at = Math.floor(draw() * (last + 1));
    [order[last], order[at]] = [order[at] ?? 0, order[last] ?? 0];
  }
  return order;
}

interface PartOptions {
  readonly engine: Pick<Engine, 'forwardBackward'>;
  readonly loss: LossOptions;
  /** p_old is p itself. */
  readonly ratioToItself: boolean;
  /** Receives the number of tokens of the sequences done since the last call, prompts included. */
  readonly onProgress?: (tokens: number) => void;
}

export interface UpdateOptions extends PartOptions {
  /** The mean number of completion tokens in an update of the batch, counting those that are learned from. */
  readonly updateTokens: number;
}

export interface BatchTrainerOptions extends Omit<PartOptions, 'ratioToItself'> {
  readonly engine: Engine;
  readonly plan: UpdateSettings;
  readonly learningRate: number;
  /** The mean of log q − log p beyond which no further update of the batch is made; 0 turns it off. */
  readonly targetKl: number;
  readonly measurePost: boolean;
  /** Draws uniform numbers in [0, 1) that shuffle the mini-batches. */
  readonly draw: () => number;
}

export interface BatchOutcome {
  readonly updates: readonly UpdateRecord[];
  readonly updatesSkipped: number;
  /** The values of each sequence of the batch; null if no update's forward pass saw it, because of the early stop by KL. */
  readonly trained: (TrainedValues | null)[];
}

/**
 * Trains on `sequences`, which have log p_ref. With p_old from the trainer and more than one update, log p_old of the whole batch is
 * computed first, unless the sequences have it. With one update it is p itself, so that the ratio is exactly 1. An update is skipped,
 * with all that follow, once the mean of log q − log p in its own forward pass exceeds the target (PPO implementations stop early in the
 * same way).
 */
export async function trainOnBatch(
  sequences: readonly Sequence[],
  options: BatchTrainerOptions,
): Promise<BatchOutcome> {
  const { engine, loss, learningRate, targetKl } = options;
  const plan = planUpdates(sequences.length, options.plan, options.draw);
  const ratioToItself = loss.oldLogprobs === 'trainer' && plan.length === 1;
  const updateTokens = (countedTokens(sequences) * options.plan.ppoEpochs) / plan.length;
  const call = { temperature: loss.temperature, onProgress: options.onProgress };
  const known = sequences.every(({ oldLogprobs }) => oldLogprobs !== undefined);
  const batch =
    loss.oldLogprobs === 'trainer' && !ratioToItself && !known
      ? await withOldLogprobs(sequences, engine, call)
      : sequences;

  const first: (TrainedValues | undefined)[] = [];
  const updates: UpdateRecord[] = [];
  for (const update of plan) {
    const { record, trained } = await trainOnUpdate(batch, update, {
      ...options,
      ratioToItself,
      updateTokens,
    });
    for (const [k, i] of update.flat().entries()) first[i] ??= trained[k];
    if (targetKl > 0 && updates.length > 0 && record.klSampleTrainV1 > targetKl) {
      engine.clearGradients();
      break;
    }
    const { gradNorm } = await engine.optimStep(learningRate);
    updates.push({ ...record, gradNorm });
  }

  const post = options.measurePost ? (await engine.computeLogprobs(batch, 'policy', call)).logprobs : null;
  const trained = batch.map((_, i): TrainedValues | null => {
    const seen = first[i];
    return seen === undefined ? null : { ...seen, postLogprobs: post?.[i] ?? null };
  });
  return { updates, updatesSkipped: plan.length - updates.length, trained };
}

async function withOldLogprobs(
  sequences: readonly Sequence[],
  engine: Engine,
  call: { readonly temperature: number; readonly onProgress?: (tokens: number) => void },
): Promise<Sequence[]> {
  const { logprobs } = await engine.computeLogprobs(sequences, 'policy', call);
  return sequences.map((sequence, i) => ({ ...sequence, oldLogprobs: logprobs[i] ?? [] }));
}

/** Returns the gradient of one update, its record without the norm, and what its forward passes saw of each of its sequences. */
export async function trainOnUpdate(
  batch: readonly Sequence[],
  update: PlannedUpdate,
  options: UpdateOptions,
): Promise<{ record: Omit<UpdateRecord, 'gradNorm'>; trained: TrainedValues[] }> {
  const { loss, ratioToItself, updateTokens } = options;
  const weights = tokenWeights(loss.reduction, loss.maxTokens, updateTokens);
  const parts = update.map((part) => part.flatMap((i) => batch[i] ?? []));
  const trained: TrainedValues[] = [];
  let total = 0;
  const value = loss.value && { ...loss.value, scale: 1 / countedTokens(parts.flat()) };
  const ofHead = { loss: 0, clipped: 0 };
  for (const [p, part] of parts.entries()) {
    const share = { denominator: weights.denominator(parts, p), parts: parts.length };
    const values = await addGradient(part, share, { ...options, value });
    total += values.loss;
    ofHead.loss += values.value?.loss ?? 0;
    ofHead.clipped += values.value?.clipped ?? 0;
    trained.push(...values.trained);
  }
  const logprobs = trained.map((values) => values.logprobs);
  const measured = measureUpdate(parts.flat(), logprobs, loss, ratioToItself);
  const record = value
    ? { loss: total + value.coefficient * ofHead.loss, ...measured, value: ofHead }
    : { loss: total, ...measured };
  return { record, trained };
}

/** The weight of a part within an update. */
export interface PartShare {
  /** The divisor of the weights of its tokens. */
  readonly denominator: number;
  readonly parts: number;
}

/** Adds the gradient of a part of an update. Resolves to its loss and what training on each sequence saw. */
export async function addGradient(
  part: readonly Sequence[],
  { denominator, parts }: PartShare,
  { engine, loss, ratioToItself, onProgress, value }: PartOptions & { readonly value?: ValueTerm | null },
): Promise<{ loss: number; value?: ValueRecord; trained: TrainedValues[] }> {
  const weights = tokenWeights(loss.reduction, loss.maxTokens);
  const values = await engine.forwardBackward(
    part,
    {
      tokenLoss: loss.tokenLoss,
      weightOf: (i) => weights.numerator(part[i] as Sequence) / denominator,
      topEntropyQuantile: loss.topEntropyQuantile,
      entropyCoef: loss.entropyCoef / parts,
      ...(value && { value }),
    },
    { temperature: loss.temperature, onProgress, ratioToItself },
  );
  const trained = part.map((sequence, i): TrainedValues => {
    const logprobs = values.logprobs[i] ?? [];
    return {
      logprobs,
      oldLogprobs: oldLogprobsOf(sequence, logprobs, ratioToItself),
      entropies: values.entropies[i] ?? [],
      referenceLogprobs: sequence.referenceLogprobs ?? [],
      postLogprobs: null,
      counted: sequence.masked !== true,
    };
  });
  return { loss: values.loss, ...(values.value && { value: values.value }), trained };
}

/** log p_old of a sequence, or p itself if the ratio is taken to it. */
export function oldLogprobsOf(
  sequence: Sequence,
  logprobs: ArrayLike<number>,
  ratioToItself: boolean,
): ArrayLike<number> {
  return ratioToItself ? logprobs : (sequence.oldLogprobs ?? sequence.samplerLogprobs);
}

/**
 * Measures an update over the tokens of `sequences`: the means of log q − log p and of half its square, the greatest size of that
 * difference in f32, how often it is 0, and the shares of tokens whose ratio is below its bound with A < 0 or above it with A > 0,
 * because clipping acts only there. `logprobs` has log p of each sequence in the forward pass of the update.
 */
export function measureUpdate(
  sequences: readonly Sequence[],
  logprobs: readonly ArrayLike<number>[],
  { clip, ratioLevel }: { readonly clip: RatioBounds | null } & Pick<LossOptions, 'ratioLevel'>,
  ratioToItself: boolean,
): Omit<UpdateRecord, 'loss' | 'gradNorm' | 'value'> {
  const sums = { gap: 0, square: 0, greatest: 0, exact: 0, low: 0, high: 0, tokens: 0 };
  sequences.forEach((sequence, i) => {
    if (sequence.masked === true) return;
    const { samplerLogprobs, advantages, tokens } = sequence;
    const policy = logprobs[i] ?? [];
    const old = oldLogprobsOf(sequence, policy, ratioToItself);
    const logRatioAt = (t: number): number => (policy[t] ?? NaN) - (old[t] ?? NaN);
    const mean = ratioLevel === 'sequence' ? meanOver(tokens.length, logRatioAt) : 0;
    for (let t = 0; t < tokens.length; t++) {
      sums.tokens++;
      const gap = (samplerLogprobs[t] ?? NaN) - (policy[t] ?? NaN);
      sums.gap += gap;
      sums.square += 0.5 * gap * gap;
      const asTrained = Math.abs(Math.fround(samplerLogprobs[t] ?? NaN) - (policy[t] ?? NaN));
      sums.greatest = Math.max(sums.greatest, asTrained);
      if (asTrained === 0) sums.exact++;
      if (clip === null) continue;
      const ratio = Math.exp(ratioLevel === 'sequence' ? mean : logRatioAt(t));
      const advantage = advantages[t] ?? 0;
      if (ratio < clip.low && advantage < 0) sums.low++;
      if (ratio > clip.high && advantage > 0) sums.high++;
    }
  });
  const tokens = Math.max(1, sums.tokens);
  return {
    klSampleTrainV1: sums.gap / tokens,
    klSampleTrainV2: sums.square / tokens,
    greatestGap: sums.greatest,
    exactTokens: sums.exact,
    clippedLow: sums.low / tokens,
    clippedHigh: sums.high / tokens,
    tokens: sums.tokens,
  };
}

function meanOver(length: number, valueAt: (index: number) => number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += valueAt(i);
  return sum / length;
}
