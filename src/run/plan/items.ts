/** The things that a run holds at its peak, one by one. */
import {
  byRope,
  MAPPED_BYTES,
  pageBytes,
  mlpInputs,
  PIECE_BYTES,
  pastWeightsBytes,
  OUTPUT_BYTES,
  PREFILL_ROWS,
  logitsWidth,
  type MemoryBudgets,
} from '@rl-playground/engine/parts';
import { rowChunks, activationFloats, ROOM_BYTES, undoBytes } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import { modelBytes, type ModelBytes } from './bytes.ts';
import type { RunShape } from './shape.ts';
import type { PlanItem, PlannedBackend, PlannedModel } from './types.ts';

/** An item, and the largest buffer among it where something must lie in one. */
export interface SizedItem extends PlanItem {
  readonly largest?: number;
  /** The part of it that a budget decides. */
  readonly budgeted?: { readonly by: keyof MemoryBudgets; readonly bytes: number };
}

/** Bytes of the base that pass through a merge at a time (`engine/rollout/gpu/merge.ts`). */
const MERGE_BYTES = 16 * 2 ** 20;
/**
 * Buffers that wait for use, for each byte of a pass: tensors of passes of varied lengths differ in size, as do those of a smaller
 * microbatch. Small ones are kept anyway (`engine/backend/gpuInternals.ts`).
 */
const IDLE_SHARE = 0.15;
const SMALL_IDLE_SHARE = 0.25;
const SMALL_IDLE = 4 * 2 ** 20;

const idleBytes = (pass: number, lastShare: number): number =>
  Math.round(Math.max(IDLE_SHARE * pass, Math.min((SMALL_IDLE_SHARE + lastShare) * pass, SMALL_IDLE)));

/** @throws LoraError where such an adapter is impossible. */
export function planItems(
  model: PlannedModel,
  config: RunConfig,
  shape: RunShape,
  backend: PlannedBackend,
  budgets: MemoryBudgets,
): SizedItem[] {
  const bytes = modelBytes(model, config);
  const ofTrainer = trainerItems(model, config, shape, bytes, budgets, backend);
  const passing = ofTrainer.filter(({ name }) => PASSING.includes(name));
  const free = passing.reduce((sum, item) => sum + item.bytes, 0);
  const device = [...ofTrainer, ...generatorItems(model, config, shape, bytes, backend, free)].filter(
    (item) => item.bytes > 0,
  );
  const on = backend === 'webgpu' ? ('gpu' as const) : ('host' as const);
  return [
    ...device.map((item) => ({ ...item, where: on })),
    ...hostItems(config, bytes, backend).filter((item) => item.bytes > 0),
  ];
}

/** The numbers of a row q | k | v. */
const qkvWidth = ({ heads, kvHeads, headDim }: PlannedModel['config']): number =>
  (heads + 2 * kvHeads) * headDim;

type DeviceItem = Omit<SizedItem, 'where'>;

/** The items of the trainer that are free while answers are sampled. */
const PASSING: readonly string[] = ['activations', 'logits'];

function trainerItems(
  { config: model }: PlannedModel,
  config: RunConfig,
  shape: RunShape,
  { frozen, base, largestOfBase, trained, adapter }: ModelBytes,
  { activationBytes }: MemoryBudgets,
  backend: PlannedBackend,
): DeviceItem[] {
  const lora = config.loraRank > 0;
  const changes =
    config.klReference === 'past' || (config.warmStartSteps > 0 && config.klReference !== 'base');
  const reference = lora ? (changes ? (frozen ? adapter : base) : 0) : base;
  const { kept, passing, ofBlocks } = activations(model, shape, lora, activationBytes, backend);
  const [chunk = { size: 0 }] = rowChunks(shape.headTokens, model.vocabSize);
  const logits = 4 * chunk.size * model.vocabSize;
  return [
    { name: 'base weights', bytes: base, largest: largestOfBase },
    { name: 'adapter', bytes: adapter, largest: adapter },
    { name: 'gradients', bytes: trained, largest: trained },
    { name: 'Adam moments', bytes: 2 * trained, largest: trained },
    { name: 'reference', bytes: reference, largest: frozen ? adapter : reference },
    {
      name: 'activations',
      bytes: kept + passing,
      largest: 4 * Math.max(shape.microBatchTokens * mlpInputs(model), shape.copiedTokens * qkvWidth(model)),
      budgeted: { by: 'activationBytes', bytes: ofBlocks },
    },
    { name: 'logits', bytes: logits, largest: logits },
    {
      name: 'read-back of what is trained',
      bytes: trained > MAPPED_BYTES ? trained + MAPPED_BYTES : trained,
      largest: trained,
    },
    { name: 'positions', bytes: 2 * 4 * shape.positions * model.headDim },
    {
      name: 'buffers between two uses',
      bytes: backend === 'webgpu' ? idleBytes(kept + passing + logits, shape.lastShare) : 0,
    },
  ];
}

