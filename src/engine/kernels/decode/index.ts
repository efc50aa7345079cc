/** Kernels of batched decoding on WebGPU, for an engine that prebuilds its pipelines and bind groups. */
export * from './addNormed.ts';
export * from './attention.ts';
export * from './attentionSpec.ts';
export * from './integerProduct.ts';
export * from './linear.ts';
export * from './linearSpec.ts';
export * from './lowRank.ts';
export * from './perVector.ts';
export * from './pages.ts';
export * from './repetitionPenalty.ts';
export * from './logitNoise.ts';
export * from './productKinds.ts';
export * from './products.ts';
export * from './program.ts';
export * from './rows.ts';
export * from './sample.ts';
export * from './sampleFilter.ts';
