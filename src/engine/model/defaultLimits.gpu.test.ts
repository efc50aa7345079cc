/** Models on a device that has no more than WebGPU promises everywhere: bindings of 128 MiB, buffers of 256 MiB. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { closeGpu, startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { readPeftAdapter } from '../hub/peft.ts';
import { freshInputs, type RandomInputs } from '../kernels/testing/random.ts';
import { embedding, tokenLogprobs, tokenLogprobsGradient } from '../kernels/index.ts';
import { randomAdapterPool } from '../testing/adaptedModels.ts';
import { relativeError, worstDifference } from '../testing/accuracy.ts';
import { adapterGradients, openFolder, POSITIONS, valuesOf, withBase } from '../testing/frozenModels.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { repeatingWeights, type RepeatingWeights } from '../testing/largeVocabulary.ts';
import {
  describeHuggingFaceModels,
  describeReferenceModels,
  type FolderWithAdapters,
} from '../testing/sharedInBrowser.ts';
import { adaptedReferenceSuite } from './adaptedModel.suite.ts';
import { Adapter } from './adapter.ts';
import { parseModelConfig } from './config.ts';
import { FrozenBase } from './frozenBase.ts';
import { frozenBaseSuite } from './frozenBase.suite.ts';
import { LanguageModel, type TokenBatch } from './languageModel.ts';
import { EMBEDDING } from './weightNames.ts';

failOnDeviceProblems();

const MEBIBYTE = 2 ** 20;
const currentLimits = (): GPUSupportedLimits => gpuDispatcher(tf.backend()).device.limits;

async function openByDefaultLimits(): Promise<void> {
  closeGpu();
  await startBackend('webgpu', { limits: 'default' });
}

/** Returns a model's values for its longest sequence, and the gradients of its first adapter over all sequences. */
async function valuesOfFolder({ files, adapters }: FolderWithAdapters) {
  const opened = await openFolder(files);
  const [first] = adapters;
  return withBase(opened, 'auto', async (base) => {
    const model = new LanguageModel(base, POSITIONS);
    const values = await valuesOf(model, opened.sequences[2] ?? [], 0.7);
    model.dispose({ keepWeights: true });
    if (first === undefined) return { values, gradients: null };
    const { settings, arrays } = await readPeftAdapter(first, opened.config);
    const adapter = Adapter.fromPeft(opened.config, settings, arrays);
    const adapted = new LanguageModel(base, POSITIONS, adapter);
    const gradients = await adapterGradients(adapted, adapter, opened.sequences);
    adapted.dispose({ keepWeights: true });
    return { values, gradients: [...gradients] };
  });
}

/** A software adapter runs only the model with the fewest shaders. */
const WANTED = everyCase ? /^(llama3|smollm2|qwen2|qwen3)(-v4)?$/ : /^llama3-v4$/;

describeHuggingFaceModels('frozen bases by default limits', WANTED, (folders) => {
  let raisedBinding = 0;
  const raised = new Map<string, Awaited<ReturnType<typeof valuesOfFolder>>>();

  beforeAll(async () => {
    closeGpu();
    await startBackend('webgpu');
    raisedBinding = currentLimits().maxStorageBufferBindingSize;
    for (const folder of folders) raised.set(folder.files.label, await valuesOfFolder(folder));
    await openByDefaultLimits();
  });

  test('the device has the default ones, and had more', () => {
    expect(raisedBinding).toBeGreaterThan(128 * MEBIBYTE);
    const { maxBufferSize, maxStorageBufferBindingSize } = currentLimits();
    expect([maxBufferSize, maxStorageBufferBindingSize]).toEqual([256 * MEBIBYTE, 128 * MEBIBYTE]);
  });

  for (const folder of folders)
    test(`${folder.files.label}: every bit as by raised limits, gradients too`, async () => {
      expect(await valuesOfFolder(folder)).toEqual(raised.get(folder.files.label));
    });

  if (everyCase) frozenBaseSuite(folders);
});

