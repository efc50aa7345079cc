/** Models on a frozen base against what Hugging Face's libraries compute, and against the same base widened. */
import { expect, test } from 'vitest';
import type { BaseFormat } from '../base/baseFormats.ts';
import { readPeftAdapter } from '../hub/peft.ts';
import { openWeights } from '../hub/weights.ts';
import { parseJsonObject, readRequired } from '../hub/readFile.ts';
import type { ModelFiles } from '../hub/types.ts';
import * as tf from '../backend/tf.ts';
import { parseExpectedTensors, type ExpectedTensor } from '../testing/expectedTensors.ts';
import { relativeError, worstDifference } from '../testing/accuracy.ts';
import { Adapter } from './adapter.ts';
import { parseModelConfig, type ModelConfig } from './config.ts';
import { FrozenBase } from './frozenBase.ts';
import { LanguageModel } from './languageModel.ts';
import { storedBytes, storedInMemory, widened, type StoredWeights } from './storedWeights.ts';

const TOLERANCE = 1e-4;
/** Of a tensor's largest entry. */
const GRADIENT_TOLERANCE = 1e-3;
const SEQUENCES = [0, 1, 2];
const TEMPERATURES = [1, 0.7];
const POSITIONS = 80;

const breathe = (): Promise<void> => Promise.resolve();

type Expected = ReadonlyMap<string, ExpectedTensor>;

const expectedOf = async (files: ModelFiles, name: string): Promise<Expected> =>
  parseExpectedTensors(await readRequired(files, name, {}));

function valuesIn(expected: Expected, name: string): Float64Array {
  const tensor = expected.get(name);
  if (!tensor) throw new Error(`The expected answers lack ${name}.`);
  return tensor.values;
}

