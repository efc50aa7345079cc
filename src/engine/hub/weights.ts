/** The weights of a model folder, one file or shards, checked against the architecture. */
import { z } from 'zod';
import { grouped, hexadecimal } from '@rl-playground/base/text';
import type { ModelConfig } from '../model/config.ts';
import { fileTotals, huggingFaceSpecs, sizeOf } from '../model/parameters.ts';
import {
  blockFormatOf,
  decode,
  numberTypeOf,
  piecesOf,
  type StoredTensor,
  type NumberType,
  type StoredType,
  type StoredWeights,
} from '../model/storedWeights.ts';
import { ModelFileError, type ModelFiles, type OpenFile } from './types.ts';
import { OpenFolder, WEIGHT_FILES } from './openFolder.ts';
import { notFiniteInBlocks } from './gguf/finiteBlocks.ts';
import { openSafetensors } from './safetensors.ts';
import { checkTiedHead } from './tiedHead.ts';
import type { WeightArrays } from '../model/weights.ts';
import { HEAD } from '../model/weightNames.ts';

const { single: SINGLE, index: INDEX } = WEIGHT_FILES;
const indexSchema = z.looseObject({
  weight_map: z.record(z.string(), z.string().regex(/^[\w.-]+\.safetensors$/)),
});

export interface OpenedWeights {
  readonly weights: StoredWeights;
  /** The GGUF file that they lie in, if it is one. */
  readonly gguf?: OpenFile;
  /** The hash in hexadecimal digits; null if the browser has no SHA-256, as on a page without https. */
  readonly contentHash: string | null;
}

/**
 * Opens the weights of a folder, one file or shards, and checks them against `config`: names, shapes, and every number, piece by piece.
 * Nothing stays in memory. Their hash is SHA-256 of the SHA-256 of each tensor's pieces of 16 MB, with tensors in the order of
 * `huggingFaceSpecs`. It is the same for the same numbers in the same type, however they are divided into files.
 *
 * @throws ModelFileError
 */
export async function openWeights(files: ModelFiles, config: ModelConfig): Promise<OpenedWeights> {
  const folder = OpenFolder.of(files);
  const { tensors, ...where } = await storedTensors(folder);
  const weights = matching(tensors, config, files.label);
  if (files.checkedHash !== undefined) return { ...where, weights, contentHash: files.checkedHash };
  if (config.tiedHead) await checkTiedHead(tensors, files.label);
  const digests: Uint8Array[] = [];
  for (const [name, tensor] of weights) {
    const numbers = sizeOf(tensor.shape);
    let wrong = 0;
    for await (const bytes of piecesOf(tensor)) {
      folder.options.signal?.throwIfAborted();
      wrong += notFinite(bytes, tensor.dtype);
      digests.push(await sha256(bytes));
    }
    refuseNotFinite(name, wrong, numbers, files.label);
  }
  const whole = await sha256(new Uint8Array(await new Blob(digests as BlobPart[]).arrayBuffer()));
  return { ...where, weights, contentHash: whole.length > 0 ? hexadecimal(whole) : null };
}

/** The tensors of a folder, and the GGUF file that they lie in, if it is one. */
interface Stored {
  readonly tensors: StoredWeights;
  readonly gguf?: OpenFile;
}

async function storedTensors(folder: OpenFolder): Promise<Stored> {
  const gguf = await folder.gguf();
  if (gguf) return { tensors: gguf.weights, gguf: gguf.file };
  const file = await folder.open(SINGLE);
  if (file === null) return { tensors: await openShards(folder) };
  return { tensors: await openSafetensors(file, `${folder.label}: ${SINGLE}`) };
}

/**
 * Opens the weights of a folder by the headers of their files: names, types and shapes are checked against `config`, and no number is
 * read.
 *
 * @throws ModelFileError
 */
export async function openHeaders(files: ModelFiles, config: ModelConfig): Promise<StoredWeights> {
  const { tensors } = await storedTensors(OpenFolder.of(files));
  return matching(tensors, config, files.label);
}

/** The SHA-256; empty if there is none, because `crypto.subtle` exists only in secure contexts. */
async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle;
  if (!subtle) return new Uint8Array();
  // Shared memory is refused.
  const own =
    bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  return new Uint8Array(await subtle.digest('SHA-256', own));
}

async function openShards(folder: OpenFolder): Promise<StoredWeights> {
  const { label } = folder;
  const indexJson = await folder.json(INDEX);
  if (indexJson === null)
    throw new ModelFileError(`${label}: neither ${SINGLE} nor ${INDEX} is there; one of them is needed.`);
  const index = indexSchema.safeParse(indexJson);
  if (!index.success)
    throw new ModelFileError(
      `${label}: ${INDEX} needs a weight_map from tensor names to .safetensors files.`,
    );
  const map = new Map(Object.entries(index.data.weight_map));
  const shards = [...new Set(map.values())].sort();
  const tensors = new Map<string, StoredTensor>();
  for (const shard of shards) {
    const file = await folder.open(shard);
    if (file === null)
      throw new ModelFileError(
        `${label}: ${shard} is missing; ${INDEX} names ${shards.length} files and all are needed.`,
      );
    for (const [name, tensor] of await openSafetensors(file, `${label}: ${shard}`)) {
      if (map.get(name) === shard) tensors.set(name, tensor);
    }
  }
  return tensors;
}