/**
 * Bytes that stay for the backward pass, and those that are taken besides when most is held: by the last block, which works on the
 * positions alone that predict a token of a completion, or by a block that is run again, when the activations of later ones are free.
 */
function activations(
  model: PlannedModel['config'],
  { microBatchTokens: tokens, copiedTokens, headTokens }: RunShape,
  lora: boolean,
  activationBytes: number,
  backend: PlannedBackend,
): { kept: number; passing: number; ofBlocks: number } {
  const { hiddenSize, mlpSize, heads, headDim, layers } = model;
  const perToken = activationFloats(model);
  const qkv = qkvWidth(model);
  // Attention's gradient has four of them: of q | k | v and of what is mixed, values and gradients.
  const copies = copiedTokens * 2 * (qkv + heads * headDim);
  // Norms behind attention and MLP keep their inputs.
  const behindAttention = (model.normsBehind ? 3 : 1) * hiddenSize + mlpInputs(model);
  const whole = Math.min(layers, Math.floor(activationBytes / (4 * tokens * perToken)));
  const left = whole > 0 ? (tokens - headTokens) * behindAttention : 0;
  const inputs = tokens * hiddenSize * layers + headTokens * hiddenSize;
  const kept = inputs + whole * tokens * perToken - left;
  // The gradient of a map and of its input; a low-rank product is made of its parts, and these of theirs.
  const ofMlp = mlpInputs(model) + (lora ? mlpInputs(model) + 3 * hiddenSize : mlpSize + 2 * hiddenSize);
  const ofAttention = 2 * qkv + heads * headDim + 2 * hiddenSize;
  if (backend === 'webgpu' && lora) {
    // Buffers of each size wait for their next use, so those of the last block, which has fewer rows, come on top of the others'.
    const ofMaps = 2 * (mlpInputs(model) + mlpSize + hiddenSize);
    const again = whole === 0 ? tokens * perToken : 0;
    const passing = again + (tokens + headTokens) * ofMaps + tokens * (3 * qkv + 2 * hiddenSize) + copies;
    return { kept: 4 * kept, passing: 4 * passing, ofBlocks: 4 * whole * tokens * perToken };
  }
  const last = Math.max(headTokens * ofMlp, tokens * ofAttention + copies);
  const again = whole < layers ? tokens * perToken : 0;
  const most = Math.max(
    kept + last,
    inputs + again + Math.max(tokens * ofMlp, tokens * ofAttention + copies),
  );
  return { kept: 4 * kept, passing: 4 * (most - kept), ofBlocks: 4 * whole * tokens * perToken };
}

