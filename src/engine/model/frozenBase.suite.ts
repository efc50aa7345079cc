/** Models on a frozen base against what Hugging Face's libraries compute, and against the same base widened. */
import { expect, test } from 'vitest';
import type { BaseFormat } from './baseFormats.ts';
import { readPeftAdapter } from '../hub/peft.ts';
import type { ModelFiles } from '../hub/types.ts';
import { relativeError, worstDifference } from '../testing/accuracy.ts';
import {
  adapterGradients,
  expectedOf,
  openFolder,
  POSITIONS,
  valuesIn,
  valuesOf,
  withBase,
  type OpenedFolder,
} from '../testing/frozenModels.ts';
import { Adapter } from './adapter.ts';
import { FrozenBase } from './frozenBase.ts';
import { LanguageModel } from './languageModel.ts';
import { storedBytes, storedInMemory, widened, type StoredWeights } from './storedWeights.ts';

const TOLERANCE = 1e-4;
/** The tolerance of gradients, relative to a tensor's largest entry. */
const GRADIENT_TOLERANCE = 1e-3;
const TEMPERATURES = [1, 0.7];

async function worstOf(model: LanguageModel, { sequences, expected }: OpenedFolder): Promise<number> {
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

/**
 * `folders` are those of `refdata/hf`, each with its adapters that are plain LoRA. `every` tests gradients on every folder in every
 * format; otherwise only the first folder with adapters has every format.
 */
export function frozenBaseSuite(
  folders: readonly { readonly files: ModelFiles; readonly adapters: readonly ModelFiles[] }[],
  every = true,
): void {
  const inFormats = folders.find(({ adapters }) => adapters.length > 0);
  test('there are folders', () => expect(folders.length).toBeGreaterThan(0));

  for (const folder of folders) {
    const { files, adapters } = folder;
    test(`${files.label}: log-probabilities and entropies, and every bit as widened`, async ({
      annotate,
    }) => {
      const opened = await openFolder(files);
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
      const opened = await openFolder(files);
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
    if (first && (every || folder === inFormats))
      test.each(['q8', 'q4', '16bit'] as const)(
        `${files.label} in %s: gradients are those of the base that its words stand for`,
        async (format) => {
          const opened = await openFolder(files);
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
        const opened = await openFolder(files);
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
