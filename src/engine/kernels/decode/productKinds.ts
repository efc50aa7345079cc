import type { DecodePlan } from './program.ts';

/**
 * The products of decoding. `exact`: f32, as the trainer computes. `int8`: whole numbers of 8 bits (`integerProduct.ts`), with matrices in
 * GGUF's block formats.
 */
export const DECODE_PRODUCTS = ['exact', 'int8'] as const;
export type DecodeProducts = (typeof DECODE_PRODUCTS)[number];
export type RoundedProducts = Exclude<DecodeProducts, 'exact'>;

/** The ways in which a device computes the products of decoding. */
export interface DecodeWays {
  readonly plan: DecodePlan;
  readonly products: DecodeProducts;
}
