/** The bytes of a model in its several forms, by its architecture alone. */
import {
  frozenBytes,
  type FrozenFormat,
  adapterLength,
  mergedConfig,
  alignedLength,
  packedLength,
  parameterSpecs,
  sizeOf,
} from '@rl-playground/engine/parts';
import {
  formatOf,
  mergedBytes,
  weightLayout,
  keepsBaseFrozen,
  loraOf,
} from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { PlannedModel } from './types.ts';

export interface ModelBytes {
  /** True if the base is in frozen matrices, apart from the trained weights. */
  readonly frozen: boolean;
  /** The trainer's base, and the largest of its buffers that can't be cut. */
  readonly base: number;
  readonly largestOfBase: number;
  /** Bytes of what is trained: all weights, or an adapter. */
  readonly trained: number;
  /** 0 without LoRA. */
  readonly adapter: number;
  /** All weights in f32. */
  readonly pool: number;
  /** One generator's own weights; beside a frozen base that it shares, those that it has besides. */
  readonly generator: number;
  readonly besideBase: number;
}

/** @throws LoraError where such an adapter is impossible. */
export function modelBytes({ config, storedType }: PlannedModel, settings: RunConfig): ModelBytes {
  const lora = loraOf(settings);
  const pool = 4 * packedLength(config);
  const adapter = lora === null ? 0 : 4 * adapterLength(config, lora);
  const frozen = keepsBaseFrozen(settings, config);
  const specs = parameterSpecs(config);
  if (!frozen) {
    const { bytes } = weightLayout(lora ? mergedConfig(config, lora) : config, settings.generatorPrecision);
    return {
      frozen,
      base: pool,
      largestOfBase: pool,
      trained: lora === null ? pool : adapter,
      adapter,
      pool,
      generator: bytes,
      besideBase: 0,
    };
  }
  const vectors = specs.filter(({ shape }) => shape.length === 1);
  const vectorBytes = vectors.reduce((sum, { shape }) => sum + 4 * alignedLength(sizeOf(shape)), 0);
  const matrices = specs.flatMap(({ name, shape: [rows = 0, columns] }) => {
    const format: FrozenFormat = formatOf(name, storedType, settings.baseFormat);
    return columns === undefined ? [] : frozenBytes([rows, columns], format);
  });
  const besideBase = lora && settings.generatorAdapter === 'merged' ? mergedBytes(config, lora) : adapter;
  const base = matrices.reduce((sum, bytes) => sum + bytes, vectorBytes);
  return {
    frozen,
    base,
    largestOfBase: vectorBytes,
    trained: adapter,
    adapter,
    pool,
    generator: base + besideBase,
    besideBase,
  };
}
