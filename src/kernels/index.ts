/** Every op of ours; importing this registers their kernels and gradients on both backends. */
export { adamw } from './adamw/adamw.ts';
export { causalAttention } from './attention/attention.ts';
export { decodeAttention, fillCache, type LayerCache } from './decodeAttention/decodeAttention.ts';
export { embedding, embeddingGradient } from './embedding/embedding.ts';
export { gemm } from './gemm/gemm.ts';
export { rmsNorm } from './rmsNorm/rmsNorm.ts';
export { rope } from './rope/rope.ts';
export { squaredNorm } from './squaredNorm/squaredNorm.ts';
export { swiglu } from './swiglu/swiglu.ts';
export { tokenLogprobs } from './tokenLogprobs/tokenLogprobs.ts';
