/**
 * The exports of the engine for the other packages of this repository, beside its API (`index.ts`). They load no tensors; those that do
 * are in `tensorParts.ts`. Nothing here is published or stable.
 */
export { adapterFacts, factsOfDevice, hasFeature, kernelLimits } from './backend/adapterFacts.ts';
export { type DeviceLimits, findAdapter } from './backend/device.ts';
export { DeviceError, onDeviceProblem } from './backend/deviceHealth.ts';
export { breathe, breatheIfDue } from './backend/eventLoop.ts';
export { MemoryError } from './backend/memoryError.ts';
export { MAPPED_BYTES } from './backend/readBack.ts';
export { canFuseProducts, simdOf } from './backend/simd.ts';
export type { BackendInfo } from './backend/start.ts';
export type { EngineSequence } from './calls/calls.ts';
export type { EngineOptions, OpenEngine } from './calls/createEngine.ts';
export type { AdapterParts, EngineEnvironment, EngineStart, MemoryBudgets } from './calls/host.ts';
export type { LikelyToken } from './calls/likeliest.ts';
export type { Voice } from './calls/voices.ts';
export {
  type FreshWeights,
  type KeptWeights,
  type PastWeights,
  pastWeightsBytes,
} from './calls/pastWeights.ts';
export { ENGINE_DEFAULTS, ENGINE_SCHEMAS, type EngineSettings } from './calls/settings.ts';
export { canWrite } from './hub/canWrite.ts';
export { COMMIT_FILE, commitText, type FileSum, readCommit } from './hub/commitRecord.ts';
export { crc32, crc32c } from './hub/crc32.ts';
export { expectedTensor } from './hub/expectedTensor.ts';
export * from './hub/load.ts';
export * from './hub/modelFiles.ts';
export { contentOf, joined, openBlob, openBytes, paddingBehind } from './hub/openFiles.ts';
export { flatName, ONNX_TEXTS, onnxChoice } from './hub/onnxChoice.ts';
export * from './hub/peft.ts';
export { type LoadOptions, OpenFolder, parseJsonObject, WEIGHT_FILES } from './hub/openFolder.ts';
export { bodyOf, boundedFetch, MOST_JSON_BYTES } from './hub/remote/answerBody.ts';
export { RANGE_BYTES } from './hub/remote/download.ts';
export { ChooseFileError, type GgufChoice } from './hub/remote/ggufChoice.ts';
export { type FindOptions, HUB_URL, listRepository } from './hub/remote/listing.ts';
export type { DownloadProgress } from './hub/remote/loadRemote.ts';
export { GGUF_FILE } from './hub/ggufName.ts';
export { addressOnHub, addressText, type HubAddress, parseModelAddress } from './hub/remote/modelAddress.ts';
export { freeBytes, type KeptModel, keptModels, openKept } from './hub/remote/modelCache.ts';
export { type AllowServer, mayAskNamed } from './hub/remote/namedServers.ts';
export { readRange, type RemoteFile } from './hub/remote/remoteFile.ts';
export { findOnnxModel } from './hub/remote/onnxModel.ts';
export { filesOf, findModel, type RemoteModel } from './hub/remote/remoteModel.ts';
export { type Asking, BusyError, STALL_MILLISECONDS, withRetries } from './hub/remote/request.ts';
export { createRenderer, type RenderedModel, type Renderer } from './hub/renderers.ts';
export * from './hub/safetensors.ts';
export { createScratchModel, type ScratchRecipe } from './hub/scratchModel.ts';
export { filesInFile } from './hub/singleFile.ts';
export * from './hub/sources.ts';
export { ChatTemplate, variablesIn } from './hub/template/index.ts';
export { knowsThoughts } from './hub/thoughts.ts';
export { textOfTokens } from './hub/tokenBytes.ts';
export { createTextCodec, createTokenizer, type TokenizerFiles } from './hub/tokenizer.ts';
export * from './hub/types.ts';
export { checkWeights, openHeaders } from './hub/weights.ts';
export { filesInZip } from './hub/zipFiles.ts';
export { filePieces, zipPieces } from './hub/zipWriter.ts';
export { pageBytes, pagesOf } from './kernels/decode/pages.ts';
export { QUANTIZED_FORMATS, quantizeBlocks } from './kernels/blockFormats/quantizeBlocks.ts';
export { DECODE_PRODUCTS } from './kernels/decode/productKinds.ts';
export { FROZEN_FORMATS, type FrozenFormat } from './kernels/frozenMatrix/frozenMatrix.ts';
export { frozenBytes } from './kernels/frozenMatrix/layout.ts';
export type { GemmLayout } from './kernels/gemm/shape.ts';
export type { FrozenMatrix, GemmPlans } from './kernels/index.ts';
export * from './loss/advantages.ts';
export { withEntropyTerms } from './loss/entropyTerms.ts';
export { FLOAT32 } from './loss/float32.ts';
export type { LossInputs, TokenLoss } from './loss/inputs.ts';
export * from './loss/lossRows.ts';
export type { LossSettings, RatioBounds } from './loss/losses.ts';
export type { WeightedLoss } from './loss/namedLoss.ts';
export { countedTokens, reductionOf, tokenWeights, weightsOfWhole } from './loss/reduction.ts';
export type { Trace, TracedOp } from './loss/tracing.ts';
export type { Clipping, LossOptions } from './loss/trainingLoss.ts';
export * from './loss/valueAdvantages.ts';
export { BASE_FORMATS, type BaseFormat } from './model/baseFormats.ts';
export type { BasePiece, BaseSource } from './model/baseSource.ts';
export { partsBeyondLlama, ropeOfLayers } from './model/beyondLlama.ts';
export { MODEL_TYPES, type ModelConfig, parseModelConfig } from './model/config.ts';
export { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from './kernels/shared/halfFloats.ts';
export { initialWeights } from './model/initialize.ts';
export type { ForwardState } from './model/languageModel.ts';
export * from './model/lora.ts';
export { LAYER_TARGETS, LORA_TARGETS, type LoraTarget } from './model/loraTargets.ts';
export * from './model/parameters.ts';
export { positionsKept, type LayerAttention, type Rope } from './model/layerAttention.ts';
export { byRope, ropeFrequencies, ropeTables } from './model/rope.ts';
export * from './model/storedWeights.ts';
export * from './hub/gguf/ggmlTypes.ts';
export { byTurns, isReordered, tensorOfModule } from './hub/gguf/tensorNames.ts';
export { EMBEDDING, FINAL_NORM, HEAD } from './model/weightNames.ts';
export type { TensorData, WeightArrays } from './model/weights.ts';
export { millisecondsNow } from './rollout/clock.ts';
export { batchSize, CACHE_BYTES } from './rollout/decoding/continuousBatching.ts';
export type { GeneratorModel } from './rollout/decoding/decoder.ts';
export { exp, log, log1p } from './rollout/decoding/elementary.ts';
export { logitsWidth, OUTPUT_BYTES, PREFILL_ROWS } from './rollout/gpu/sizes.ts';
export {
  cacheRoom,
  cacheShape,
  grownPages,
  type CacheRoom,
  type CacheShape,
} from './rollout/gpu/cacheShape.ts';
export { withRepetitionPenalty } from './rollout/repetitionPenalty.ts';
export { checkGenerator, GeneratorSilent, wholeSampling } from './rollout/requests.ts';
export * from './rollout/decoding/sampler.ts';
export { FRESH_TEXT, stopMatcherOf, STOPPED } from './rollout/decoding/stopStrings.ts';
export * from './rollout/decoding/types.ts';
export type { WeightBytes, WeightPrecision } from './rollout/decoding/weights.ts';
export type { Sequence } from './loss/sequence.ts';
export { LEAST_GAIN, MOST_COPIED } from './update/cuts.ts';
export { type Microbatch, packMicrobatches, paddedLength, unpackRows } from './update/batch.ts';
export * from './training/batchTrainer.ts';
export type { OptimizerState } from './update/optimizer.ts';
export type { TrainedValues, UpdateRecord } from './training/records.ts';
export { StreamTrainer } from './training/streamTrainer.ts';
