/**
 * Low-rank adaptation (Hu et al. 2021): the weights of the base model do not change, and each adapted linear map becomes y = x·W + (α /
 * r)·(x·A)·B with two small trained matrices, A [in, r] and B [r, out]. This file has their layout: one pool for the adapter of the whole
 * model, and for each pair the part of the base model's matrix that its product is added to.
 */
import { LORA_TARGETS, targetsIn, type LoraTarget } from './loraTargets.ts';
import type { ModelConfig } from './config.ts';
import { alignedLength, parameterSpecs, type HuggingFaceSpec } from './parameters.ts';

export interface LoraSettings {
  /** r, the number of columns of A and rows of B. */
  readonly rank: number;
  /** α: the product of A and B counts α / r times. */
  readonly alpha: number;
  readonly targets: readonly LoraTarget[];
  /** Scales by α / √r instead (rsLoRA, Kalajdzievski 2023). */
  readonly rankStabilized?: boolean;
}

/** One of the two matrices of a pair. */
export interface AdapterMatrix {
  /** The offset of its first float in the adapter's pool, a multiple of `ALIGNMENT`. */
  readonly offset: number;
  readonly shape: readonly [rows: number, columns: number];
}

/** A pair of matrices, and the map that it adapts. */
export interface AdapterSpec {
  /** The Hugging Face module, such as `model.layers.0.self_attn.q_proj`. */
  readonly module: string;
  readonly a: AdapterMatrix;
  readonly b: AdapterMatrix;
  /** Our parameter that holds the module's weight, and its columns there. */
  readonly parameter: string;
  readonly column: number;
  /** True if that parameter is [out, in], like the head, and not [in, out]. */
  readonly outputsFirst: boolean;
}

/** Settings with which this model has no adapter. The message says which one, what it is and what is possible. */
export class LoraError extends Error {
  override readonly name = 'LoraError';
}

/** The factor on the product of A and B. */
export function loraScale({ alpha, rank, rankStabilized }: LoraSettings): number {
  return alpha / (rankStabilized === true ? Math.sqrt(rank) : rank);
}

/** The architecture of the merged model. An adapted head differs from the embedding, so a tied head becomes untied. */
export function mergedConfig(config: ModelConfig, { targets }: LoraSettings): ModelConfig {
  return config.tiedHead && targets.includes('lm_head') ? { ...config, tiedHead: false } : config;
}

function checkTargets(targets: readonly string[]): void {
  const possible = LORA_TARGETS.join(', ');
  if (targets.length === 0) throw new LoraError(`LoRA has no targets; name at least one of ${possible}.`);
  const unknown = targets.find((target) => !LORA_TARGETS.some((name) => name === target));
  if (unknown !== undefined)
    throw new LoraError(`There is no LoRA target "${unknown}"; possible are ${possible}.`);
  const repeated = targets.find((target, i) => targets.indexOf(target) !== i);
  if (repeated !== undefined)
    throw new LoraError(`The LoRA target "${repeated}" is named twice; name it once.`);
}

function checkRank(rank: number, module: string, inputs: number, outputs: number): void {
  const most = Math.min(inputs, outputs);
  if (Number.isInteger(rank) && rank >= 1 && rank <= most) return;
  throw new LoraError(
    `The LoRA rank is ${rank}; ${module} maps ${inputs} inputs to ${outputs} outputs, ` +
      `so it must be a whole number from 1 to ${most}. Set a lower rank or leave this target out.`,
  );
}

/**
 * Every pair of the adapter in the order of its pool: module by module in order of use, A before B.
 *
 * @throws LoraError if the rank exceeds a matrix, if α is not above 0, or if targets are missing, unknown or repeated.
 */
export function adapterSpecs(config: ModelConfig, settings: LoraSettings): AdapterSpec[] {
  const { rank, alpha, targets } = settings;
  checkTargets(targets);
  if (!(alpha > 0 && Number.isFinite(alpha)))
    throw new LoraError(
      `LoRA's α is ${alpha}; it must be a number above 0. Equal to the rank it scales by 1.`,
    );
  const named = new Set<string>(targets);
  let offset = 0;
  const place = (rows: number, columns: number): AdapterMatrix => {
    const matrix = { offset, shape: [rows, columns] as const };
    offset += alignedLength(rows * columns);
    return matrix;
  };
  return parameterSpecs(mergedConfig(config, settings)).flatMap((spec) =>
    spec.parts.flatMap(({ name, shape, column }): AdapterSpec[] => {
      const module = name.replace(/\.weight$/, '');
      const [outputs, inputs] = shape;
      const held = targetsIn(module.split('.').at(-1) ?? '');
      if (!held.some((target) => named.has(target)) || outputs === undefined || inputs === undefined)
        return [];
      checkRank(rank, module, inputs, outputs);
      const a = place(inputs, rank);
      const b = place(rank, outputs);
      return [{ module, a, b, parameter: spec.name, column, outputsFirst: !spec.transposed }];
    }),
  );
}

const sizeOf = ({ shape: [rows, columns] }: AdapterMatrix): number => rows * columns;

/** The number of floats in the adapter's pool, including the gaps of alignment. @throws as `adapterSpecs` does. */
export function adapterLength(config: ModelConfig, settings: LoraSettings): number {
  const last = adapterSpecs(config, settings).at(-1);
  return last ? last.b.offset + alignedLength(sizeOf(last.b)) : 0;
}

/** The number of trained scalars. @throws as `adapterSpecs` does. */
export function adapterParameterCount(config: ModelConfig, settings: LoraSettings): number {
  return adapterSpecs(config, settings).reduce((sum, { a, b }) => sum + sizeOf(a) + sizeOf(b), 0);
}

/** The names in a file of the PEFT library, whose matrices are the transposes of ours: A [r, in], B [out, r]. */
export const peftName = (module: string, matrix: 'A' | 'B'): string =>
  `base_model.model.${module}.lora_${matrix}.weight`;

/** Every tensor of the adapter's PEFT file in the order of the pool. @throws as `adapterSpecs` does. */
export function peftSpecs(config: ModelConfig, settings: LoraSettings): HuggingFaceSpec[] {
  return adapterSpecs(config, settings).flatMap(({ module, a, b }) => [
    { name: peftName(module, 'A'), shape: [...a.shape].reverse() },
    { name: peftName(module, 'B'), shape: [...b.shape].reverse() },
  ]);
}
