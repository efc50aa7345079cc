/** Weights in a generator's buffer under LoRA: merged there, against float64, and against what the host would write. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freshInputs } from '../../kernels/testing/random.ts';
import { fromFloat16, toFloat16 } from '../../kernels/shared/halfFloats.ts';
import type { LoraSettings } from '../../model/lora.ts';
import { LORA_TARGETS } from '../../model/loraTargets.ts';
import { mergeAdapter } from '../../testing/mergeAdapter.ts';
import { mergeFactors, mergePlan } from '../../model/mergePlan.ts';
import { worstDifference } from '../../testing/accuracy.ts';
import { randomAdapterPool, randomPool } from '../../testing/adaptedModels.ts';
import { casesOf } from '../../testing/gpu.ts';
import { watchGpuBytes } from '../../testing/gpuBytes.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { TINY_CONFIGS, type TinyKind } from '../../testing/tinyModels.ts';
import { bytesOf, poolOf, weightsOf, type WeightPrecision } from '../decoding/weights.ts';
import { GpuMerge } from './merge.ts';
import { GpuWeights } from './weights.ts';

const gpu = testDevice();

// Nothing of the product copies weights back.
let restore = (): void => undefined;
beforeEach(() => {
  const { device } = gpu;
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const { usage } = descriptor;
    return create({
      ...descriptor,
      usage: usage & GPUBufferUsage.STORAGE ? usage | GPUBufferUsage.COPY_SRC : usage,
    });
  };
  restore = () => (device.createBuffer = create);
});
afterEach(() => restore());

async function read(buffer: GPUBuffer): Promise<Uint8Array<ArrayBuffer>> {
  const { device } = gpu;
  const copy = device.createBuffer({
    size: buffer.size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return bytes;
}

const EMBEDDING = 'model.embed_tokens.weight';

const ALL_CASES: readonly [TinyKind, LoraSettings][] = [
  ['gqa', { rank: 1, alpha: 2, targets: LORA_TARGETS }],
  ['gqa', { rank: 17, alpha: 8, targets: ['q_proj', 'down_proj', 'up_proj', 'lm_head'] }],
  ['gqa', { rank: 8, alpha: 16, targets: ['k_proj', 'gate_proj'] }],
  ['mha', { rank: 17, alpha: 20, targets: LORA_TARGETS }],
  ['mha', { rank: 8, alpha: 4, targets: ['v_proj', 'o_proj'] }],
];

/** A head and a tied one; ranks that fill vectors and that do not. */
const FEW_CASES = ALL_CASES.filter((_, i) => [1, 4].includes(i));
const CASES = casesOf(ALL_CASES, FEW_CASES);

