/** The weights of a model folder, one file or shards, checked against the architecture. */
import { z } from 'zod';
import type { ModelConfig } from '../model/config.ts';
import { huggingFaceSpecs } from '../model/parameters.ts';
import { ModelFileError, type ModelFiles } from './types.ts';
import { parseJsonObject, readFile, type LoadOptions } from './readFile.ts';
import { parseSafetensors } from './safetensors.ts';
import type { TensorData, WeightArrays } from '../model/weights.ts';

const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
const indexSchema = z.looseObject({
  weight_map: z.record(z.string(), z.string().regex(/^[\w.-]+\.safetensors$/)),
});

/** @throws ModelFileError */
export async function readWeights(
  files: ModelFiles,
  config: ModelConfig,
  options: LoadOptions,
): Promise<WeightArrays> {
  const bytes = await readFile(files, SINGLE, options);
  const tensors =
    bytes === null
      ? await readShards(files, options)
      : parseSafetensors(bytes, `${files.label}: ${SINGLE}`).tensors;
  return checkWeights(tensors, config, files.label);
}

async function readShards(files: ModelFiles, options: LoadOptions): Promise<Map<string, TensorData>> {
  const { label } = files;
  const indexBytes = await readFile(files, INDEX, options);
  if (indexBytes === null)
    throw new ModelFileError(`${label}: neither ${SINGLE} nor ${INDEX} is there; one of them is needed.`);
  const index = indexSchema.safeParse(parseJsonObject(indexBytes, INDEX, label));
  if (!index.success)
    throw new ModelFileError(
      `${label}: ${INDEX} needs a weight_map from tensor names to .safetensors files.`,
    );
  const map = new Map(Object.entries(index.data.weight_map));
  const shards = [...new Set(map.values())].sort();
  const tensors = new Map<string, TensorData>();
  for (const shard of shards) {
    const bytes = await readFile(files, shard, options);
    if (bytes === null)
      throw new ModelFileError(
        `${label}: ${shard} is missing; ${INDEX} names ${shards.length} files and all are needed.`,
      );
    for (const [name, tensor] of parseSafetensors(bytes, `${label}: ${shard}`).tensors) {
      if (map.get(name) === shard) tensors.set(name, tensor);
    }
  }
  return tensors;
}

/** Up to five names, then how many more. */
function some(items: readonly string[]): string {
  const rest = items.length - 5;
  return items.slice(0, 5).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Stored by old exporters, computed by everyone. */
const COMPUTED = /\.rotary_emb\.inv_freq$/;

/**
 * Exactly the parameters of `config`, in their order, with Hugging Face's shapes and finite values. A stored copy of a
 * tied head is left out.
 * @throws ModelFileError naming what is missing, unexpected, of the wrong shape or not finite.
 */
export function checkWeights(tensors: WeightArrays, config: ModelConfig, label: string): WeightArrays {
  const specs = huggingFaceSpecs(config);
  const expected = new Set(specs.map((spec) => spec.name));
  const missing = specs.map((spec) => spec.name).filter((name) => !tensors.has(name));
  const unexpected = [...tensors.keys()].filter(
    (name) => !expected.has(name) && !COMPUTED.test(name) && !(config.tiedHead && name === 'lm_head.weight'),
  );
  const problems: string[] = [];
  if (missing.length > 0)
    problems.push(`${missing.length} of ${specs.length} tensors missing (${some(missing)})`);
  if (unexpected.length > 0) problems.push(`${unexpected.length} unexpected (${some(unexpected)})`);

  const weights = new Map<string, TensorData>();
  const wrong: string[] = [];
  for (const { name, shape } of specs) {
    const tensor = tensors.get(name);
    if (tensor === undefined) continue;
    if (
      tensor.shape.length === shape.length &&
      tensor.shape.every((extent, axis) => extent === shape[axis])
    ) {
      weights.set(name, tensor);
    } else {
      wrong.push(`${name} is [${tensor.shape.join(', ')}], needed is [${shape.join(', ')}]`);
    }
  }
  if (wrong.length > 0) problems.push(`wrong shapes: ${some(wrong)}`);
  if (problems.length > 0)
    throw new ModelFileError(
      `${label}: the weights do not fit config.json: ${problems.join('; ')}. Use the config.json and weights of one and the same model.`,
    );
  for (const [name, tensor] of weights) checkFinite(name, tensor.data, label);
  return weights;
}

/** @throws ModelFileError where `values` hold NaN or infinities. */
export function checkFinite(name: string, values: Float32Array, label: string): void {
  let count = 0;
  for (const value of values) if (!Number.isFinite(value)) count++;
  if (count === 0) return;
  throw new ModelFileError(
    `${label}: tensor "${name}" holds ${count} values of ${values.length} that are NaN or infinite; all must be finite. The file comes from a run that broke down or is damaged; use an earlier one.`,
  );
}
