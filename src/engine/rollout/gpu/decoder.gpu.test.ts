/** The GPU's own decoding under every plan: what holds for all engines, and what a float64 implementation says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadWeights } from '../../hub/load.ts';
import type { DecodePlan } from '../../kernels/decode/program.ts';
import { OpenFolder } from '../../hub/openFolder.ts';
import type { ModelFiles } from '../../hub/types.ts';
import { packArrays } from '../../model/weights.ts';
import { watchGpuBytes } from '../../testing/gpuBytes.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { casesOf, decodePlan, decodePlans, everyCase, modelsOf } from '../../testing/gpu.ts';
import { describeReferenceModels } from '../../testing/sharedInBrowser.ts';
import { TINY_CONFIGS, TINY_KINDS, tinyPool } from '../../testing/tinyModels.ts';
import { decoderSuite, tinyGenerator, tinyRequests } from '../decoding/decoder.suite.ts';
import { weightsOf } from '../decoding/weights.ts';
import { BESIDE_PAGE, STEADY } from './commands.ts';
import { GpuDecoder } from './decoder.ts';

const gpu = testDevice();
const breathe = (): Promise<void> => Promise.resolve();
/** Barriers make the plan for hardware 20 times slower on a software adapter, where `kernels/decode` has its kernels one by one. */
const PLANS = casesOf<DecodePlan>(decodePlans, ['quads', 'items']);
const MOST_ROWS = { quads: 150, items: 60, groups: decodePlan === 'groups' ? 150 : 9 };

let live: ReturnType<typeof watchGpuBytes>;
beforeAll(() => {
  live = watchGpuBytes(gpu.device);
});
afterAll(() => live.stop());

describe.each(PLANS)('decoding on the GPU, %s', (plan) => {
  // Heads of their own are a shared head's with groups of one; an adapter's tests decode with them.
  const kinds = everyCase ? TINY_KINDS : (['gqa', 'relu', 'gemma', 'granite'] as const);
  for (const kind of plan === decodePlan ? kinds : (['gqa'] as const)) {
    describe(`${kind}`, () => {
      decoderSuite({
        kind,
        create: (model) => new GpuDecoder(gpu.device, model, plan, 'f32'),
        memory: () => live.bytes(),
        most: MOST_ROWS[plan],
        everyCase,
        // The rounds on the host are the same under every plan.
        kernelsOnly: !everyCase && (plan !== decodePlan || kind !== 'gqa'),
      });
    });
  }
});

describe('decoding on the GPU, keys and values in 16 bit', () => {
  decoderSuite({
    kind: 'gqa',
    create: (model) => new GpuDecoder(gpu.device, { ...model, cachePrecision: 'f16' }, decodePlan, 'f32'),
    memory: () => live.bytes(),
    most: everyCase ? MOST_ROWS[decodePlan] : 20,
    kernelsOnly: true,
  });
});

test('memory grows to the largest batch and no further, and all of it is given back', async () => {
  const before = live.bytes();
  const model = tinyGenerator('gqa', [5]);
  const engine = new GpuDecoder(gpu.device, model, decodePlan, 'f32');
  engine.setWeights(weightsOf(TINY_CONFIGS.gqa, tinyPool('gqa'), 'f32'));
  const sampling = { temperature: 1, topP: 1, topK: 0, stop: [] };
  const bytes: number[] = [];
  for (let i = 0; i < (everyCase ? 60 : 15); i++) {
    const rows = 1 + Math.floor(20 * Math.random());
    const maxTokens = i === 0 ? 40 : 1 + Math.floor(40 * Math.random());
    const requests = tinyRequests(i === 0 ? 20 : rows, 1);
    await engine.generate(requests, { ...sampling, maxTokens }, { breathe });
    bytes.push(live.bytes() - before);
  }
  expect(new Set(bytes).size).toBe(1);
  engine.dispose();
  expect(live.bytes()).toBe(before);
});

