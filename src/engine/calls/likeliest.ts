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
 * Returns the log-probabilities of all tokens, at a temperature and before any filter, behind each of the last `places` of `ids`: the last
 * row is of what follows all of them. @throws Error if there are no ids or fewer than places, or if the model has no room for them.
 */
export async function nextLogprobs(
  model: LanguageModel,
  ids: readonly number[],
  { places, temperature }: { readonly places: number; readonly temperature: number },
): Promise<Float64Array[]> {
  const length = paddedLength({ promptIds: ids, tokens: [0] });
  const { positions } = model;
  if (ids.length === 0 || length > positions)
    throw new Error(`${ids.length} tokens were given; from 1 to ${positions} have room, padding included.`);
  const padded = new Int32Array(length);
  padded.set(ids);
  const tokens = {
    batch: 1,
    length,
    ids: padded,
    targets: new Int32Array(length),
    wanted: Int32Array.from({ length: places }, (_, i) => ids.length - places + i),
  };
  const state = await model.forward(tokens, breatheIfDue, { forBackward: false });
  const logits = model.logits(state);
  model.release(state);
  const values = await logits.data<'float32'>();
  const [, width] = logits.shape;
  logits.dispose();
  await checkBackend();
  const rows: Float64Array[] = [];
  for (let i = 0; i < places; i++) {
    const own = values.subarray(i * width, i * width + model.config.vocabSize);
    const row = Float64Array.from(own, (value) => value / temperature);
    const largest = row.reduce((most, value) => Math.max(most, value), -Infinity);
    const total = largest + Math.log(row.reduce((sum, value) => sum + Math.exp(value - largest), 0));
    rows.push(row.map((value) => value - total));
    await breatheIfDue();
  }
  return rows;
}

/** Returns the likeliest tokens after `ids`, with the log-probability of `token`. Equal ones are in the order of their ids. @throws as `nextLogprobs` does. */
export async function likeliestTokens(
  model: LanguageModel,
  ids: readonly number[],
  { token, temperature, count }: Wanted,
): Promise<{ readonly likeliest: readonly LikelyToken[]; readonly logprob: number }> {
  const [row = new Float64Array()] = await nextLogprobs(model, ids, { places: 1, temperature });
  const likeliest = largestOf(row, count).map((each) => ({ token: each, logprob: row[each] ?? NaN }));
  return { likeliest, logprob: row[token] ?? NaN };
}

/** The indices of the largest values, in their order, without sorting the whole vocabulary for five tokens. */
export function largestOf(values: Float64Array, count: number): number[] {
  const found: number[] = [];
  while (found.length < Math.min(count, values.length)) {
    let best = -1;
    for (const [index, value] of values.entries())
      if ((best < 0 || value > (values[best] ?? NaN)) && !found.includes(index)) best = index;
    found.push(best);
  }
  return found;
}
