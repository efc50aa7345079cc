/**
 * The formats of an adapter's frozen base. `auto`: the words of the model's files, which are never rounded. `16bit`: the same, but F32
 * files are rounded to f16, and blocks too. `q8`: the blocks Q8_0 of GGUF, 8.5 bits a weight. `q4`: Q4_1, 5 bits, with embedding and head
 * in Q8_0. Rows that are no whole blocks of 32 are as in `16bit`.
 */
export const BASE_FORMATS = ['auto', 'f32', '16bit', 'q8', 'q4'] as const;
export type BaseFormat = (typeof BASE_FORMATS)[number];
