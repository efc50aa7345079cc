/** Whether a run fits into a machine's memory, by arithmetic alone: nothing of the model is read. */
import type { RunConfig } from '../../config/schema.ts';
import { CACHE_BYTES } from '../../rollout/continuousBatching.ts';
import { pagesIn } from '../../rollout/gpu/pagedCache.ts';
import { adviceFor } from './advice.ts';
import { estimateStep } from './estimate.ts';
import { planItems, type SizedItem } from './items.ts';
import { runShape, type RunShape } from './shape.ts';
import type { MachineRates, MemoryLimits, Plan, PlanItem, PlannedBackend, PlannedModel } from './types.ts';

/** Where the memory of a wasm module ends. */
const WASM_BYTES = 4 * 2 ** 30;

export interface PlanRequest {
  readonly model: PlannedModel;
  readonly config: RunConfig;
  readonly limits: MemoryLimits;
  readonly backend: PlannedBackend;
  readonly rates: MachineRates | null;
}

/** Null is no limit. Of what must lie in one buffer, a shader binds all. */
const largestBufferOf = ({ maxBufferSize, maxStorageBufferBindingSize }: MemoryLimits): number =>
  Math.min(maxBufferSize ?? Infinity, maxStorageBufferBindingSize ?? Infinity);

/** Whether no item is larger than what the machine allows in one piece, and no sum larger than all it has. */
function fitsInto(limits: MemoryLimits, items: readonly SizedItem[], peak: Plan['peak']): boolean {
  const most = largestBufferOf(limits);
  return (
    items.every(({ where, largest = 0 }) => where === 'host' || largest <= most) &&
    peak.gpu <= (limits.gpuBytes ?? Infinity) &&
    peak.host <= (limits.hostBytes ?? Infinity)
  );
}

function shapeOf({ model, config, limits }: PlanRequest): RunShape {
  return runShape(model, config, pagesIn(model.config, CACHE_BYTES, largestBufferOf(limits)));
}

/** The first item that must lie in a larger buffer than the machine allows; null where there is none. */
export function oversizedItem(
  request: PlanRequest,
): { readonly name: string; readonly bytes: number; readonly allowed: number } | null {
  const allowed = largestBufferOf(request.limits);
  const items = planItems(request.model, request.config, shapeOf(request), request.backend);
  const item = items.find(({ where, largest = 0 }) => where === 'gpu' && largest > allowed);
  return item ? { name: item.name, bytes: item.largest ?? 0, allowed } : null;
}

/** The plan of a run, without what would help where it does not fit. */
function planned(request: PlanRequest): Omit<Plan, 'advice'> {
  const { model, config, limits, backend, rates } = request;
  const shape = shapeOf(request);
  const items = planItems(model, config, shape, backend);
  const sum = (where: PlanItem['where']): number =>
    items.reduce((bytes, item) => bytes + (item.where === where ? item.bytes : 0), 0);
  const peak = { gpu: sum('gpu'), host: sum('host') };
  const own =
    backend === 'wasm'
      ? { ...limits, hostBytes: Math.min(limits.hostBytes ?? Infinity, WASM_BYTES) }
      : limits;
  return {
    items: items.map(({ name, where, bytes }) => ({ name, where, bytes })),
    peak,
    limits,
    fits: fitsInto(own, items, peak),
    step: estimateStep(model, config, shape, rates),
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
