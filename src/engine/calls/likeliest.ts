/** The tokens that a model would most likely write next. */
import { checkBackend } from '../backend/backendHealth.ts';
import { breatheIfDue } from '../backend/eventLoop.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { paddedLength } from '../update/batch.ts';

export interface LikelyToken {
  readonly token: number;
  /** The log-probability at the temperature, before any filter, in nats. */
  readonly logprob: number;
}

interface Wanted {
  /** A token whose log-probability is wanted too. */
  readonly token: number;
  readonly temperature: number;
  /** The number of likeliest tokens. */
  readonly count: number;
}

/**
 * Returns the likeliest tokens after `ids`, of which there must be at least one. Equal ones are in the order of their ids. @throws Error
 * if the model has no room for them.
 */
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

/** The indices of the largest values, in their order, without sorting the whole vocabulary for five tokens. */
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
