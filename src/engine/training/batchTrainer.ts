/** Trains on one whole batch: how it is cut into passes, updates and mini-batches, an early stop by KL, and the record of each update. */
import type { Sequence } from '../loss/sequence.ts';
import type { Engine } from '../calls/engine.ts';
import type { RatioBounds } from '../loss/losses.ts';
import type { LossOptions } from '../loss/trainingLoss.ts';
import type { TrainedValues, UpdateRecord } from './records.ts';
import { countedTokens, tokenWeights } from '../loss/reduction.ts';
import type { ValueTerm } from '../loss/valueLoss.ts';
import type { ValueRecord } from '../update/trainer.ts';

export interface UpdateSettings {
  /** Contiguous parts of the batch, each an update of its own (Tinker's `num_substeps`). */
  readonly numSubsteps: number;
  /** Passes over the batch (PPO's epochs, TRL's `num_iterations`). */
  readonly ppoEpochs: number;
  /** Answers per mini-batch of a shuffled batch; 0 keeps the batch, or its substeps, whole. */
  readonly miniBatchSize: number;
  /** Mini-batches whose gradients are added up to one update. */
  readonly gradientAccumulation: number;
}

/** One update: the sequences of each of its mini-batches, by index. */
export type PlannedUpdate = readonly (readonly number[])[];

/**
 * The updates of a batch of `count` sequences, all passes after each other. Parts are as equal as whole numbers allow (they are equal where
 * nothing was removed from the batch); none is empty. Mini-batches are of a shuffled batch, as TRL's and PPO's are, by `draw`
 * (uniform in [0, 1)); substeps are contiguous, as Tinker's are.
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

/** Contiguous, as many as there are items at most. */
function evenParts(items: readonly number[], wanted: number): number[][] {
  const parts = Math.min(wanted, items.length);
  const edge = (k: number): number => Math.floor((k * items.length) / parts);
  return Array.from({ length: parts }, (_, k) => items.slice(edge(k), edge(k + 1)));
}

/** Fisher and Yates. */
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
  /** Hears the padded tokens done since it was last called. */
  readonly onProgress?: (tokens: number) => void;
}

export interface UpdateOptions extends PartOptions {
  /** Mean completion tokens of the updates of the batch, those that count. */
  readonly updateTokens: number;
}

export interface BatchTrainerOptions extends Omit<PartOptions, 'ratioToItself'> {
  readonly engine: Engine;
  readonly plan: UpdateSettings;
  readonly learningRate: number;
  /** Mean of log q − log p beyond which no further update of the batch is made; 0 is off. */
  readonly targetKl: number;
  readonly measurePost: boolean;
  /** Shuffles mini-batches; uniform in [0, 1). */
  readonly draw: () => number;
}

export interface BatchOutcome {
  readonly updates: readonly UpdateRecord[];
  readonly updatesSkipped: number;
  /** Of each sequence of the batch; null where no forward pass of an update saw it: the early stop by KL leaves such. */
  readonly trained: (TrainedValues | null)[];
}

/**
 * `sequences` carry log p_ref. With p_old from the trainer and more than one update, log p_old is taken of the whole batch first, unless
 * they carry it; with one update it is p itself, so that the ratio is exactly 1. An update is not made where the mean of log q − log p of its own forward pass has
 * passed the target (as PPO implementations stop early): it and all that would follow count as skipped.
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

/** The gradient of one update, its record without the norm, and what its forward passes saw of each of its sequences. */
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

/** What a part of an update weighs in it. */
export interface PartShare {
  /** Of the weights of its tokens. */
  readonly denominator: number;
  /** Parts that make up the update. */
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

/** log p_old of a sequence; p itself where the ratio is taken to it. */
export function oldLogprobsOf(
  sequence: Sequence,
  logprobs: ArrayLike<number>,
  ratioToItself: boolean,
): ArrayLike<number> {
  return ratioToItself ? logprobs : (sequence.oldLogprobs ?? sequence.samplerLogprobs);
}

/**
 * Means of log q − log p and of half its square over the tokens of `sequences`, the greatest size of the difference in f32 and how often it is 0, and the shares of tokens whose ratio lies below its bound with A < 0 and above it
 * with A > 0: only there does clipping act. `logprobs`: log p of each, in the forward pass of the update.
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
