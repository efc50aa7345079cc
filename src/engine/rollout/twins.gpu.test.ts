/** The two ways of decoding on one device: the GPU's own against tensor ops with draws on the host in float64. */
import { describe, expect, test } from 'vitest';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { loadWeights } from '../hub/load.ts';
import { filesAtUrl } from '../hub/sources.ts';
import type { ModelFiles } from '../hub/types.ts';
import { packArrays } from '../model/weights.ts';
import { casesOf, decodePlan, everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { describeReferenceModels } from '../testing/sharedInBrowser.ts';
import { tokenTable } from '../testing/tokenTable.ts';
import type { Decoder, GeneratorModel } from './decoding/decoder.ts';
import { GpuDecoder } from './gpu/decoder.ts';
import { HostDecoder } from './hostDecoder.ts';
import type { GroupRequest, SampledCompletion, SamplingSettings } from './decoding/types.ts';
import { weightsOf, type WeightPrecision } from './decoding/weights.ts';

await startBackend('webgpu');
failOnDeviceProblems();

const seed = Math.floor(Math.random() * 2 ** 31);
/** Both in float32; on random prompts to a trained model each is up to 7e-5 from float64. */
const LOGPROB_TOLERANCE = 2e-4;
const breathe = (): Promise<void> => Promise.resolve();
/** The number of samples of each of eight prompts. */
const SAMPLES = everyCase ? 8 : 4;
const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 24, stop: [] };

function requestsOf(vocabSize: number): GroupRequest[] {
  return Array.from({ length: 8 }, (_, problem) => ({
    promptIds: Array.from({ length: 1 + Math.floor(30 * Math.random()) }, () =>
      Math.floor(vocabSize * Math.random()),
    ),
    samples: SAMPLES,
    seed,
    step: 1,
    problem,
  }));
}

/** Rows that took another token or end somewhere, and how far apart log-probabilities are before that. */
function compare(ours: readonly SampledCompletion[], twins: readonly SampledCompletion[]) {
  let parted = 0;
  let worst = 0;
  ours.forEach(({ tokens, logprobs, stopReason }, row) => {
    const twin = twins[row];
    const end = tokens.findIndex((token, i) => token !== twin?.tokens[i]);
    if (end >= 0 || tokens.length !== twin?.tokens.length || stopReason !== twin.stopReason) parted++;
    const same = end < 0 ? tokens.length : end;
    for (let i = 0; i < same; i++) {
      worst = Math.max(worst, Math.abs((logprobs[i] ?? NaN) - (twin?.logprobs[i] ?? NaN)));
    }
  });
  return { parted, worst };
}

/** `halves`: also with weights in half precision. */
function twinsOf(files: ModelFiles, halves: boolean): void {
  const both = async (
    precision: WeightPrecision,
    settings: readonly SamplingSettings[],
  ): Promise<{ parted: number; worst: number }[]> => {
    const { config, weights } = await loadWeights(files);
    const tokenBytes = tokenTable(Array.from({ length: config.vocabSize }, (_, id) => 'abcd'[id % 4] ?? ''));
    const drawableIds = config.vocabSize - 5;
    const model: GeneratorModel = { config, stopTokenIds: [2], drawableIds, positions: 64, tokenBytes };
    const { device } = gpuDispatcher(tf.backend());
    const bytes = weightsOf(config, packArrays(config, weights), precision);
    const engines: Decoder[] = [
      new GpuDecoder(device, model, decodePlan, precision),
      new HostDecoder(model, precision),
    ];
    for (const engine of engines) engine.setWeights(bytes);
    const requests = requestsOf(config.vocabSize);
    const results: { parted: number; worst: number }[] = [];
    for (const sampling of settings) {
      const [ours = [], twins = []] = [
        (await engines[0]?.generate(requests, sampling, { breathe }))?.flat(),
        (await engines[1]?.generate(requests, sampling, { breathe }))?.flat(),
      ];
      expect(ours).toHaveLength(8 * SAMPLES);
      expect(Math.max(...ours.flatMap(({ tokens }) => tokens))).toBeLessThan(drawableIds);
      results.push(compare(ours, twins));
    }
    for (const engine of engines) engine.dispose();
    return results;
  };

  test(`greedy tokens are the same, sampled ones but for ties of float32 (seed ${seed})`, async ({
    annotate,
  }) => {
    const results = await both(
      'f32',
      casesOf<SamplingSettings>(
        [
          { ...PLAIN, temperature: 0 },
          PLAIN,
          { ...PLAIN, temperature: 0.7 },
          { ...PLAIN, topK: 8, topP: 0.9 },
          { ...PLAIN, logitNoise: 1.5 },
          { ...PLAIN, repetitionPenalty: 1.5 },
          { ...PLAIN, stop: ['abc', 'dd'] },
        ],
        [
          { ...PLAIN, temperature: 0, repetitionPenalty: 1.5 },
          { ...PLAIN, temperature: 0.7, topK: 8, topP: 0.9, logitNoise: 1.5, stop: ['abc', 'dd'] },
        ],
      ),
    );
    await annotate(
      results
        .map(({ parted, worst }) => `${parted} of ${8 * SAMPLES} part, ${worst.toExponential(1)}`)
        .join('; '),
    );
    for (const { parted, worst } of results) {
      // Up to 1500 draws, of which about one in 10⁵ is decided by the last bits.
      expect(parted).toBeLessThanOrEqual(1);
      expect(worst).toBeLessThan(LOGPROB_TOLERANCE);
    }
  });

  test.runIf(halves)('half-precision weights are the same numbers on both roads', async () => {
    const [result] = await both('f16', [PLAIN]);
    expect(result?.parted).toBeLessThanOrEqual(1);
    expect(result?.worst).toBeLessThan(LOGPROB_TOLERANCE);
  });
}

describe('the starter model on both roads', () => {
  // Halves are read as the linear maps' own tests say, and rounded as those of the weights do.
  twinsOf(filesAtUrl('starter', '/models/starter'), everyCase);
});

describeReferenceModels('reference models on both roads', (models) => {
  test('there are some', () => expect(models.length).toBeGreaterThan(0));
  // Each road is held against float64 on these models: `decoder.test.ts` and `gpu/decoder.gpu.test.ts`.
  for (const files of casesOf(models, [])) {
    describe(`${files.label}`, () => {
      twinsOf(files, everyCase);
    });
  }
});
