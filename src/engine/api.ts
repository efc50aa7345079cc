/** The part of the engine API that is the same in a page and under Node: the pieces of a custom training loop (docs/engine.md). */
export { startBackend, type BackendInfo, type StartOptions } from './backend/start.ts';
export * as tf from './backend/tf.ts';
export { REDUCTIONS, type LossName, type Reduction } from './loss/lossRows.ts';
export { loadModel } from './hub/load.ts';
export { filesAtUrl, filesInMemory } from './hub/sources.ts';
export type { LoadedModel, ModelFiles, Tokenizer } from './hub/types.ts';
export type { WeightArrays } from './model/weights.ts';
export type { Reading, Renderer, RendererName } from './hub/renderers.ts';
export { centredAdvantages, scaledAdvantages, type Baseline } from './loss/advantages.ts';
export type { CustomLoss } from './loss/customLoss.ts';
export type { CallOptions, EngineSequence as Sequence } from './calls/calls.ts';
export type { Engine } from './calls/engine.ts';
export type { EngineState } from './calls/state.ts';
export type { NamedLoss, WeightedLoss } from './loss/namedLoss.ts';
export { LOSS_NAMES, type LossSettings } from './loss/losses.ts';
export type { LossInputs, TokenLoss } from './loss/inputs.ts';
export type { TokenValues } from './loss/sequence.ts';
export type { BackwardValues } from './update/trainer.ts';
export type { WantedSampling } from './rollout/requests.ts';
export type {
  GenerateOptions,
  GeneratorPool,
  GroupRequest,
  GroupResult,
  SampledCompletion,
  SamplingSettings,
} from './rollout/decoding/types.ts';
export type { OpenEngine } from './calls/createEngine.ts';
export { ENGINE_DEFAULTS, type EngineSettings } from './calls/settings.ts';
export type { OpenOptions } from './calls/openOptions.ts';
export { modelFiles } from './hub/modelFiles.ts';
export type { ChatMessage, StopReason } from '@rl-playground/base/conversation';