/** log p and entropy of each next token. */
async function valuesOf(model: LanguageModel, ids: ArrayLike<number>, temperature: number) {
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

/** d mean cross-entropy of all sequences / d what the adapter is made of, by PEFT's names. */
async function adapterGradients(model: LanguageModel, adapter: Adapter, sequences: readonly Float64Array[]) {
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

interface Opened {
  readonly config: ModelConfig;
  readonly weights: StoredWeights;
  readonly expected: Expected;
  readonly sequences: readonly Float64Array[];
}

async function open(files: ModelFiles): Promise<Opened> {
  const json = parseJsonObject(await readRequired(files, 'config.json', {}), 'config.json', files.label);
  const config = parseModelConfig(json);
  const expected = await expectedOf(files, 'expected.safetensors');
  return {
    config,
    weights: (await openWeights(files, config, {})).weights,
    expected,
    sequences: SEQUENCES.map((i) => valuesIn(expected, `seq${i}/input_ids`)),
  };
}

async function worstOf(model: LanguageModel, { sequences, expected }: Opened): Promise<number> {
  let worst = 0;
  for (const [i, ids] of sequences.entries()) {
    for (const temperature of TEMPERATURES) {
      const found = await valuesOf(model, ids, temperature);
      worst = Math.max(
        worst,
        worstDifference(found.logprobs, valuesIn(expected, `seq${i}/logprobs_t${temperature}`)),
        worstDifference(found.entropy, valuesIn(expected, `seq${i}/entropy_t${temperature}`)),
      );
    }
  }
  return worst;
}

async function withBase<T>(
  { config, weights }: Opened,
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

/** `folders`: as `refdata/hf` has them. `adapters`: of a folder, those of its adapters that are plain LoRA. */
export function frozenBaseSuite(
  folders: readonly { readonly files: ModelFiles; readonly adapters: readonly ModelFiles[] }[],
): void {
  test('there are folders', () => expect(folders.length).toBeGreaterThan(0));

  for (const { files, adapters } of folders) {
    test(`${files.label}: log-probabilities and entropies, and every bit as widened`, async ({
      annotate,
    }) => {
      const opened = await open(files);
      const [own, wide] = await Promise.all(
        (['auto', 'f32'] as const).map((format) =>
          withBase(opened, format, async (base) => {
            const model = new LanguageModel(base, POSITIONS);
            const worst = await worstOf(model, opened);
            const bits = await valuesOf(model, opened.sequences[2] ?? [], 1);
            model.dispose({ keepWeights: true });
            return { worst, bits };
          }),
        ),
      );
      await annotate(`largest difference ${own?.worst}`);
      expect(own?.worst).toBeLessThan(TOLERANCE);
      expect(own?.bits).toEqual(wide?.bits);
    });

    test(`${files.label}: another thread's copy holds the same bytes`, async () => {
      const opened = await open(files);
      await withBase(opened, 'auto', async (base) => {
        const copy = FrozenBase.empty(base.config, base.formats);
        for await (const piece of base.pieces()) copy.write(piece);
        const [before, after] = [await base.toHuggingFace(), await copy.toHuggingFace()];
        copy.dispose();
        expect([...after]).toEqual([...before]);
        for (const [name, tensor] of opened.weights)
          expect([name, after.get(name)?.data.length]).toEqual([
            name,
            storedBytes(tensor) / (tensor.dtype === 'F32' ? 4 : 2),
          ]);
      });
    });

    const [first] = adapters;
    if (first)
      test.each(['q8', 'q4', '16bit'] as const)(
        `${files.label} in %s: gradients are those of the base that its words stand for`,
        async (format) => {
          const opened = await open(files);
          // As F32, so that 16 bit round.
          const wide = { ...opened, weights: storedInMemory(await widened(opened.weights)) };
          const { settings, arrays } = await readPeftAdapter(first, opened.config);
          const gradientsOn = async (weights: StoredWeights, of: BaseFormat) =>
            withBase({ ...opened, weights }, of, async (base) => {
              const adapter = Adapter.fromPeft(opened.config, settings, arrays);
              const model = new LanguageModel(base, POSITIONS, adapter);
              const gradients = await adapterGradients(model, adapter, opened.sequences);
              model.dispose({ keepWeights: true });
              return { gradients, values: await base.toHuggingFace() };
            });
          const found = await gradientsOn(wide.weights, format);
          const expected = await gradientsOn(storedInMemory(found.values), 'f32');
          for (const [name, { data }] of found.gradients)
            expect(relativeError(data, expected.gradients.get(name)?.data ?? [])).toBeLessThan(1e-5);
        },
      );

    for (const adapterFiles of adapters) {
      test(`${files.label} with ${adapterFiles.label}: log-probabilities and gradients`, async () => {
        const opened = await open(files);
        const expected = await expectedOf(adapterFiles, 'expected.safetensors');
        const { settings, arrays } = await readPeftAdapter(adapterFiles, opened.config);
        await withBase(opened, 'auto', async (base) => {
          const adapter = Adapter.fromPeft(opened.config, settings, arrays);
          const model = new LanguageModel(base, POSITIONS, adapter);
          for (const [i, ids] of opened.sequences.entries()) {
            // Of an adapter on few targets, not all sequences have answers.
            if (!expected.has(`seq${i}/logprobs_t1`)) continue;
            const { logprobs } = await valuesOf(model, ids, 1);
            expect(worstDifference(logprobs, valuesIn(expected, `seq${i}/logprobs_t1`))).toBeLessThan(
              TOLERANCE,
            );
          }
          const gradients = await adapterGradients(model, adapter, opened.sequences);
          let worst = 0;
          for (const [name, { data }] of gradients) {
            const reference = valuesIn(expected, `grad/${name}`);
            const largest = reference.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
            worst = Math.max(worst, worstDifference(data, reference) / largest);
          }
          expect(worst).toBeLessThan(GRADIENT_TOLERANCE);
          model.dispose({ keepWeights: true });
        });
      });
    }
  }
}
