/** All our ops. Importing this file registers their kernels on both backends. */
export { adamwStep } from './adamwStep/adamwStep.ts';
export { cacheAttention, fillCache, forkCache, type LayerCache } from './cacheAttention/cacheAttention.ts';
export { addColumnSums } from './columnSums/columnSums.ts';
export { embedding, embeddingGradient } from './embedding/embedding.ts';
export {
  FROZEN_FORMATS,
  ROW_STEP,
  type FrozenBlock,
  type FrozenFormat,
  type FrozenMatrix,
} from './frozenMatrix/frozenMatrix.ts';
export { frozenBytes } from './frozenMatrix/layout.ts';
export { isFrozen } from './frozenMatrix/matrixView.ts';
export {
  allocateFrozenMatrix,
  disposeFrozenMatrix,
  readFrozenRows,
  writeFrozenRows,
} from './frozenMatrix/storage.ts';
export { dequantizeRows, quantizeRows, type QuantizedFormat } from './frozenMatrix/quantize.ts';
export { gatedUnit, gatedUnitGradient } from './gatedUnit/gatedUnit.ts';
export { gemm } from './gemm/gemm.ts';
export { gemmInto } from './gemm/gemm.ts';
export type { GemmPlans } from './gemm/plan.ts';
export { adoptGemmPlans, currentGemmPlans, gemmDevice } from './gemm/plan.ts';
export { tuneGemm } from './gemm/tune.ts';
export {
  rotateHeads,
  rotateHeadsGradient,
  type HeadNorms,
  type HeadShape,
  type Rotation,
} from './headRotation/headRotation.ts';
export { mergeColumns } from './mergeColumns/mergeColumns.ts';
export { rmsNorm, rmsNormGradient } from './rmsNorm/rmsNorm.ts';
export { selfAttention, selfAttentionGradient, type Attended } from './selfAttention/selfAttention.ts';
export { squaredNorm } from './squaredNorm/squaredNorm.ts';
export { takeColumns } from './takeColumns/takeColumns.ts';
export { takeRows } from './takeRows/takeRows.ts';
export { tokenLogprobs, tokenLogprobsGradient } from './tokenLogprobs/tokenLogprobs.ts';
export { zeros } from './zeros/zeros.ts';
