/** The tokens that a model would most likely write next. */
import { checkBackend } from '../backend/backendHealth.ts';
import { breatheIfDue } from '../backend/eventLoop.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { paddedLength } from '../update/batch.ts';

export interface LikelyToken {
  readonly token: number;
  /** At the temperature, before any filter; nats. */
  readonly logprob: number;
}

interface Wanted {
  /** Whose log-probability is wanted too. */
  readonly token: number;
  readonly temperature: number;
  /** How many. */
  readonly count: number;
}

/** Behind `ids`, of which there is at least one; among equals the lowest id first. @throws Error where the model has no room for them. */
export async function likeliestTokens(
  model: LanguageModel,
  ids: readonly number[],
  { token, temperature, count }: Wanted,
): Promise<{ readonly likeliest: readonly LikelyToken[]; readonly logprob: number }> {
  const length = paddedLength({ promptIds: ids, tokens: [token] });
  const [positions = 0] = model.ropeTables.cosines.shape;
  if (ids.length === 0 || length > positions)
    throw new Error(`${ids.length} tokens were given; from 1 to ${positions} have room, padding included.`);
  const padded = new Int32Array(length);
  padded.set(ids);
  const tokens = {
    batch: 1,
    length,
    ids: padded,
    targets: new Int32Array(length),
    wanted: Int32Array.of(ids.length - 1),
  };
  const state = await model.forward(tokens, breatheIfDue, { forBackward: false });
  const logits = model.logits(state);
  model.release(state);
  const values = await logits.data<'float32'>();
  logits.dispose();
  await checkBackend();
  const row = Float64Array.from(values.subarray(0, model.config.vocabSize), (value) => value / temperature);
  const largest = row.reduce((most, value) => Math.max(most, value), -Infinity);
  const total = largest + Math.log(row.reduce((sum, value) => sum + Math.exp(value - largest), 0));
  const likeliest = largestOf(row, count).map((each) => ({
    token: each,
    logprob: (row[each] ?? NaN) - total,
  }));
  return { likeliest, logprob: (row[token] ?? NaN) - total };
}

/** Indices of the largest values, in their order: the vocabulary is not sorted for five of its tokens. */
function largestOf(values: Float64Array, count: number): number[] {
  const found: number[] = [];
  while (found.length < Math.min(count, values.length)) {
    let best = -1;
    for (const [index, value] of values.entries())
      if ((best < 0 || value > (values[best] ?? NaN)) && !found.includes(index)) best = index;
    found.push(best);
  }
  return found;
}