// On hardware they are by raised limits elsewhere.
if (everyCase)
  describeReferenceModels('adapted reference models by default limits', (models) => {
    beforeAll(openByDefaultLimits);
    adaptedReferenceSuite(models);
  });

/** Qwen2.5-0.5B with one of its 24 layers. */
const LARGE = parseModelConfig({
  model_type: 'qwen2',
  hidden_act: 'silu',
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  vocab_size: 151_936,
  hidden_size: 896,
  num_hidden_layers: 1,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  rope_theta: 1_000_000,
});
const { vocabSize, hiddenSize } = LARGE;
const EMBEDDING_NAME = 'model.embed_tokens.weight';

/** A row of the embedding, which is the head, too. */
function rowOf(weights: RepeatingWeights, row: number): Float64Array {
  const { values, first } = weights.numbersOf(EMBEDDING_NAME);
  const begin = first + row * hiddenSize;
  return Float64Array.from({ length: hiddenSize }, (_, i) => values[(begin + i) % values.length] ?? NaN);
}

interface HeadPosition {
  readonly state: Float32Array;
  readonly target: number;
  readonly temperature: number;
  readonly dlogprob: number;
  readonly dentropy: number;
}

/** The head by definition, over the whole vocabulary: log p of the target, the entropy, and the gradient of a loss that depends on them. */
function headReference(
  weights: RepeatingWeights,
  { state, target, temperature, dlogprob, dentropy }: HeadPosition,
): { logprob: number; entropy: number; dstate: Float64Array } {
  const { values, first } = weights.numbersOf(EMBEDDING_NAME);
  const logits = new Float64Array(vocabSize);
  let at = first % values.length;
  for (let row = 0; row < vocabSize; row++) {
    let sum = 0;
    for (let i = 0; i < hiddenSize; i++) {
      sum += (values[at] ?? NaN) * (state[i] ?? NaN);
      at = at + 1 < values.length ? at + 1 : 0;
    }
    logits[row] = sum / temperature;
  }
  const most = logits.reduce((largest, logit) => Math.max(largest, logit), -Infinity);
  const logSum = most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
  const logprobs = logits.map((logit) => logit - logSum);
  const entropy = -logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
  const dstate = new Float64Array(hiddenSize);
  at = first % values.length;
  for (const [row, logprob] of logprobs.entries()) {
    const p = Math.exp(logprob);
    const dlogit = dlogprob * ((row === target ? 1 : 0) - p) - dentropy * p * (logprob + entropy);
    for (let i = 0; i < hiddenSize; i++) {
      dstate[i] = (dstate[i] ?? NaN) + (dlogit * (values[at] ?? NaN)) / temperature;
      at = at + 1 < values.length ? at + 1 : 0;
    }
  }
  return { logprob: logprobs[target] ?? NaN, entropy, dstate };
}

