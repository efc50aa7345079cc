/** Answers that a model computes from one sequence, by the same ops as in training and sampling. */
import { breatheIfDue, type ForwardState } from '@rl-playground/engine/parts';
import {
  type LanguageModel,
  tf,
  advance,
  createCaches,
  disposeCaches,
  logitsOf,
  prefill,
} from '@rl-playground/engine/parts/tensors';

/** Logits on the device at a time. */
const CHUNK_LOGITS = 16 * 2 ** 20;
/** New tokens that the caches have room for; after them the sequence so far is run again. */
const GREEDY_ROOM = 256;

/** Runs a sequence, of which each token's target is the next one. */
async function ran<T>(
  model: LanguageModel,
  ids: readonly number[],
  body: (state: ForwardState) => Promise<T>,
): Promise<T> {
  const tokens = {
    batch: 1,
    length: ids.length,
    ids: Int32Array.from(ids),
    targets: Int32Array.from(ids, (_, t) => ids[t + 1] ?? 0),
  };
  const state = await model.forward(tokens, breatheIfDue, { forBackward: false });
  try {
    return await body(state);
  } finally {
    model.release(state);
  }
}

/** @throws Error where the values are not all finite. */
async function taken(tensor: tf.Tensor): Promise<Float32Array> {
  const values = await tensor.data<'float32'>();
  tensor.dispose();
  if (!values.every(Number.isFinite))
    throw new Error(
      "The model's logits are not finite numbers; its weights may be of a run that broke down.",
    );
  return values;
}

/** [T][V]. */
export function logits(model: LanguageModel, ids: readonly number[]): Promise<number[][]> {
  const { vocabSize } = model.config;
  const rows = Math.max(1, Math.floor(CHUNK_LOGITS / vocabSize));
  return ran(model, ids, async ({ hidden }) => {
    const all: number[][] = [];
    for (let first = 0; first < ids.length; first += rows) {
      const count = Math.min(rows, ids.length - first);
      const part = tf.tidy(() => logitsOf(model, tf.slice(hidden as tf.Tensor2D, [first, 0], [count, -1])));
      const values = await taken(part);
      for (let row = 0; row < count; row++)
        all.push(Array.from(values.subarray(row * vocabSize, (row + 1) * vocabSize)));
    }
    return all;
  });
}

/** Log-probabilities of each next token at `temperature`, and the entropy of the whole distribution there: [T − 1], nats. */
export function logprobs(
  model: LanguageModel,
  ids: readonly number[],
  temperature: number,
): Promise<{ logprobs: number[]; entropy: number[] }> {
  return ran(model, ids, async (state) => {
    const { logprob, entropy } = await model.logprobs(state, temperature, breatheIfDue);
    const values = [await taken(logprob), await taken(entropy)];
    const [first = [], second = []] = values.map((each) => Array.from(each.subarray(0, ids.length - 1)));
    return { logprobs: first, entropy: second };
  });
}

/**
 * The likeliest token, `max` times over or until one of `stops` is drawn, which is the last then. If several are the likeliest, the first
 * is taken. `modelFor` gives the model for sequences of so many tokens.
 */
export async function greedy(
  modelFor: (length: number) => LanguageModel,
  ids: readonly number[],
  max: number,
  stops: readonly number[],
): Promise<number[]> {
  const found: number[] = [];
  const ended = (): boolean => found.length >= max || stops.includes(found.at(-1) ?? -1);
  while (!ended()) {
    const prompt = [...ids, ...found];
    const room = Math.min(GREEDY_ROOM, max - found.length);
    const model = modelFor(prompt.length + room);
    const caches = createCaches(model, 1, prompt.length + room);
    try {
      const copies = { sources: [0], slots: [0] };
      found.push(await likeliest(tf.tidy(() => prefill(model, [prompt], prompt.length, caches, copies))));
      for (let made = 1; made < room && !ended(); made++) {
        const rows = {
          ids: Int32Array.of(found.at(-1) ?? 0),
          positions: Int32Array.of(ids.length + found.length - 1),
          slots: Int32Array.of(0),
        };
        found.push(await likeliest(tf.tidy(() => advance(model, rows, caches))));
      }
    } finally {
      disposeCaches(caches);
    }
  }
  return found;
}

async function likeliest(row: tf.Tensor): Promise<number> {
  const values = await taken(row);
  let best = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] as number) > (values[best] as number)) best = i;
  return best;
}
