/**
 * Kernels for tfjs' wasm memory, in AssemblyScript: TypeScript's syntax, compiled to SIMD instructions when the app is built
 * (`src/page/vite/simdKernels.ts`). They take addresses in bytes and sizes in elements, allocate nothing and keep nothing but the
 * number of their thread, so any number of threads may run them on parts of one output. A kernel that can be shared takes the
 * range of its items first: `(first, last, …)`.
 */
export { adamwStep } from './adamwStep';
export { cacheAttention, cacheAttentionScratch, fillCache, forkCache } from './cacheAttention';
export { embedding, embeddingGradient } from './embedding';
export { exponentials, fill, logarithms } from './math';
export { gatedUnit, gatedUnitGradient } from './gatedUnit';
export { gemmFrozenNN, gemmFrozenNT, gemmItems, gemmNN, gemmNT, gemmScratch, gemmTN } from './gemm';
export { storeHalves } from './halves';
export { headRotation, headRotationGradient } from './headRotation';
export { mergeColumns } from './mergeColumns';
export { rowLogprobs, rowLogprobsGradient } from './rowLogprobs';
export { rowMasses } from './rowMasses';
export { selfAttention, selfAttentionScratch } from './selfAttention';
export { selfAttentionGradient, selfAttentionGradientScratch } from './selfAttentionGradient';
export { columnSums, squaredSums, sumCopies, sumOfDoubles } from './sums';
export { setThread } from './vector';
export { rmsNorm, rmsNormGradient } from './rmsNorm';