describe('weights of a GPU generator under LoRA', () => {
  test.each(CASES)('%s, %o: one adapter after another, another base, and one more', async (kind, lora) => {
    const random = freshInputs();
    const config = TINY_CONFIGS[kind];
    const { merged } = mergePlan(config, lora);
    const bases = [1, 2].map(() => randomPool(config, random));
    const adapters = [1, 2, 3].map(() => randomAdapterPool(config, lora, random));
    const none = adapters[0]?.map(() => 0) ?? new Float32Array();
    const live = watchGpuBytes(gpu.device);
    const states = new Map<WeightPrecision, Uint8Array<ArrayBuffer>[]>();
    for (const precision of ['f32', 'f16'] as const) {
      const weights = new GpuWeights(gpu.device, { config, lora }, precision);
      const found: Uint8Array<ArrayBuffer>[] = [];
      const settled = async (): Promise<void> => {
        // Parameter by parameter, as a prefill does, and the rest.
        weights.upload((name) => name.includes('layers.1.'));
        expect(weights.settled).toBe(false);
        weights.upload();
        expect(weights.settled).toBe(true);
        found.push(await read(weights.slice(EMBEDDING).buffer));
      };
      for (const [i, base] of bases.entries()) {
        weights.set({ precision: 'f32', bytes: bytesOf(base) });
        if (i === 1) await settled();
        for (const adapter of i === 0 ? adapters.slice(0, 2) : adapters.slice(2)) {
          weights.setAdapter(adapter);
          await settled();
        }
      }
      states.set(precision, found);
      weights.dispose();
      expect(live.bytes()).toBe(0);
    }
    live.stop();
    const made = [
      [0, adapters[0]],
      [0, adapters[1]],
      [1, none],
      [1, adapters[2]],
    ] as const;
    for (const [i, [base, adapter]] of made.entries()) {
      const expected = mergeAdapter(config, bases[base] ?? none, adapter ?? none, lora);
      const [whole, halves] = [states.get('f32')?.[i], states.get('f16')?.[i]];
      if (!whole || !halves) throw new Error(`There is no state ${i}.`);
      const values = new Float32Array(whole.buffer);
      const worst = worstDifference(values, expected);
      expect({ seed: random.seed, i, close: worst < 1e-6 }).toEqual({ seed: random.seed, i, close: true });
      if (adapter === none) expect(values).toEqual(expected);
      // Rounded once, from the same sums in f32.
      expect(poolOf(merged, { precision: 'f16', bytes: halves })).toEqual(
        poolOf(merged, weightsOf(merged, values, 'f16')),
      );
    }
  });

  test('a base in parts of a few rows is merged as in one', async () => {
    const random = freshInputs();
    const lora: LoraSettings = { rank: 3, alpha: 3, targets: LORA_TARGETS };
    const config = TINY_CONFIGS.gqa;
    const plan = mergePlan(config, lora);
    const base = randomPool(config, random);
    const adapter = randomAdapterPool(config, lora, random);
    const found = [];
    const live = watchGpuBytes(gpu.device);
    for (const partBytes of [2 ** 20, 1024]) {
      const before = live.bytes();
      const merge = new GpuMerge(gpu.device, plan, plan.parameters, partBytes);
      expect(live.bytes() - before).toBeLessThan(2 ** 17 + partBytes);
      const buffer = gpu.device.createBuffer({ size: base.byteLength, usage: GPUBufferUsage.STORAGE });
      merge.setFactors(mergeFactors(plan, adapter));
      for (const parameter of plan.parameters) {
        const { offset, rows, width, products } = parameter;
        if (products.length === 0) continue;
        const target = { buffer, offset: offset * 4, size: rows * width * 4, half: false };
        merge.writeBase(parameter, base, target);
        merge.writeMerged(parameter, base, target);
      }
      merge.submit();
      found.push(await read(buffer));
      merge.dispose();
      buffer.destroy();
    }
    live.stop();
    expect(found[1]).toEqual(found[0]);
    const pool = mergeAdapter(config, base, adapter, lora);
    const { offset = 0 } = plan.parameters.find(({ name }) => name === 'lm_head.weight') ?? {};
    const head = new Float32Array(found[1]?.buffer ?? new ArrayBuffer(0)).subarray(offset, offset + 29 * 24);
    expect(worstDifference(head, pool.subarray(offset, offset + 29 * 24))).toBeLessThan(1e-6);
  });

  test('halves are rounded as on the host, ties, tiny and large numbers included', async () => {
    const config = TINY_CONFIGS.gqa;
    const lora: LoraSettings = { rank: 1, alpha: 1, targets: ['q_proj'] };
    const random = freshInputs();
    const base = randomPool(config, random);
    const special = [0, 65504, 65519, 65520, -65536, 2 ** -24, 2 ** -25, 1.5 * 2 ** -25];
    const ties = [1, 3, 5, 1023, 1025, 2047].flatMap((odd) => [
      odd * 2 ** -25,
      -odd * 2 ** -13,
      odd * 2 ** -11,
    ]);
    const scattered = random.floats(400).map((value, i) => value * 2 ** ((i % 60) - 40));
    // Smaller than what f32 holds in full: some devices take them for zero, and all of them round to it.
    base.set([...special, ...ties, 1e-40, ...scattered]);
    const weights = new GpuWeights(gpu.device, { config, lora }, 'f16');
    weights.set({ precision: 'f32', bytes: bytesOf(base) });
    weights.upload();
    const { buffer, offset } = weights.slice(EMBEDDING);
    const length = config.vocabSize * config.hiddenSize;
    const halves = new Uint16Array((await read(buffer)).buffer, offset, length);
    const expected = toFloat16(base.slice(0, length));
    // −0 is 0.
    const numbers = (bits: Uint16Array): number[] => Array.from(fromFloat16(bits), (value) => value + 0);
    expect({ seed: random.seed, values: numbers(halves) }).toEqual({
      seed: random.seed,
      values: numbers(expected),
    });
    weights.dispose();
  });
});
