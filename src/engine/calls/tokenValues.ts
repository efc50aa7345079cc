/** The values of a model at given tokens, without a gradient. */
import { checkBackend } from '../backend/backendHealth.ts';
import type { Breathe } from '../backend/eventLoop.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import type { Sequence, TokenValues } from '../loss/sequence.ts';
import { packMicrobatches } from '../update/batch.ts';
import { forwardOnly } from '../update/trainer.ts';
import type { CallOptions } from './calls.ts';

export interface PassParts {
  /** The most padded tokens that go through the model at once. */
  readonly microBatchTokens: number;
  /** Gives the event loop a turn. */
  readonly breathe: Breathe;
}

/** log p and entropy of each completion token under `model`. */
export async function tokenValues(
  sequences: readonly Pick<Sequence, 'promptIds' | 'tokens'>[],
  model: LanguageModel,
  { microBatchTokens, breathe }: PassParts,
  { temperature = 1, onProgress }: CallOptions,
): Promise<TokenValues> {
  const microbatches = packMicrobatches(
    sequences.map(({ promptIds, tokens }) => ({ promptIds, tokens, samplerLogprobs: [], advantages: [] })),
    () => 0,
    microBatchTokens,
  );
  const values = await forwardOnly(microbatches, { policy: model, temperature, breathe, onProgress });
  await checkBackend();
  return values;
}