function generatorItems(
  { config: model }: PlannedModel,
  config: RunConfig,
  { decoding, positions, promptTokens }: RunShape,
  { frozen, generator, besideBase, adapter, pool }: ModelBytes,
  backend: PlannedBackend,
  free: number,
): DeviceItem[] {
  const shared = config.generatorPlacement === 'page';
  const count = shared ? 1 : config.numGenerators;
  const { hiddenSize, mlpSize, heads, kvHeads, headDim } = model;
  const ofLayers = decoding.pages.map((pages) => pages * pageBytes(model, config.cachePrecision));
  const cache = decoding.kinds.reduce((sum, { layers }, kind) => sum + layers * (ofLayers[kind] ?? 0), 0);
  const added = model.normsBehind ? hiddenSize : 0;
  const rows = hiddenSize + added + 2 * heads * headDim + 2 * kvHeads * headDim + mlpSize;
  const ropes = new Set(byRope(model.attention, (rope) => rope)).size;
  const logits = decoding.slots * logitsWidth(model);
  const prefilled = Math.min(decoding.places * promptTokens, Math.max(promptTokens, PREFILL_ROWS));
  const tables = 4 * ropes * positions * headDim;
  const buffers =
    backend === 'webgpu'
      ? 4 * (PREFILL_ROWS * rows + logits + decoding.places * hiddenSize) + 3 * OUTPUT_BYTES + tables
      : 4 * (prefilled * blockFloats(model, config.loraRank > 0) + logits) + tables;
  const merging = config.loraRank > 0 && !frozen ? adapter + Math.min(MERGE_BYTES, pool) : 0;
  // Workers on wasm compute with the trainer's base where it lies, unless adapters are merged into copies of it.
  const inPlace = backend === 'wasm' && config.generatorAdapter !== 'merged';
  const besides = shared ? besideBase : besideBase + ROOM_BYTES;
  const base = frozen && (shared || inPlace) ? besides : generator + (backend === 'webgpu' ? merging : 0);
  // One wasm heap holds what is trained and what is sampled by turns.
  const taken = backend === 'wasm' && shared ? Math.min(free, count * (cache + buffers)) : 0;
  const ofCache = Math.max(0, count * cache - taken);
  const each = (name: string): string => (count === 1 ? name : `${name} (${count} generators)`);
  return [
    { name: each('generator’s weights'), bytes: count * base, largest: frozen ? adapter : generator },
    {
      name: each('keys and values'),
      bytes: ofCache,
      largest: Math.max(...ofLayers),
      budgeted: { by: 'cacheBytes', bytes: ofCache },
    },
    { name: each('decoding'), bytes: count * buffers - Math.max(0, taken - count * cache) },
  ];
}

/** The numbers that a block of a prompt holds for each token on wasm. */
function blockFloats(model: PlannedModel['config'], lora: boolean): number {
  const { hiddenSize, mlpSize, heads, kvHeads, headDim } = model;
  const ofAttention = 2 * (heads + 2 * kvHeads) * headDim + heads * headDim;
  return 5 * hiddenSize + ofAttention + (lora ? 3 : 1) * mlpInputs(model) + mlpSize;
}

/** The heap that onnxruntime begins with, its code and the tokenizer. */
const RUNTIME_BYTES = 64 * 2 ** 20;

/** A reward model in its worker: its file, the copy that onnxruntime reads, and the weights made of it. WebGPU takes these to the GPU. */
export function rewardItems(bytes: number, backend: PlannedBackend): PlanItem[] {
  if (bytes === 0) return [];
  const onGpu = backend === 'webgpu';
  const name = 'reward model';
  return [
    ...(onGpu ? [{ name, where: 'gpu' as const, bytes }] : []),
    { name, where: 'host', bytes: (onGpu ? 2 : 3) * bytes + RUNTIME_BYTES },
  ];
}

/** The memory of JavaScript: it stays while a run goes on, and loading takes some beyond that. */
function hostItems(
  config: RunConfig,
  { frozen, trained, pool }: ModelBytes,
  backend: PlannedBackend,
): PlanItem[] {
  const host = (name: string, bytes: number): PlanItem => ({
    name,
    where: 'host',
    bytes: Math.max(0, bytes),
  });
  const lora = config.loraRank > 0;
  const handed = 2 * trained + (lora && !frozen ? pool : 0);
  const kept = frozen || lora ? 0 : pool;
  const undo = undoBytes(trained / 4);
  // Of a pool: the file's numbers widened, and packed, twice before they are on the device. Of a frozen base: pieces.
  const loading = frozen ? 3 * PIECE_BYTES : (backend === 'webgpu' ? 3 : 2) * pool;
  return [
    host('weights handed over', handed),
    host('reference for checkpoints', kept),
    host('copy to undo a failed step', undo),
    host('weights of past steps', pastWeightsBytes(trained, config.numSteps + 1)),
    host('copies at load', loading - handed - kept - undo),
  ];
}
