/** What the packages of this repository take of the engine beside its API (`index.ts`). It is not published and promises nothing. */
export { backendLost, checkBackend } from './backend/backendHealth.ts';
export { type DeviceLimits, findAdapter, isSoftware } from './backend/device.ts';
export { DeviceError, onDeviceProblem } from './backend/deviceHealth.ts';
export { gpuDispatcher } from './backend/dispatch.ts';
export { breathe, breatheIfDue } from './backend/eventLoop.ts';
export { exactTensor2d, startExactBackend } from './backend/exact.ts';
export { startKernelClock, stopKernelClock, WEBGPU_BACKEND } from './backend/kernelRegistry.ts';
export { gpuBytes } from './backend/memory.ts';
export { MemoryError } from './backend/memoryError.ts';
export { MAPPED_BYTES } from './backend/readBack.ts';
export { sharesMemory } from './backend/sharedMemory.ts';
export { canFuseProducts, simdOf } from './backend/simd.ts';
export { type BackendInfo, closeGpu, startBackend } from './backend/start.ts';
export * as tf from './backend/tf.ts';
export type { EngineSequence } from './calls/calls.ts';
export { createEngine, type EngineOptions, type OpenEngine } from './calls/createEngine.ts';
export { Engine } from './calls/engine.ts';
export {
  type AdapterParts,
  type EngineEnvironment,
  EngineHost,
  type EngineStart,
  type KeptWeights,
  type MemoryBudgets,
} from './calls/host.ts';
export { likeliestTokens, type LikelyToken } from './calls/likeliest.ts';
export { LOCAL_ENVIRONMENT } from './calls/localEnvironment.ts';
export { type FreshWeights, type PastWeights, pastWeightsBytes } from './calls/pastWeights.ts';
export { ENGINE_DEFAULTS, ENGINE_SCHEMAS, type EngineSettings } from './calls/settings.ts';
export { keepsBaseFrozen, loraOf, startingFactors, startingWeights } from './calls/start.ts';
export { undoBytes, undoneOnFailure, WeightsAstray } from './calls/undo.ts';
export { canWrite } from './hub/canWrite.ts';
export { COMMIT_FILE, commitText, type FileSum, readCommit } from './hub/commitRecord.ts';
export { crc32, crc32c } from './hub/crc32.ts';
export { expectedTensor } from './hub/expectedTensor.ts';
export {
  loadAskable,
  loadModel,
  loadParts,
  loadWeights,
  type ModelParts,
  readModelConfig,
} from './hub/load.ts';
export { modelFiles, storedConfig, withStoredWeights, withWeights } from './hub/modelFiles.ts';
export { contentOf, joined, openBlob, openBytes } from './hub/openFiles.ts';
export {
  baseOfAdapter,
  parsePeftConfig,
  parsePeftWeights,
  PEFT_FILES,
  type PeftAdapter,
  peftConfigFile,
  readPeftAdapter,
  readPeftSettings,
  withoutAdapter,
} from './hub/peft.ts';
export { type LoadOptions, parseJsonObject, readFile, readRequired } from './hub/readFile.ts';
export { bodyOf, boundedFetch, MOST_JSON_BYTES } from './hub/remote/answerBody.ts';
export { RANGE_BYTES } from './hub/remote/download.ts';
export { type FindOptions, HUB_URL, listRepository } from './hub/remote/listing.ts';
export type { DownloadProgress } from './hub/remote/loadRemote.ts';
export { addressText, type HubAddress, parseModelAddress } from './hub/remote/modelAddress.ts';
export { freeBytes, type KeptModel, keptModels, openKept } from './hub/remote/modelCache.ts';
export { type AllowServer, mayAskNamed } from './hub/remote/namedServers.ts';
export { readRange, type RemoteFile } from './hub/remote/remoteFile.ts';
export { filesOf, findModel, type RemoteModel } from './hub/remote/remoteModel.ts';
export { type Asking, BusyError, STALL_MILLISECONDS, withRetries } from './hub/remote/request.ts';
export { createRenderer, type RenderedModel, type Renderer } from './hub/renderers.ts';
export {
  openSafetensors,
  parseSafetensors,
  safetensorsFile,
  safetensorsHeader,
  writeSafetensors,
} from './hub/safetensors.ts';
export { createScratchModel, type ScratchRecipe } from './hub/scratchModel.ts';
export {
  filesAtUrl,
  filesExcept,
  filesInBlobs,
  filesInMemory,
  filesOfFolder,
  filesOnServer,
  filesUnder,
  listedFiles,
} from './hub/sources.ts';
export { knowsThoughts } from './hub/thoughts.ts';
export { textOfTokens } from './hub/tokenBytes.ts';
export { createTextCodec, createTokenizer, type TokenizerFiles } from './hub/tokenizer.ts';
export {
  type LoadedModel,
  ModelFileError,
  type ModelFiles,
  type ModelOrigin,
  type OpenFile,
  type TextCodec,
  type Tokenizer,
} from './hub/types.ts';
export { checkWeights, openHeaders } from './hub/weights.ts';
export { filesInZip } from './hub/zipFiles.ts';
export { filePieces, zipPieces } from './hub/zipWriter.ts';
export { pageBytes } from './kernels/decode/index.ts';
export { FROZEN_FORMATS, type FrozenFormat } from './kernels/frozenMatrix/frozenMatrix.ts';
export { frozenBytes } from './kernels/frozenMatrix/layout.ts';
export type { GemmLayout } from './kernels/gemm/shape.ts';
export {
  adamwStep,
  adoptGemmPlans,
  allocateFrozenMatrix,
  currentGemmPlans,
  disposeFrozenMatrix,
  type FrozenMatrix,
  gatedUnit,
  gemm,
  gemmDevice,
  type GemmPlans,
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
export {
  advantagesOf,
  type ComparingSettings,
  isMixed,
  keptGroups,
  klShaping,
  updatedBaseline,
} from './loss/advantages.ts';
export { lossDerivatives } from './loss/derivatives.ts';
export { withEntropyTerms } from './loss/entropyTerms.ts';
export { FLOAT32 } from './loss/float32.ts';
export { type LossInputs, ratioOf, type TokenLoss } from './loss/inputs.ts';
export {
  CISPO_CAP,
  IMPORTANCE_MODES,
  LOSSES,
  lossesWhere,
  type LossName,
  ownReduction,
  type Reduction,
  REDUCTIONS,
} from './loss/lossRows.ts';
export {
  LOSS_NAMES,
  type LossSettings,
  negativeLogLikelihood,
  PLAIN_LOSS,
  type RatioBounds,
  reinforce,
  tokenLoss,
} from './loss/losses.ts';
export type { WeightedLoss } from './loss/namedLoss.ts';
export { countedTokens, reductionOf, tokenWeights, weightsOfWhole } from './loss/reduction.ts';
export { type Trace, traced, type TracedOp } from './loss/tracing.ts';
export type { Clipping, LossOptions } from './loss/trainingLoss.ts';
export {
  explainedVariance,
  generalizedAdvantages,
  standardized,
  tokenRewards,
} from './loss/valueAdvantages.ts';
export { Adapter, packPeft, unpackPeft } from './model/adapter.ts';
export { BASE_FORMATS, type BaseFormat } from './model/baseFormats.ts';
export { baseInFiles, type BasePiece, type BaseSource } from './model/baseSource.ts';
export { activationFloats } from './model/block.ts';
export { type ModelConfig, parseModelConfig } from './model/config.ts';
export { FrozenBase } from './model/frozenBase.ts';
export { formatOf } from './model/frozenWords.ts';
export { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from './model/halfFloats.ts';
export { advance, createCaches, disposeCaches, logitsOf, prefill } from './model/incremental.ts';
export { initialWeights } from './model/initialize.ts';
export { ACTIVATION_BUDGET, type ForwardState, LanguageModel } from './model/languageModel.ts';
export {
  adapterLength,
  adapterParameterCount,
  type AdapterSpec,
  adapterSpecs,
  LoraError,
  loraScale,
  type LoraSettings,
  mergedConfig,
  peftName,
  peftSpecs,
} from './model/lora.ts';
export { LAYER_TARGETS, LORA_TARGETS, type LoraTarget } from './model/loraTargets.ts';
export { mergeAdapter } from './model/mergeAdapter.ts';
export { mergedBytes } from './model/mergedBase.ts';
export { mergedTensors } from './model/mergedTensors.ts';
export {
  alignedLength,
  type HuggingFaceSpec,
  huggingFaceSpecs,
  mlpInputs,
  packedLength,
  parameterCount,
  parameterSpecs,
  sizeOf,
} from './model/parameters.ts';
export { ropeFrequencies, ropeTables } from './model/rope.ts';
export { disposeSelection, pickedRows, selectedRows, selectRows } from './model/rowSelection.ts';
export {
  BYTES_PER_ELEMENT,
  encode,
  PIECE_BYTES,
  readNumbers,
  storedAs,
  storedBytes,
  storedInMemory,
  type StoredTensor,
  type StoredType,
  type StoredWeights,
  widened,
} from './model/storedWeights.ts';
export { valueHeadSpecs } from './model/valueHead.ts';
export { EMBEDDING, FINAL_NORM, HEAD } from './model/weightNames.ts';
export {
  Gradients,
  ModelWeights,
  packArrays,
  requiredTensor,
  type TensorData,
  unpackArrays,
  type WeightArrays,
} from './model/weights.ts';
export { millisecondsNow } from './rollout/clock.ts';
export { CACHE_BYTES } from './rollout/continuousBatching.ts';
export { tinyGenerator, tinyRequests } from './rollout/decoder.suite.ts';
export type { GeneratorModel } from './rollout/decoder.ts';
export { exp, log, log1p } from './rollout/elementary.ts';
export { OUTPUT_BYTES, PREFILL_ROWS } from './rollout/gpu/buffers.ts';
export { logitsWidth } from './rollout/gpu/linearSteps.ts';
export { cacheShape, type CacheShape, pagesIn } from './rollout/gpu/pagedCache.ts';
export { createLocalPool } from './rollout/localPool.ts';
export { withRepetitionPenalty } from './rollout/repetitionPenalty.ts';
export { checkGenerator, GeneratorSilent, wholeSampling } from './rollout/requests.ts';
export { drawToken, gumbelOf, positionKey, rowKey, tokenBits, uniformAt } from './rollout/sampler.ts';
export { FRESH_TEXT, stopMatcherOf, STOPPED } from './rollout/stopStrings.ts';
export type {
  BaseTakingPool,
  GenerateOptions,
  GeneratorPool,
  GroupRequest,
  GroupResult,
  SampledCompletion,
  SamplingProgress,
  SamplingSettings,
} from './rollout/types.ts';
export {
  bytesOf,
  checkAdapter,
  poolOf,
  type WeightBytes,
  weightLayout,
  type WeightPrecision,
  weightsOf,
} from './rollout/weights.ts';
export { createWorkerPool } from './rollout/workerPool.ts';
export type { Sequence } from './loss/sequence.ts';
export { type Microbatch, packMicrobatches, paddedLength, unpackRows } from './update/batch.ts';
export {
  type BatchOutcome,
  measureUpdate,
  planUpdates,
  trainOnBatch,
  trainOnUpdate,
} from './training/batchTrainer.ts';
export { Optimizer, type OptimizerState } from './update/optimizer.ts';
export type { TrainedValues, UpdateRecord } from './training/records.ts';
export { StreamTrainer } from './training/streamTrainer.ts';
export { forwardBackward, forwardOnly, trainStep } from './update/trainer.ts';
