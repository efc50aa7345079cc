/** The plan of a run in this page: the model that is loaded, the device that is open, and what a browser says of the rest. */
import {
  kernelLimits,
  MemoryError,
  type BackendInfo,
  type LoadedModel,
  type MemoryBudgets,
} from '@rl-playground/engine/parts';
import { gpuDispatcher, tf } from '@rl-playground/engine/parts/tensors';
import { bytesText, grouped } from '@rl-playground/base/text';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { rewardModelBytes } from '../rewardModel/rewardModel.ts';
import { UNKNOWN_LIMITS, hostBytesOfPage } from './limits.ts';
import { knowPrompts, modelOfLoaded } from './model.ts';
import { memoryBudgets, oversizedItem, planRun, type PlanRequest } from './plan.ts';
import { keepRates, keptRates, ratesOf } from './rates.ts';
import type { MemoryLimits, Plan, PlannedModel } from './types.ts';

/** The page's own state, as far as a plan needs it. */
export interface PlannedPage {
  readonly model: LoadedModel;
  readonly backend: BackendInfo;
  /** The steps of the run that goes on; empty if there is none. */
  readonly metrics: readonly StepMetrics[];
  readonly runConfig: RunConfig | null;
}

function limitsOf({ backend, gpuBytes }: BackendInfo): MemoryLimits {
  const hostBytes = hostBytesOfPage();
  if (backend === 'wasm') return { ...UNKNOWN_LIMITS, hostBytes };
  const { maxBufferSize, maxStorageBufferBindingSize } = kernelLimits(gpuDispatcher(tf.backend()).device);
  return { maxBufferSize, maxStorageBufferBindingSize, gpuBytes: gpuBytes ?? null, hostBytes };
}

function requestOf({ model, backend, metrics, runConfig }: PlannedPage, config: RunConfig): PlanRequest {
  const planned = modelOfLoaded(model, config);
  const measured = runConfig && ratesOf(planned, runConfig, metrics);
  if (measured) keepRates(backend.line, measured);
  return {
    model: planned,
    config,
    limits: limitsOf(backend),
    backend: backend.backend,
    rates: measured ?? keptRates(backend.line, planned),
    rewardBytes: rewardModelBytes(config),
  };
}

/** Plans in slices of time, because a plan goes through hundreds of prompts. @throws LoraError if the settings ask for an impossible adapter. */
export async function planOnPage(page: PlannedPage, config: RunConfig): Promise<Plan> {
  await knowPrompts(page.model, config);
  return planRun(requestOf(page, config));
}

/** The memory that the run is given. @throws LoraError if the settings ask for an impossible adapter. */
export function budgetsOnPage(page: PlannedPage, config: RunConfig): MemoryBudgets {
  return memoryBudgets(requestOf(page, config));
}

/** Plans for a model that is not loaded, on the page's device. @throws LoraError if the settings ask for an impossible adapter. */
export function planOfModel(model: PlannedModel, backend: BackendInfo, config: RunConfig): Plan {
  return planRun({
    model,
    config,
    limits: limitsOf(backend),
    backend: backend.backend,
    rates: keptRates(backend.line, model),
    rewardBytes: rewardModelBytes(config),
  });
}

/**
 * Plans a run before any of its memory is allocated.
 * @throws MemoryError where something must lie in one buffer, and the device has none of that size.
 */
export function checkBuffers(page: PlannedPage, config: RunConfig): Plan {
  const request = requestOf(page, config);
  const plan = planRun(request);
  const tooLarge = oversizedItem(request);
  if (tooLarge === null) return plan;
  const [advice] = plan.advice;
  throw new MemoryError(
    `${page.model.name}: ${tooLarge.name} need ${grouped(tooLarge.bytes)} bytes in one buffer; this GPU allows ${grouped(tooLarge.allowed)}. ` +
      (advice ? `It fits with: ${advice.text}` : 'Choose a smaller model, or the CPU: ?backend=wasm'),
  );
}

/** The warning of a run that goes on although it is not expected to fit; null if it is. */
export function memoryWarning({ fits, peak, advice }: Plan): { title: string; text: string } | null {
  if (fits) return null;
  const wanted = `It is expected to take ${bytesText(peak.gpu)} on the GPU and ${bytesText(peak.host)} of main memory.`;
  return {
    title: 'This run may not fit into memory',
    text: [wanted, ...advice.map(({ text }) => `It would fit with: ${text}`)].join('\n'),
  };
}
