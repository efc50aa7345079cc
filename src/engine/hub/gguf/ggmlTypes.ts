/** The numbers that ggml gives to the types of tensors that are read and written here. */
import type { StoredType } from '../../model/storedWeights.ts';

export const GGML_TYPES: Readonly<Record<StoredType, number>> = {
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q5_0: 6,
  Q5_1: 7,
  Q8_0: 8,
  Q2_K: 10,
  Q3_K: 11,
  Q4_K: 12,
  Q5_K: 13,
  Q6_K: 14,
  IQ4_NL: 20,
  IQ4_XS: 23,
  BF16: 30,
};

/** The other types of ggml, which are named where a tensor is refused. */
export const OTHER_TYPES: Readonly<Record<number, string>> = {
  9: 'Q8_1',
  15: 'Q8_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  21: 'IQ3_S',
  22: 'IQ2_S',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  34: 'TQ1_0',
  35: 'TQ2_0',
  39: 'MXFP4',
};
