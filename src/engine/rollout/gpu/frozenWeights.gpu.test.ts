/** Decoding on a frozen base with an adapter that is not merged, against the trainer's forward pass over the same bits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { LAYER_TARGETS, LORA_TARGETS } from '../../model/loraTargets.ts';
import { freshInputs, type RandomInputs } from '../../kernels/testing/random.ts';
import { isBlockFormat } from '../../kernels/blockFormats/blockFormats.ts';
import { FROZEN_FORMATS, type FrozenFormat } from '../../kernels/frozenMatrix/frozenMatrix.ts';
import type { DecodeProducts } from '../../kernels/decode/index.ts';
import { Adapter } from '../../model/adapter.ts';
import type { ModelConfig } from '../../model/config.ts';
import { LanguageModel } from '../../model/languageModel.ts';
import type { LoraSettings } from '../../model/lora.ts';
import { randomAdapterPool } from '../../testing/adaptedModels.ts';
import { BLOCK_CONFIG, inBlocks, randomFrozenBase } from '../../testing/frozenBases.ts';
import {
  adapterHas,
  casesOf,
  decodePlan,
  decodePlans,
  everyCase,
  failOnDeviceProblems,
} from '../../testing/gpu.ts';
import { watchGpuBytes } from '../../testing/gpuBytes.ts';
import { TINY_CONFIGS } from '../../testing/tinyModels.ts';
import type { GeneratorModel } from '../decoding/decoder.ts';
import type { GroupRequest, SampledCompletion } from '../decoding/types.ts';
import { GpuDecoder } from './decoder.ts';

await startBackend('webgpu');
failOnDeviceProblems();

const POSITIONS = 48;
const SAMPLING = { temperature: 0.9, topP: 1, topK: 0, maxTokens: 12, stop: [] };
const breathe = (): Promise<void> => Promise.resolve();

/** Llama with a head of its own, Qwen2 with biases, Qwen3 with normed heads, and one whose rows are whole blocks of GGUF. */
const CONFIGS = {
  llama: TINY_CONFIGS.gqa,
  qwen2: { ...TINY_CONFIGS.gqa, modelType: 'qwen2', qkvBias: true, tiedHead: true },
  qwen3: TINY_CONFIGS.mha,
  blocks: BLOCK_CONFIG,
} as const satisfies Readonly<Record<string, ModelConfig>>;

/** The bound on `kl_sample_train_v2`. Rounded numbers move each log-probability a little. */
const LARGEST_KL: Readonly<Record<DecodeProducts, number>> = { exact: 1e-8, f16: 1e-4, int8: 1e-2 };

interface Case {
  readonly architecture: keyof typeof CONFIGS;
  readonly format: FrozenFormat | 'mixed';
  readonly lora: LoraSettings;
  /** The products; exact ones by default. */
  readonly products?: DecodeProducts;
  /** Repeats the case with the matrices in blocks of 64 rows. */
  readonly cut?: boolean;
}

/** Every format that is made of numbers, and blocks of several formats in one matrix; biases, normed heads, both kinds of head, parts without an adapter, ranks that are no whole vectors. */
const CASES: readonly Case[] = [
  {
    architecture: 'llama',
    format: 'bf16',
    lora: { rank: 8, alpha: 16, targets: LAYER_TARGETS },
    cut: true,
  },
  {
    architecture: 'qwen2',
    format: 'f16',
    // The other matrices have adapters in the case before.
    lora: {
      rank: 5,
      alpha: 6,
      targets: everyCase ? LORA_TARGETS : ['q_proj', 'v_proj', 'up_proj', 'lm_head'],
    },
    cut: everyCase,
  },
  { architecture: 'qwen3', format: 'f16', lora: { rank: 4, alpha: 2, targets: ['v_proj', 'up_proj'] } },
  {
    architecture: 'blocks',
    format: 'mixed',
    lora: { rank: 4, alpha: 8, targets: ['q_proj', 'up_proj'] },
    cut: everyCase,
  },
  {
    architecture: 'llama',
    format: 'f32',
    lora: { rank: 3, alpha: 9, targets: ['o_proj', 'gate_proj', 'lm_head'] },
  },
  {
    architecture: 'blocks',
    format: 'mixed',
    lora: { rank: 4, alpha: 8, targets: ['q_proj', 'up_proj'] },
    products: 'int8',
  },
  {
    architecture: 'blocks',
    format: 'mixed',
    lora: { rank: 4, alpha: 8, targets: ['q_proj', 'up_proj'] },
    products: 'f16',
  },
];
const OFFERED = CASES.filter(({ products }) => products !== 'f16' || adapterHas('shader-f16'));
const FEW = OFFERED.filter(({ products }, i) => i < 4 || products === 'f16');

const requestsOf = (vocabSize: number, random: RandomInputs): GroupRequest[] =>
  Array.from({ length: everyCase ? 6 : 3 }, (_, problem) => ({
    promptIds: [...random.ints(1 + (random.ints(1, 20)[0] ?? 0), vocabSize)],
    samples: everyCase ? 3 : 2,
    seed: random.seed,
    step: 1,
    problem,
  }));

