/** Base weights and adapter merged into weights that need no adapter: W' = W + (α / r)·A·B. */
import type { ModelConfig } from './config.ts';
import {
  adapterLength,
  adapterSpecs,
  loraScale,
  mergedConfig,
  type AdapterSpec,
  type LoraSettings,
} from './lora.ts';
import { packedLength, parameterSpecs, type ParameterSpec } from './parameters.ts';

const HEAD = 'lm_head.weight';
const EMBEDDING = 'model.embed_tokens.weight';

const sizeOf = ({ shape }: ParameterSpec): number => shape.reduce((product, extent) => product * extent, 1);

function checkLength(what: string, found: number, needed: number): void {
  if (found === needed) return;
  throw new Error(`${what} holds ${found} numbers; this model and these LoRA settings need ${needed}.`);
}

/** Copies the base weights to where the merged architecture has them; an untied head starts as the embedding. */
function copyBase(
  config: ModelConfig,
  merged: ModelConfig,
  basePool: Float32Array,
  target: Float32Array,
): void {
  if (merged.tiedHead === config.tiedHead) {
    target.set(basePool);
    return;
  }
  target.fill(0);
  const places = new Map(parameterSpecs(config).map((spec) => [spec.name, spec.offset]));
  for (const spec of parameterSpecs(merged)) {
    const from = places.get(spec.name === HEAD ? EMBEDDING : spec.name);
    if (from === undefined) throw new Error(`The base model has no parameter ${spec.name}.`);
    target.set(basePool.subarray(from, from + sizeOf(spec)), spec.offset);
  }
}

/** Adds scale·A·B to the columns of its matrix. Sums in float64 and in order of k, so that every thread gets the same bits. */
function addProduct(
  { a, b, column, outputsFirst }: AdapterSpec,
  scale: number,
  adapterPool: Float32Array,
  matrix: { readonly values: Float32Array; readonly width: number },
): void {
  const [inputs, rank] = a.shape;
  const [, outputs] = b.shape;
  const { values, width } = matrix;
  const row = new Float64Array(outputs);
  for (let i = 0; i < inputs; i++) {
    row.fill(0);
    for (let k = 0; k < rank; k++) {
      const factor = scale * (adapterPool[a.offset + i * rank + k] as number);
      const from = b.offset + k * outputs;
      for (let j = 0; j < outputs; j++)
        row[j] = (row[j] as number) + factor * (adapterPool[from + j] as number);
    }
    const first = outputsFirst ? i : i * width + column;
    const step = outputsFirst ? width : 1;
    for (let j = 0, at = first; j < outputs; j++, at += step) {
      values[at] = (values[at] as number) + (row[j] as number);
    }
  }
}

/**
 * The pool of the merged weights, in the layout of `mergedConfig(config, settings)`, which is the base model's but where the
 * adapter unties the head. `basePool` is laid out by `config` and stays as it is, `adapterPool` by `adapterSpecs`; `target` is
 * written over where one is given. Equal inputs give equal bits on every machine.
 * @throws LoraError for impossible settings; Error where an array has another length.
 */
export function mergeAdapter(
  config: ModelConfig,
  basePool: Float32Array,
  adapterPool: Float32Array,
  settings: LoraSettings,
  target?: Float32Array,
): Float32Array {
  const merged = mergedConfig(config, settings);
  checkLength('The pool of the base weights', basePool.length, packedLength(config));
  checkLength('The pool of the adapter', adapterPool.length, adapterLength(config, settings));
  const pool = target ?? new Float32Array(packedLength(merged));
  checkLength('The pool for the merged weights', pool.length, packedLength(merged));
  copyBase(config, merged, basePool, pool);
  const places = new Map(parameterSpecs(merged).map((spec) => [spec.name, spec]));
  for (const spec of adapterSpecs(config, settings)) {
    const parameter = places.get(spec.parameter);
    if (!parameter) throw new Error(`The base model has no parameter ${spec.parameter}.`);
    const values = pool.subarray(parameter.offset, parameter.offset + sizeOf(parameter));
    addProduct(spec, loraScale(settings), adapterPool, { values, width: parameter.shape[1] ?? 0 });
  }
  return pool;
}
