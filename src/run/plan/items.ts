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
import { rowChunks, activationFloats, undoBytes } from '@rl-playground/engine/parts/tensors';
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
  const device = [
    ...trainerItems(model, config, shape, bytes, budgets),
    ...generatorItems(model, config, shape, bytes, backend),
  ].filter((item) => item.bytes > 0);
  const on = backend === 'webgpu' ? ('gpu' as const) : ('host' as const);
  return [
    ...device.map((item) => ({ ...item, where: on })),
    ...hostItems(config, bytes, backend).filter((item) => item.bytes > 0),
  ];
}

type DeviceItem = Omit<SizedItem, 'where'>;

function trainerItems(
  { config: model }: PlannedModel,
  config: RunConfig,
  shape: RunShape,
  { frozen, base, largestOfBase, trained, adapter }: ModelBytes,
  { activationBytes }: MemoryBudgets,
): DeviceItem[] {
  const lora = config.loraRank > 0;
  const changes =
    config.klReference === 'past' || (config.warmStartSteps > 0 && config.klReference !== 'base');
  const reference = lora ? (changes ? (frozen ? adapter : base) : 0) : base;
  const { kept, passing, ofBlocks } = activations(model, shape, lora, activationBytes);
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
      largest: 4 * shape.microBatchTokens * mlpInputs(model),
      budgeted: { by: 'activationBytes', bytes: ofBlocks },
    },
    { name: 'logits', bytes: logits, largest: logits },
    {
      name: 'read-back of what is trained',
      bytes: trained > MAPPED_BYTES ? trained + MAPPED_BYTES : trained,
      largest: trained,
    },
    { name: 'positions', bytes: 2 * 4 * shape.positions * model.headDim },
    { name: 'buffers between two uses', bytes: idleBytes(kept + passing + logits, shape.lastShare) },
  ];
}

/**
 * Bytes that stay for the backward pass, and those that a block takes while it runs. Behind its attention, the last block works on the
 * positions alone that predict a token of a completion.
 */
function activations(
  model: PlannedModel['config'],
  { microBatchTokens: tokens, headTokens }: RunShape,
  lora: boolean,
  activationBytes: number,
): { kept: number; passing: number; ofBlocks: number } {
  const { hiddenSize, mlpSize, heads, kvHeads, headDim, layers } = model;
  const perToken = activationFloats(model);
  const ofMlp = mlpInputs(model) + mlpSize;
  // Norms behind attention and MLP keep their inputs.
  const norms = model.normsBehind ? 2 * hiddenSize : 0;
  const behindAttention = 2 * hiddenSize + norms + ofMlp;
  const picked = hiddenSize + heads * headDim;
  const whole = Math.min(layers, Math.floor(activationBytes / (4 * tokens * perToken)));
  const left = (tokens - headTokens) * behindAttention - headTokens * picked;
  const qkv = (heads + 2 * kvHeads) * headDim;
  const gradients =
    (ofMlp + 3 * hiddenSize + norms) * headTokens + (3 * hiddenSize + heads * headDim + 2 * qkv) * tokens;
  // A low-rank product is made of its parts, and these of theirs, forward and backward.
  const parts = lora ? 4 * Math.max(mlpInputs(model) * headTokens, qkv * tokens) : 0;
  const again = whole < layers ? tokens * perToken : 0;
  return {
    kept: 4 * (whole * tokens * perToken - left + tokens * hiddenSize * (layers + 1)),
    passing: 4 * (again + gradients + parts),
    ofBlocks: 4 * whole * tokens * perToken,
  };
}

function generatorItems(
  { config: model }: PlannedModel,
  config: RunConfig,
  { decoding, positions }: RunShape,
  { frozen, generator, besideBase, adapter, pool }: ModelBytes,
  backend: PlannedBackend,
): DeviceItem[] {
  const shared = config.generatorPlacement === 'page';
  const count = shared ? 1 : config.numGenerators;
  const { hiddenSize, mlpSize, heads, kvHeads, headDim } = model;
  const ofLayers = decoding.pages.map((pages) => pages * pageBytes(model, config.cachePrecision));
  const cache = decoding.kinds.reduce((sum, { layers }, kind) => sum + layers * (ofLayers[kind] ?? 0), 0);
  const added = model.normsBehind ? hiddenSize : 0;
  const rows = hiddenSize + added + 2 * heads * headDim + 2 * kvHeads * headDim + mlpSize;
  const ropes = new Set(byRope(model.attention, (rope) => rope)).size;
  const buffers =
    4 * (PREFILL_ROWS * rows + decoding.slots * logitsWidth(model) + decoding.places * hiddenSize) +
    3 * OUTPUT_BYTES +
    4 * ropes * positions * headDim;
  const merging = config.loraRank > 0 && !frozen ? adapter + Math.min(MERGE_BYTES, pool) : 0;
  const base = shared && frozen ? besideBase : generator + (backend === 'webgpu' ? merging : 0);
  const each = (name: string): string => (count === 1 ? name : `${name} (${count} generators)`);
  return [
    { name: each('generator’s weights'), bytes: count * base, largest: frozen ? adapter : generator },
    {
      name: each('keys and values'),
      bytes: count * cache,
      largest: Math.max(...ofLayers),
      budgeted: { by: 'cacheBytes', bytes: count * cache },
    },
    { name: each('decoding'), bytes: count * buffers },
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