/** The trainer's log-probabilities of what was sampled, row by row. */
async function trainedLogprobs(
  model: LanguageModel,
  rows: readonly { promptIds: readonly number[]; completion: SampledCompletion }[],
): Promise<number[][]> {
  const length = POSITIONS;
  const [ids, targets] = [new Int32Array(rows.length * length), new Int32Array(rows.length * length)];
  rows.forEach(({ promptIds, completion }, row) => {
    const all = [...promptIds, ...completion.tokens];
    ids.set(all, row * length);
    targets.set(all.slice(1), row * length);
  });
  const state = await model.forward({ batch: rows.length, length, ids, targets }, breathe, {
    forBackward: false,
  });
  const { logprob, entropy } = await model.logprobs(state, SAMPLING.temperature, breathe);
  const values = await logprob.data<'float32'>();
  tf.dispose([logprob, entropy]);
  model.release(state);
  return rows.map(({ promptIds, completion }, row) => {
    const first = row * length + promptIds.length - 1;
    return [...values.subarray(first, first + completion.tokens.length)];
  });
}

let live: ReturnType<typeof watchGpuBytes>;
beforeAll(() => {
  live = watchGpuBytes(gpuDispatcher(tf.backend()).device);
});
afterAll(() => live.stop());

describe('decoding on a frozen base', () => {
  test('all formats are among the cases', () => {
    expect(new Set(CASES.map(({ format }) => format))).toEqual(
      new Set([...FROZEN_FORMATS.filter((format) => !isBlockFormat(format)), 'mixed']),
    );
  });

  test.each(
    casesOf(OFFERED, FEW).flatMap((one, i) => {
      // One plan each on a software adapter, and of formats those that kernels read in their own way and the page offers.
      const plans = one.products === undefined ? decodePlans : (['groups'] as const);
      return casesOf(plans, [decodePlans[i % 2] ?? decodePlan]).map((plan) => ({
        products: 'exact' as const,
        ...one,
        plan,
      }));
    }),
  )('$architecture in $format, $plan, $products: log-probabilities are the trainer’s', async (one) => {
    const { architecture, format, lora, plan, products } = one;
    const random = freshInputs();
    const config = CONFIGS[architecture];
    const base = await randomFrozenBase(config, format, random);
    const model: GeneratorModel = {
      config,
      lora,
      frozen: base.formats,
      stopTokenIds: [2],
      positions: POSITIONS,
    };
    const { device } = gpuDispatcher(tf.backend());
    const engine = new GpuDecoder(device, model, plan, 'f32', Promise.resolve(products));
    engine.setBase(base);
    const requests = requestsOf(config.vocabSize, random);
    const found: SampledCompletion[][][] = [];
    // B is not zero: the second adapter is another, and takes the first one's place.
    const adapters = [1, 2].map(() => randomAdapterPool(config, lora, random));
    for (const factors of adapters) {
      const trained = new LanguageModel(base, POSITIONS, new Adapter(config, lora, factors));
      engine.setAdapter(factors);
      const groups = await engine.generate(requests, SAMPLING, { breathe });
      found.push(groups);
      const rows = requests.flatMap(({ promptIds }, i) =>
        (groups[i] ?? []).map((completion) => ({ promptIds, completion })),
      );
      const expected = (await trainedLogprobs(trained, rows)).flat();
      const sampled = rows.flatMap(({ completion }) => completion.logprobs);
      const squares = sampled.map((logprob, i) => (logprob - (expected[i] ?? NaN)) ** 2 / 2);
      // `kl_sample_train_v2`
      const kl = squares.reduce((sum, square) => sum + square, 0) / squares.length;
      expect(kl, `seed ${random.seed}`).toBeLessThan(LARGEST_KL[products]);

      trained.dispose({ keepWeights: true });
    }
    expect(found[1]).not.toEqual(found[0]);
    if (one.cut) {
      const cut = await inBlocks(base);
      engine.setBase(cut);
      engine.setAdapter(adapters[1] ?? new Float32Array());
      expect(await engine.generate(requests, SAMPLING, { breathe }), `seed ${random.seed}`).toEqual(found[1]);
      cut.dispose();
    }
    engine.dispose();
    base.dispose();
  });

  test('the base is left as it was found, and all else is given back', async () => {
    const random = freshInputs();
    // As in the first case, whose kernels are there.
    const config = CONFIGS.llama;
    const lora: LoraSettings = { rank: 8, alpha: 16, targets: LAYER_TARGETS };
    const base = await randomFrozenBase(config, 'bf16', random);
    const gpu = gpuDispatcher(tf.backend());
    const model: GeneratorModel = {
      config,
      lora,
      frozen: base.formats,
      stopTokenIds: [],
      positions: POSITIONS,
    };
    const requests = requestsOf(config.vocabSize, random).slice(0, 2);
    const before = live.bytes();
    const sample = async (): Promise<SampledCompletion[][]> => {
      const engine = new GpuDecoder(gpu.device, model, decodePlan, 'f32');
      await expect(engine.generate(requests, SAMPLING, { breathe })).rejects.toThrow('no base yet');
      engine.setBase(base);
      const groups = await engine.generate(requests, SAMPLING, { breathe });
      expect(() => engine.setWeights({ precision: 'f32', bytes: new Uint8Array(8) })).toThrow('frozen');
      expect(() => engine.setAdapter(new Float32Array(3))).toThrow(/3 numbers.*need/);
      engine.dispose();
      expect(live.bytes()).toBe(before);
      return groups;
    };
    const first = await sample();
    expect(await sample()).toEqual(first);
    base.dispose();
  });
});
