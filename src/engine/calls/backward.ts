/** The losses of `forwardBackward`: by name, as the loop weighs it, or a function of the caller's. */
import type { LossName } from '../loss/lossRows.ts';
import type { TrainedGradients } from '../model/adapter.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import type { ValueHead } from '../model/valueHead.ts';
import { customGradients, type CustomLoss } from '../loss/customLoss.ts';
import { withEntropyTerms } from '../loss/entropyTerms.ts';
import { reinforce } from '../loss/losses.ts';
import { weightedLoss, type NamedLoss, type WeightedLoss } from '../loss/namedLoss.ts';
import type { MarkedSequence, Sequence } from '../loss/sequence.ts';
import { packMicrobatches } from '../update/batch.ts';
import { forwardBackward, type BackwardValues } from '../update/trainer.ts';
import type { CallOptions } from './calls.ts';
import { tokenValues, type PassParts } from './tokenValues.ts';

export interface BackwardParts extends PassParts {
  readonly policy: LanguageModel;
  readonly gradients: TrainedGradients;
  readonly valueGradients: ValueHead | null;
  /** The engine calls it if a pass fails that may have added a part of its gradient. */
  readonly giveUp: () => void;
}

export async function addLossGradient(
  sequences: readonly Sequence[],
  loss: LossName | NamedLoss | WeightedLoss | CustomLoss,
  parts: BackwardParts,
  options: CallOptions,
): Promise<BackwardValues> {
  if (sequences.length === 0) return { loss: 0, logprobs: [], entropies: [] };
  if (typeof loss === 'function') return addCustom(sequences, loss, parts, options);
  const weighted =
    typeof loss === 'object' && 'tokenLoss' in loss
      ? loss
      : weightedLoss(sequences, loss, options.ratioToItself);
  const { topEntropyQuantile = 1, entropyCoef = 0 } = weighted;
  // The least certain tokens are known only when all of them have been seen.
  const { entropies } =
    topEntropyQuantile < 1 ? await tokenValues(sequences, parts.policy, parts, options) : { entropies: [] };
  const marked = withEntropyTerms(sequences, { topEntropyQuantile, entropyCoef }, entropies);
  return accumulate(marked, weighted, parts, options);
}

async function accumulate(
  sequences: readonly MarkedSequence[],
  { tokenLoss: loss, weightOf, value }: WeightedLoss,
  { policy, gradients, valueGradients, breathe, microBatchTokens, giveUp }: BackwardParts,
  { temperature = 1, onProgress, ratioToItself }: CallOptions,
): Promise<BackwardValues> {
  const microbatches = packMicrobatches(sequences, weightOf, microBatchTokens);
  const ofHead = value && { value: { ...value, gradients: valueGradients } };
  const pass = { policy, temperature, loss, breathe, onProgress, ratioToItself, ...ofHead };
  try {
    return await forwardBackward(microbatches, pass, gradients);
  } catch (error) {
    giveUp();
    throw error;
  }
}

async function addCustom(
  sequences: readonly Sequence[],
  loss: CustomLoss,
  parts: BackwardParts,
  options: CallOptions,
): Promise<BackwardValues> {
  const before = await tokenValues(sequences, parts.policy, parts, options);
  const old = options.ratioToItself === true ? before.logprobs : null;
  const { value, gradients, entropyGradients } = await customGradients(sequences, before, loss, old);
  // ℓ = g · log p + h · H has the gradients g and h, whatever the loss was.
  const surrogate = sequences.map((sequence, i) => ({
    ...sequence,
    advantages: Array.from(gradients[i] ?? [], (gradient) => -gradient),
    ...(entropyGradients && { entropyWeights: entropyGradients[i] ?? [] }),
  }));
  await accumulate(surrogate, { tokenLoss: reinforce, weightOf: () => 1 }, parts, options);
  return { logprobs: before.logprobs, entropies: before.entropies, loss: value };
}
