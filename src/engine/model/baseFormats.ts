/**
 * The formats of an adapter's frozen base. `auto`: the words of the model's files, which are never rounded. `16bit`: the same, but F32
 * files are rounded to f16. `q8`: whole numbers of 8 bit with a scale for each 32. `q4`: NF4's levels with a scale for each 64 (Dettmers
 * et al. 2023), with embedding and head in `q8`.
 */
export const BASE_FORMATS = ['auto', 'f32', '16bit', 'q8', 'q4'] as const;
export type BaseFormat = (typeof BASE_FORMATS)[number];
