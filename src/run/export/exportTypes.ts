/** The exports of a run's model for other programs. */
import {
  EMBEDDING,
  HEAD,
  unitOf,
  type StoredTensor,
  type StoredType,
  type WritableType,
} from '@rl-playground/engine/parts';

/** `merged`: a folder that transformers loads; `peft`: the LoRA adapter; `onnx`: for transformers.js; `gguf`: for llama.cpp. */
export const EXPORT_FORMATS = ['merged', 'peft', 'onnx', 'gguf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The types that keep each number by itself; `base` keeps each tensor as in the model that the run began from. */
const NUMBER_TYPES = ['F32', 'F16', 'BF16', 'base'] as const;
export type NumberExport = (typeof NUMBER_TYPES)[number];
/** The types of blocks that a person can choose for GGUF, the largest first. */
const BLOCK_TYPES = ['Q8_0', 'Q6_K', 'Q4_1', 'Q4_K', 'Q4_0'] as const;

export const WEIGHT_TYPES = [...NUMBER_TYPES, ...BLOCK_TYPES] as const;
export type WeightType = (typeof WEIGHT_TYPES)[number];

/** The types that weights are stored as in a format. */
export const typesOf = (format: ExportFormat): readonly WeightType[] =>
  format === 'gguf' ? WEIGHT_TYPES : NUMBER_TYPES;

export const isNumberExport = (type: WeightType): type is NumberExport =>
  NUMBER_TYPES.some((each) => each === type);

/** The next type where a row is no whole number of blocks of 256, as llama.cpp chooses it. */
const SHORT_BLOCKS: Readonly<Partial<Record<StoredType, WritableType>>> = {
  Q4_K: 'Q5_0',
  Q5_K: 'Q5_1',
  Q6_K: 'Q8_0',
};
/** The next larger type for one that is read here and not written. */
const WRITTEN_AS: Readonly<Partial<Record<StoredType, WritableType>>> = {
  Q2_K: 'Q4_K',
  Q3_K: 'Q4_K',
  IQ4_XS: 'Q4_K',
  IQ4_NL: 'Q4_1',
};

/** The type nearest to one that is wanted for new numbers; F16 where the columns are not even whole blocks of 32. */
export function fittingType(columns: number, type: StoredType): WritableType {
  const fits = (each: StoredType): boolean => columns % unitOf(each).elements === 0;
  const written = WRITTEN_AS[type] ?? (type as WritableType);
  const shorter = SHORT_BLOCKS[written] ?? written;
  return fits(written) ? written : fits(shorter) ? shorter : 'F16';
}

/**
 * The type of a tensor in a GGUF file whose chosen type is none of its base: vectors are F32, and embedding and head have 8 bits where the
 * others have 4.
 */
export function ggufTypeOf(
  name: string,
  { shape }: Pick<StoredTensor, 'shape'>,
  chosen: Exclude<WeightType, 'base'>,
): WritableType {
  if (shape.length === 1) return 'F32';
  const isEnd = name === EMBEDDING || name === HEAD;
  return fittingType(shape.at(-1) ?? 1, isEnd && chosen.startsWith('Q4') ? 'Q8_0' : chosen);
}