/** The first five names, then the number of the others. */
function some(items: readonly string[]): string {
  const rest = items.length - 5;
  return items.slice(0, 5).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** A tensor that old exporters store and every library computes. */
const COMPUTED = /\.rotary_emb\.inv_freq$/;

/** The factor on the number of stored tensors up to which missing ones are listed. */
const MOST_TIMES = 20;

/** Refuses a `config` that asks for far more tensors than the weights have, before a list of them is made. */
function refuseOversized(
  tensors: ReadonlyMap<string, { readonly shape: readonly number[] }>,
  config: ModelConfig,
  label: string,
): void {
  const needed = fileTotals(config);
  if (needed.tensors <= MOST_TIMES * Math.max(tensors.size, 1)) return;
  const numbers = [...tensors.values()].reduce((sum, { shape }) => sum + sizeOf(shape), 0);
  throw new ModelFileError(
    `${label}: config.json asks for ${grouped(config.layers)} layers, which are ${grouped(needed.tensors)} tensors of ${grouped(needed.numbers)} numbers; the weights hold ${grouped(tensors.size)} tensors of ${grouped(numbers)} numbers. Use the config.json and weights of one and the same model.`,
  );
}

/**
 * Exactly the parameters of `config`, in their order, with Hugging Face's shapes. A stored copy of a tied head is left out
 * (`checkTiedHead`).
 *
 * @throws ModelFileError naming tensors that are missing, unexpected or of the wrong shape.
 */
function matching<T extends { readonly shape: readonly number[] }>(
  tensors: ReadonlyMap<string, T>,
  config: ModelConfig,
  label: string,
): Map<string, T> {
  refuseOversized(tensors, config, label);
  const specs = huggingFaceSpecs(config);
  const expected = new Set(specs.map((spec) => spec.name));
  const missing = specs.map((spec) => spec.name).filter((name) => !tensors.has(name));
  const unexpected = [...tensors.keys()].filter(
    (name) => !expected.has(name) && !COMPUTED.test(name) && !(config.tiedHead && name === HEAD),
  );
  const problems: string[] = [];
  if (missing.length > 0)
    problems.push(`${missing.length} of ${specs.length} tensors missing (${some(missing)})`);
  if (unexpected.length > 0) problems.push(`${unexpected.length} unexpected (${some(unexpected)})`);

  const weights = new Map<string, T>();
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
  return weights;
}

/**
 * Checks that weights in memory are those of `config`, as `openWeights` does, and finite.
 *
 * @throws ModelFileError naming tensors that are missing, unexpected, of the wrong shape or not finite.
 */
export function checkWeights(tensors: WeightArrays, config: ModelConfig, label: string): WeightArrays {
  const weights = matching(tensors, config, label);
  for (const [name, tensor] of weights) checkFinite(name, tensor.data, label);
  return weights;
}

/** @throws ModelFileError if `values` hold NaN or infinities. */
export function checkFinite(name: string, values: Float32Array, label: string): void {
  let count = 0;
  for (const value of values) if (!Number.isFinite(value)) count++;
  refuseNotFinite(name, count, values.length, label);
}

function refuseNotFinite(name: string, count: number, total: number, label: string): void {
  if (count === 0) return;
  throw new ModelFileError(
    `${label}: tensor "${name}" holds ${count} values of ${total} that are NaN or infinite; all must be finite. The file comes from a run that broke down or is damaged; use an earlier one.`,
  );
}

/** The bits of a number's exponent within 32-bit words; NaN and infinities have all of them set. A word of a 16-bit type has two such numbers. */
const EXPONENTS: Readonly<Record<NumberType, readonly number[]>> = {
  F32: [0x7f800000],
  F16: [0x7c00, 0x7c000000],
  BF16: [0x7f80, 0x7f800000],
};

/** The number of values that are NaN or infinite. */
function notFinite(bytes: Uint8Array, dtype: StoredType): number {
  const format = blockFormatOf(dtype);
  if (format !== null) return notFiniteInBlocks(format, bytes);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
  let count = 0;
  for (const mask of EXPONENTS[numberTypeOf(dtype)])
    for (let i = 0; i < words.length; i++) if (((words[i] as number) & mask) >>> 0 === mask) count++;
  if (aligned.byteLength % 4 === 0) return count;
  const last = decode(aligned.subarray(aligned.byteLength - 2), dtype)[0] ?? 0;
  return Number.isFinite(last) ? count : count + 1;
}