test('short submissions, each awaited, draw the same tokens to the bit', async () => {
  const sampling = { temperature: 1, topP: 1, topK: 0, stop: [], maxTokens: 20 };
  const requests = tinyRequests(5, 3);
  const model = tinyGenerator('gqa', [5]);
  const { queue } = gpu.device;
  const submit = queue.submit.bind(queue);
  const runs = [];
  for (const pace of [STEADY, { ...BESIDE_PAGE, submissionWork: 20_000 }]) {
    const engine = new GpuDecoder(gpu.device, model, decodePlan, 'f32', undefined, pace);
    engine.setWeights(weightsOf(TINY_CONFIGS.gqa, tinyPool('gqa'), 'f32'));
    let submissions = 0;
    let unfinished = 0;
    let most = 0;
    queue.submit = (buffers) => {
      submissions++;
      most = Math.max(most, ++unfinished);
      submit(buffers);
      void queue.onSubmittedWorkDone().then(() => unfinished--);
    };
    const groups = await engine.generate(requests, sampling, { breathe });
    queue.submit = submit;
    engine.dispose();
    runs.push({ groups, submissions, most });
  }
  const [steady, short] = runs;
  expect(short?.groups).toEqual(steady?.groups);
  expect(short?.submissions).toBeGreaterThan(5 * (steady?.submissions ?? NaN));
  expect(short?.most).toBe(1);
});

test('a cache of few pages makes rows wait, and changes none of them', async () => {
  const sampling = { temperature: 1, topP: 1, topK: 0, stop: ['ab'], maxTokens: 50 };
  const requests = tinyRequests(9, 5);
  const results = [];
  const bytes = [];
  // Pages of 4 KB: up to 3 of a prompt, and 4 of a row.
  for (const cacheBytes of [2 ** 30, 20 * 4096, 0]) {
    const model = { ...tinyGenerator('gqa', [5]), cacheBytes };
    const engine = new GpuDecoder(gpu.device, model, decodePlan, 'f32');
    engine.setWeights(weightsOf(TINY_CONFIGS.gqa, tinyPool('gqa'), 'f32'));
    results.push(await engine.generate(requests, sampling, { breathe }));
    bytes.push(live.bytes());
    engine.dispose();
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
  const [all = 0, some = 0, least = 0] = bytes;
  expect(all - some).toBeGreaterThan(100 * 4096);
  expect(some - least).toBeGreaterThan(10 * 4096);
});

interface Expected {
  readonly greedy: { readonly prompt: number[]; readonly completion: number[] };
}

async function expectedOf(files: ModelFiles): Promise<Expected> {
  return (await new OpenFolder(files).requiredJson('expected.json')) as Expected;
}

describeReferenceModels('reference models on the GPU', (models) => {
  test('there are some', () => expect(models.length).toBeGreaterThan(0));
  for (const files of modelsOf(models)) {
    // A block with biases, one with normed heads and one with a head of its own are all that the slowest plan can meet. On a software
    // adapter each plan goes through one model; a head of its own is held against the trainer's in `frozenWeights.gpu.test.ts`.
    const of = everyCase
      ? { quads: /./, items: /./, groups: decodePlan === 'groups' ? /./ : /qwen|untied/ }
      : { quads: /qwen3/, items: /qwen2/, groups: /$^/ };
    const plans = PLANS.filter((plan) => of[plan].test(files.label));
    test.each(plans)(`${files.label}, %s: greedy tokens are those of float64`, async (plan) => {
      const { config, weights } = await loadWeights(files);
      const { greedy } = await expectedOf(files);
      const model = { config, stopTokenIds: [], positions: 96 };
      const engine = new GpuDecoder(gpu.device, model, plan, 'f32');
      engine.setWeights(weightsOf(config, packArrays(config, weights), 'f32'));
      const [group] = await engine.generate(
        [{ promptIds: greedy.prompt, samples: 1, seed: 0, step: 0, problem: 0 }],
        { temperature: 0, topP: 1, topK: 0, maxTokens: greedy.completion.length, stop: [] },
        { breathe },
      );
      engine.dispose();
      expect(group?.[0]?.tokens).toEqual(greedy.completion);
    });
  }
});
