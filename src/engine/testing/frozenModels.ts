/** Models of `../shared/refdata/hf` on a frozen base of the running backend, and computations with them. */
import type { BaseFormat } from '../model/baseFormats.ts';
import * as tf from '../backend/tf.ts';
import { OpenFolder } from '../hub/openFolder.ts';
import { readModelConfig } from '../hub/load.ts';
import type { ModelFiles } from '../hub/types.ts';
import { openWeights } from '../hub/weights.ts';
import type { Adapter } from '../model/adapter.ts';
import type { ModelConfig } from '../model/config.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import type { StoredWeights } from '../model/storedWeights.ts';
import { parseExpectedTensors, type ExpectedTensor } from './expectedTensors.ts';

/** The number of positions, enough for the longest sequence. */
export const POSITIONS = 80;
const SEQUENCES = [0, 1, 2];

const breathe = (): Promise<void> => Promise.resolve();

type Expected = ReadonlyMap<string, ExpectedTensor>;

export const expectedOf = async (files: ModelFiles, name: string): Promise<Expected> =>
  parseExpectedTensors((await new OpenFolder(files).read(name)) ?? new Uint8Array());

/** @throws Error if there is no such tensor. */
export function valuesIn(expected: Expected, name: string): Float64Array {
  const tensor = expected.get(name);
  if (!tensor) throw new Error(`The expected answers lack ${name}.`);
  return tensor.values;
}

/** log p and entropy of each next token. */
export async function valuesOf(model: LanguageModel, ids: ArrayLike<number>, temperature: number) {
  const length = ids.length - 1;
  const tokens = {
    batch: 1,
    length,
    ids: Int32Array.from({ length }, (_, t) => ids[t] ?? 0),
    targets: Int32Array.from({ length }, (_, t) => ids[t + 1] ?? 0),
  };
  const state = await model.forward(tokens, breathe, { forBackward: false });
  const { logprob, entropy } = await model.logprobs(state, temperature, breathe);
  model.release(state);
  const values = { logprobs: (await logprob.data()).slice(), entropy: (await entropy.data()).slice() };
  tf.dispose([logprob, entropy]);
  return values;
}

/** d mean cross-entropy of all sequences / d factors of the adapter, by PEFT's names. */
export async function adapterGradients(
  model: LanguageModel,
  adapter: Adapter,
  sequences: readonly Float64Array[],
) {
  const gradients = adapter.newGradients();
  const count = sequences.reduce((sum, ids) => sum + ids.length - 1, 0);
  for (const ids of sequences) {
    const length = ids.length - 1;
    const tokens = {
      batch: 1,
      length,
      ids: Int32Array.from(ids.subarray(0, length)),
      targets: Int32Array.from(ids.subarray(1)),
    };
    const state = await model.forward(tokens, breathe);
    const upstream = { logprob: tf.fill([length], -1 / count), entropy: tf.zeros([length]) };
    await model.backward(state, upstream, 1, gradients, breathe);
    model.release(state);
    tf.dispose([upstream.logprob, upstream.entropy]);
  }
  const pool = (await gradients.tensor.data<'float32'>()).slice();
  gradients.dispose();
  return adapter.unpackNamed(pool);
}

/** A folder of `refdata/hf`. */
export interface OpenedFolder {
  readonly config: ModelConfig;
  readonly weights: StoredWeights;
  readonly expected: Expected;
  readonly sequences: readonly Float64Array[];
}

export async function openFolder(files: ModelFiles): Promise<OpenedFolder> {
  const config = await readModelConfig(files);
  const expected = await expectedOf(files, 'expected.safetensors');
  return {
    config,
    weights: (await openWeights(files, config)).weights,
    expected,
    sequences: SEQUENCES.map((i) => valuesIn(expected, `seq${i}/input_ids`)),
  };
}

export async function withBase<T>(
  { config, weights }: OpenedFolder,
  format: BaseFormat,
  body: (base: FrozenBase) => Promise<T>,
): Promise<T> {
  const base = await FrozenBase.load(config, weights, format);
  try {
    return await body(base);
  } finally {
    base.dispose();
  }
}
