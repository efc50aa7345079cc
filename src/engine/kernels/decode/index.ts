/** Kernels of batched decoding on WebGPU, for an engine that prebuilds its pipelines and bind groups. */
export { attentionKernel } from './attention.ts';
export type { AttentionSpec, AttentionWork } from './attentionSpec.ts';
export { linearKernel, projectionKernel } from './linear.ts';
export { outputWidth, type LinearSpec } from './linearSpec.ts';
export { projectionVectors, type LowRankPart, type LowRankSpec, type ProjectionSpec } from './lowRank.ts';
export { embedKernel, gatedKernel, keepKernel, recallKernel } from './perVector.ts';
export { PAGE_POSITIONS, pageBytes, pagesOf, type CachePrecision } from './pages.ts';
export { REPETITION_PENALTY_WORD, seenWords, writeSeen } from './repetitionPenalty.ts';
export { LOGIT_NOISE_WORD, logitNoiseKernel } from './logitNoise.ts';
export type { BindingKind, DecodeKernel, DecodePlan } from './program.ts';
export {
  gatherKernel,
  LIST_HEADER_WORDS,
  MAX_SLOTS,
  ROW_WORDS,
  SLOT_ALIVE_WORD,
  SLOT_ROOM_WORD,
  SLOT_FRESH,
  SLOT_IDLE,
  SLOT_RUNNING,
  SLOT_WORDS,
  writePrefillRow,
  writeSlot,
} from './rows.ts';
export { NOT_FINITE, OUTPUT_WORDS, sampleKernel, SETTINGS_HEADER_WORDS } from './sample.ts';
export { MIN_P_WORD } from './sampleFilter.ts';
