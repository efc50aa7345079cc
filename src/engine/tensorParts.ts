/** The part of `parts.ts` that computes with tensors: importing it loads tfjs. */
export { backendLost, checkBackend } from './backend/backendHealth.ts';
export { gpuDispatcher } from './backend/dispatch.ts';
export { exactTensor2d, startExactBackend } from './backend/exact.ts';
export { startKernelClock, stopKernelClock, WEBGPU_BACKEND } from './backend/kernelRegistry.ts';
export { gpuBytes } from './backend/memory.ts';
export { closeGpu, startBackend } from './backend/start.ts';
export * as tf from './backend/tf.ts';
export { createEngine } from './calls/createEngine.ts';
export { Engine } from './calls/engine.ts';
export { EngineHost } from './calls/host.ts';
export { likeliestTokens } from './calls/likeliest.ts';
export { LOCAL_ENVIRONMENT } from './calls/localEnvironment.ts';
export { keepsBaseFrozen, loraOf, startingFactors, startingWeights } from './calls/start.ts';
export { undoBytes, undoneOnFailure, WeightsAstray } from './calls/undo.ts';
export {
  adamwStep,
  adoptGemmPlans,
  allocateFrozenMatrix,
  currentGemmPlans,
  disposeFrozenMatrix,
  gatedUnit,
  gemm,
  gemmDevice,
  isFrozen,
  quantizeRows,
  rmsNorm,
  selfAttention,
  selfAttentionGradient,
  squaredNorm,
  tokenLogprobs,
  tuneGemm,
  writeFrozenRows,
} from './kernels/index.ts';
export { selfTest } from './kernels/selfTest.ts';
export { rowChunks } from './kernels/tokenLogprobs/wasm.ts';
export { lossDerivatives } from './loss/derivatives.ts';
export { ratioOf } from './loss/inputs.ts';
export { LOSS_NAMES, negativeLogLikelihood, PLAIN_LOSS, reinforce, tokenLoss } from './loss/losses.ts';
export { traced } from './loss/tracing.ts';
export { Adapter, packPeft, unpackPeft } from './model/adapter.ts';
export { baseInFiles } from './model/baseSource.ts';
export { activationFloats } from './model/block.ts';
export { FrozenBase } from './model/frozenBase.ts';
export { formatOf } from './model/frozenWords.ts';
export { advance, createCaches, disposeCaches, logitsOf, prefill } from './model/incremental.ts';
export { ACTIVATION_BUDGET, LanguageModel } from './model/languageModel.ts';
export { mergeAdapter } from './model/mergeAdapter.ts';
export { mergedBytes } from './model/mergedBase.ts';
export { mergedTensors } from './model/mergedTensors.ts';
export { disposeSelection, pickedRows, selectedRows, selectRows } from './model/rowSelection.ts';
export { valueHeadSpecs } from './model/valueHead.ts';
export { Gradients, ModelWeights, packArrays, requiredTensor, unpackArrays } from './model/weights.ts';
export { tinyGenerator, tinyRequests } from './rollout/decoding/decoder.suite.ts';
export { createLocalPool } from './rollout/localPool.ts';
export { bytesOf, checkAdapter, poolOf, weightLayout, weightsOf } from './rollout/decoding/weights.ts';
export { createWorkerPool } from './rollout/workerPool.ts';
export { Optimizer } from './update/optimizer.ts';
export { forwardBackward, forwardOnly, trainStep } from './update/trainer.ts';
