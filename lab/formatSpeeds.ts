/** Times sampling and learning of a model on a frozen base, in one thread pool and without anything around it. */
import { breatheIfDue } from '@rl-playground/engine/parts';
import {
  Adapter,
  advance,
  createCaches,
  disposeCaches,
  LanguageModel,
  prefill,
  tf,
  type FrozenBase,
} from '@rl-playground/engine/parts/tensors';
import { firstAdapter } from './bench/participants/inputs.ts';

/** The answers that are sampled together. */
export const BATCH = 64;
/** The sequences of an update. */
export const TRAINED = 8;
/** The tokens of each answer, alone and in a batch. */
const NEW = { alone: 48, inBatch: 8 };
const RANK = 8;

export interface FormatSpeeds {
  /** Tokens a second of one answer, and of a batch together. */
  readonly alone: number;
  readonly inBatch: number;
  /** Seconds of forward and backward of an update by LoRA. */
  readonly update: number;
}

/** The tokens a second of `rows` answers together, behind a prompt. */
async function sampled(
  model: LanguageModel,
  prompt: readonly number[],
  rows: number,
  steps: number,
): Promise<number> {
  const caches = createCaches(model, rows, prompt.length + steps);
  const next = async (logits: tf.Tensor): Promise<void> => {
    await logits.data();
    logits.dispose();
  };
  const slots = Int32Array.from({ length: rows }, (_, row) => row);
  const copies = { sources: Array.from(slots, () => 0), slots: [...slots] };
  await next(tf.tidy(() => prefill(model, [prompt], prompt.length, caches, copies)));
  const began = performance.now();
  for (let made = 0; made < steps; made++) {
    const places = {
      ids: slots.map((row) => prompt[(made + row) % prompt.length] ?? 0),
      positions: slots.map(() => prompt.length + made),
      slots,
    };
    await next(tf.tidy(() => advance(model, places, caches)));
  }
  disposeCaches(caches);
  return (1000 * rows * steps) / (performance.now() - began);
}

/** The seconds of forward and backward of some sequences. */
async function updated(model: LanguageModel, ids: readonly number[]): Promise<number> {
  const all = Array.from({ length: TRAINED }, () => ids).flat();
  const tokens = {
    batch: TRAINED,
    length: ids.length,
    ids: Int32Array.from(all),
    targets: Int32Array.from(all),
  };
  const gradients = model.trainable.newGradients();
  const began = performance.now();
  const state = await model.forward(tokens, breatheIfDue);
  const { logprob, entropy, slope } = await model.logprobs(state, 1, breatheIfDue, { slopes: true });
  const upstream = { logprob: tf.onesLike(logprob), entropy: tf.zerosLike(entropy), slope };
  await model.backward(state, upstream, 1, gradients, breatheIfDue);
  const seconds = (performance.now() - began) / 1000;
  model.release(state);
  tf.dispose([logprob, entropy, upstream.logprob, upstream.entropy, ...(slope ? [slope] : [])]);
  gradients.dispose();
  return seconds;
}

/** Measures a base with a new adapter, after a first update that warms up. `ids` is the prompt, and every sequence of the update. */
export async function speedsOf(base: FrozenBase, ids: readonly number[]): Promise<FormatSpeeds> {
  const { settings, packed } = firstAdapter({ rank: RANK }, base.config);
  const adapter = new Adapter(base.config, settings, packed);
  const model = new LanguageModel(base, ids.length + NEW.alone, adapter);
  await updated(model, ids);
  const update = await updated(model, ids);
  const alone = await sampled(model, ids, 1, NEW.alone);
  const inBatch = await sampled(model, ids, BATCH, NEW.inBatch);
  model.dispose({ keepWeights: true });
  return { alone, inBatch, update };
}
