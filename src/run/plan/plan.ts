/** Arithmetic alone says if a run fits into a machine's memory: nothing of the model is read. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { CACHE_BYTES, cacheRoom, type MemoryBudgets } from '@rl-playground/engine/parts';
import { ACTIVATION_BUDGET } from '@rl-playground/engine/parts/tensors';
import { adviceFor } from './advice.ts';
import { estimateStep } from './estimate.ts';
import { planItems, rewardItems, type SizedItem } from './items.ts';
import { runShape, type RunShape } from './shape.ts';
import type { MachineRates, MemoryLimits, Plan, PlanItem, PlannedBackend, PlannedModel } from './types.ts';

/** The end of a wasm module's memory. */
const WASM_BYTES = 4 * 2 ** 30;

export interface PlanRequest {
  readonly model: PlannedModel;
  readonly config: RunConfig;
  readonly limits: MemoryLimits;
  readonly backend: PlannedBackend;
  readonly rates: MachineRates | null;
  /** The bytes of the reward model's files, where the run has one. */
  readonly rewardBytes?: number;
}

/** The largest buffer; null is no limit. A shader binds the whole of a buffer. */
const largestBufferOf = ({ maxBufferSize, maxStorageBufferBindingSize }: MemoryLimits): number =>
  Math.min(maxBufferSize ?? Infinity, maxStorageBufferBindingSize ?? Infinity);

/** True if no item is larger than the machine allows in one piece, and no sum is larger than all it has. */
function fitsInto(limits: MemoryLimits, items: readonly SizedItem[], peak: Plan['peak']): boolean {
  const most = largestBufferOf(limits);
  return (
    items.every(({ where, largest = 0 }) => where === 'host' || largest <= most) &&
    peak.gpu <= (limits.gpuBytes ?? Infinity) &&
    peak.host <= (limits.hostBytes ?? Infinity)
  );
}

function shapeOf({ model, config, limits, backend }: PlanRequest, { cacheBytes }: MemoryBudgets): RunShape {
  const room = cacheRoom(model.config, config.cachePrecision, cacheBytes, largestBufferOf(limits));
  return runShape(model, config, room, backend);
}

const itemsOf = (request: PlanRequest, budgets: MemoryBudgets): SizedItem[] => [
  ...planItems(request.model, request.config, shapeOf(request, budgets), request.backend, budgets),
  ...rewardItems(request.rewardBytes ?? 0, request.backend),
];

const sumOf = (items: readonly SizedItem[], where: PlanItem['where']): number =>
  items.reduce((bytes, item) => bytes + (item.where === where ? item.bytes : 0), 0);

const USUAL_BUDGETS: MemoryBudgets = { cacheBytes: CACHE_BYTES, activationBytes: ACTIVATION_BUDGET };

/** The share of a GPU's memory that budgets grow into: a plan is off by up to 15 %, and a screen wants some, too. */
const FILLED = 0.75;
/** Multiples of the usual budgets, which are tried in this order. */
const TIMES_USUAL = [64, 32, 16, 8, 4, 2];

const timesUsual = (factor: number): MemoryBudgets => ({
  cacheBytes: factor * CACHE_BYTES,
  activationBytes: factor * ACTIVATION_BUDGET,
});

/**
 * The budgets for memory that a run could do with less of. If memory is short, keys and values and activations give way, both by the same
 * share; if a GPU has room, they take more, so that fewer rows wait and fewer blocks are run again. If nobody says how much there is, as no
 * browser does of a GPU, budgets are the usual ones.
 */
export function memoryBudgets(request: PlanRequest): MemoryBudgets {
  const { gpuBytes, hostBytes } = request.limits;
  const where = request.backend === 'webgpu' ? 'gpu' : 'host';
  const known = where === 'gpu' ? gpuBytes : hostBytes;
  if (known === null) return USUAL_BUDGETS;
  const items = itemsOf(request, USUAL_BUDGETS);
  const missing = sumOf(items, where) - known;
  if (missing > 0) return lesserBudgets(request, items, missing);
  if (where === 'host') return USUAL_BUDGETS;
  const fits = (budgets: MemoryBudgets): boolean => sumOf(itemsOf(request, budgets), where) <= FILLED * known;
  return TIMES_USUAL.map(timesUsual).find(fits) ?? USUAL_BUDGETS;
}

/** Smaller budgets, which give back `missing` bytes of what `items` take by the usual ones, or all that they have. */
function lesserBudgets({ config }: PlanRequest, items: readonly SizedItem[], missing: number): MemoryBudgets {
  const budgeted = items.reduce((bytes, item) => bytes + (item.budgeted?.bytes ?? 0), 0);
  const share = Math.max(0, 1 - missing / budgeted);
  const left = (by: keyof MemoryBudgets): number =>
    Math.floor(share * (items.find((item) => item.budgeted?.by === by)?.budgeted?.bytes ?? 0));
  const generators = config.generatorPlacement === 'page' ? 1 : config.numGenerators;
  return {
    cacheBytes: Math.floor(left('cacheBytes') / generators),
    activationBytes: left('activationBytes'),
  };
}

/** The first item that must lie in a larger buffer than the machine allows; null where there is none. */
export function oversizedItem(
  request: PlanRequest,
): { readonly name: string; readonly bytes: number; readonly allowed: number } | null {
  const allowed = largestBufferOf(request.limits);
  const items = itemsOf(request, memoryBudgets(request));
  const item = items.find(({ where, largest = 0 }) => where === 'gpu' && largest > allowed);
  return item ? { name: item.name, bytes: item.largest ?? 0, allowed } : null;
}

/** The plan of a run, without what would help where it does not fit. */
function planned(request: PlanRequest): Omit<Plan, 'advice'> {
  const { model, config, limits, backend, rates } = request;
  const budgets = memoryBudgets(request);
  const items = itemsOf(request, budgets);
  const peak = { gpu: sumOf(items, 'gpu'), host: sumOf(items, 'host') };
  const own =
    backend === 'wasm'
      ? { ...limits, hostBytes: Math.min(limits.hostBytes ?? Infinity, WASM_BYTES) }
      : limits;
  return {
    items: items.map(({ name, where, bytes }) => ({ name, where, bytes })),
    peak,
    limits,
    fits: fitsInto(own, items, peak),
    step: estimateStep(model, config, shapeOf(request, budgets), rates),
  };
}

/**
 * Peak bytes of a run, item by item, whether they are there, and up to three changes of settings with which they are.
 * @throws LoraError where the settings ask for an impossible adapter.
 */
export function planRun(request: PlanRequest): Plan {
  const plan = planned(request);
  const fits = (config: RunConfig): boolean => planned({ ...request, config }).fits;
  return { ...plan, advice: plan.fits ? [] : adviceFor(request.config, fits) };
}
