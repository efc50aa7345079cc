/**
 * The engine API: what a training loop of one's own is made of. Everything here is documented in docs/engine.md and kept stable;
 * whatever else lies in `src` may change. In Node take `engineNode.ts`, in the page's console `rlPlayground.createEngine`.
 */
export { startBackend, type BackendInfo, type StartOptions } from './backend/start.ts';
export * as tf from './backend/tf.ts';
export { REDUCTIONS, type LossName, type Reduction } from './rl/loss/lossRows.ts';
export { loadModel } from './hub/load.ts';
export { filesAtUrl, filesInMemory } from './hub/sources.ts';
export type { LoadedModel, ModelFiles, Tokenizer } from './hub/types.ts';
export type { WeightArrays } from './model/weights.ts';
export type { Reading, Renderer, RendererName } from './hub/renderers.ts';
export { centredAdvantages, scaledAdvantages, type Baseline } from './rl/loss/advantages.ts';
export type { CustomLoss } from './rl/loss/customLoss.ts';
export type { CallOptions, EngineSequence as Sequence } from './rl/engine/calls.ts';
export type { Engine } from './rl/engine/engine.ts';
export type { EngineState } from './rl/engine/state.ts';
export type { NamedLoss, WeightedLoss } from './rl/loss/namedLoss.ts';
export { LOSS_NAMES, type LossSettings } from './rl/loss/losses.ts';
export type { LossInputs, TokenLoss } from './rl/loss/inputs.ts';
export type { BackwardValues, TokenValues } from './rl/update/trainer.ts';
export type { WantedSampling } from './rollout/requests.ts';
export type {
  GenerateOptions,
  GeneratorPool,
  GroupRequest,
  GroupResult,
  SampledCompletion,
  SamplingSettings,
} from './rollout/types.ts';
export { createEngine, type EngineOptions, type OpenEngine } from './rl/engine/createEngine.ts';
export type { EngineSettings } from './rl/engine/settings.ts';

export { modelFiles } from './hub/modelFiles.ts';
export { TASK_NAMES } from './tasks/index.ts';
export type { ChatMessage, StopReason } from './base/conversation.ts';
export type { Problem, Reward, TaskConfig } from './tasks/types.ts';
