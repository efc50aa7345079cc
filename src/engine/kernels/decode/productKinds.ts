import type { DecodePlan } from './program.ts';

/**
 * The products of decoding. `exact`: f32, as the trainer computes. `f16`: half floats (`halfProduct.ts`). `int8`: whole numbers of 8 bits
 * (`integerProduct.ts`), with matrices in GGUF's block formats.
 */
export const DECODE_PRODUCTS = ['exact', 'f16', 'int8'] as const;
export type DecodeProducts = (typeof DECODE_PRODUCTS)[number];
export type RoundedProducts = Exclude<DecodeProducts, 'exact'>;

/** The input of a map, each row of which is rounded before the map. */
export interface RoundingSpec {
  readonly inputs: number;
  /** The epsilon of the RMSNorm before the map, or null for none. Its γ is rounded with x; its scale is kept beside the row. */
  readonly normEpsilon: number | null;
  /** The number that is added to the norm's γ. */
  readonly normShift: number;
}

/** The ways in which a device computes the products of decoding. */
export interface DecodeWays {
  readonly plan: DecodePlan;
  readonly products: DecodeProducts;
}