describe.runIf(everyCase)(`an embedding of ${vocabSize} x ${hiddenSize} by default limits`, () => {
  let random: RandomInputs;
  let weights: RepeatingWeights;
  let base: FrozenBase;
  /** The first and last row of each block, and some between. */
  let rows: Int32Array;

  beforeAll(async () => {
    random = freshInputs();
    await openByDefaultLimits();
    weights = repeatingWeights(LARGE, random);
    base = await FrozenBase.load(LARGE, weights.stored, 'auto');
    const { blocks } = base.matrix(EMBEDDING);
    rows = Int32Array.from([
      ...blocks.flatMap(({ firstRow, rows: count }) => [firstRow, firstRow + count - 1]),
      ...random.ints(6, vocabSize),
    ]);
  });
  afterAll(() => base.dispose());

  test('gathers the rows that are asked for out of several blocks, to the bit', async () => {
    expect(base.matrix(EMBEDDING).blocks.length).toBeGreaterThan(1);
    const gathered = tf.tidy(() => embedding(base.matrix(EMBEDDING), tf.tensor1d(rows, 'int32')));
    const expected = [...rows].flatMap((row) => [...rowOf(weights, row)]);
    expect(await gathered.data()).toEqual(Float32Array.from(expected));
    gathered.dispose();
  });

  test('heads: log-probabilities, entropies and the gradient are those of float64', async () => {
    const [count, temperature] = [3, 0.8];
    const hidden = random.floats(count * hiddenSize, 3);
    const targets = rows.subarray(0, count);
    const [dlogprob, dentropy] = [random.floats(count), random.floats(count)];
    const tensors = {
      hidden: tf.tensor2d(hidden, [count, hiddenSize]),
      head: base.head,
      targets: tf.tensor1d(targets, 'int32'),
      dlogprob: tf.tensor1d(dlogprob),
      dentropy: tf.tensor1d(dentropy),
    };
    const found = tokenLogprobs(tensors.hidden, base.head, tensors.targets, temperature);
    const { dhidden } = tokenLogprobsGradient(tensors, temperature, { head: null });
    const expected = Array.from(targets, (target, i) =>
      headReference(weights, {
        state: hidden.subarray(i * hiddenSize, (i + 1) * hiddenSize),
        target,
        temperature,
        dlogprob: dlogprob[i] ?? NaN,
        dentropy: dentropy[i] ?? NaN,
      }),
    );
    const logprobs = expected.map(({ logprob }) => logprob);
    const entropies = expected.map(({ entropy }) => entropy);
    const gradients = expected.flatMap(({ dstate }) => [...dstate]);
    expect(worstDifference(await found.logprob.data(), logprobs)).toBeLessThan(1e-4);
    expect(worstDifference(await found.entropy.data(), entropies)).toBeLessThan(1e-4);
    expect(relativeError(await dhidden.data(), gradients)).toBeLessThan(1e-4);
    tf.dispose([tensors.hidden, tensors.targets, tensors.dlogprob, tensors.dentropy]);
    tf.dispose([found.logprob, found.entropy, dhidden]);
  });

  test('trains: along its gradient, an adapter changes the loss by as much as the gradient says', async () => {
    const settings = { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj', 'down_proj', 'lm_head'] } as const;
    const start = randomAdapterPool(LARGE, settings, random);
    const adapter = new Adapter(LARGE, settings, start);
    const model = new LanguageModel(base, rows.length, adapter);
    const length = rows.length - 1;
    const tokens: TokenBatch = {
      batch: 1,
      length,
      ids: rows.slice(0, length),
      targets: rows.slice(1),
    };
    const breathe = (): Promise<void> => Promise.resolve();
    const lossAt = async (pool: Float32Array): Promise<number> => {
      adapter.setPacked(pool);
      const state = await model.forward(tokens, breathe, { forBackward: false });
      const { logprob, entropy } = await model.logprobs(state, 1, breathe);
      const values = await logprob.data<'float32'>();
      model.release(state);
      tf.dispose([logprob, entropy]);
      return -values.reduce((sum, value) => sum + value, 0) / length;
    };
    const gradients = adapter.newGradients();
    const state = await model.forward(tokens, breathe);
    const upstream = { logprob: tf.fill([length], -1 / length), entropy: tf.zeros([length]) };
    await model.backward(state, upstream, 1, gradients, breathe);
    model.release(state);
    const gradient = await gradients.pack();
    const slope = gradient.reduce((sum, value) => sum + value * value, 0);
    /** So far that the loss changes by some hundredths of a nat. */
    const step = 0.02 / slope;
    const [before, behind] = [
      await lossAt(start.map((value, i) => value + step * (gradient[i] ?? NaN))),
      await lossAt(start.map((value, i) => value - step * (gradient[i] ?? NaN))),
    ];
    expect((before - behind) / (2 * step * slope)).toBeCloseTo(1, 2);
    gradients.dispose();
    tf.dispose([upstream.logprob, upstream.entropy]);
    model.dispose({ keepWeights: true });
  });
});
