/** The environment of an engine in the page, the run's or the user's own: files beside the page, generators in Web Workers. */
import type { Deadline } from '@rl-playground/base/deadline';
import { address } from '../models/besidePage.ts';
import type {
  MemoryBudgets,
  EngineEnvironment,
  BackendInfo,
  DeviceLimits,
} from '@rl-playground/engine/parts';
import { createWorkerPool, startTested } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import { prepareGemmPlans } from './gemmPlans.ts';

export interface PageParts {
  readonly budgets?: MemoryBudgets | null;
  /** Generators may say nothing for so long. */
  readonly deadline?: Deadline;
  /** Ends the wait for a run's generators. */
  readonly signal?: AbortSignal;
}

/** `placement`: where generators are; on the page there is one, which shares the trainer's device and frozen base. */
export async function pageEnvironment(
  backend: 'webgpu' | 'wasm',
  placement: RunConfig['generatorPlacement'] = 'worker',
  { budgets, deadline, signal }: PageParts = {},
): Promise<EngineEnvironment> {
  const given = {
    now: (): number => performance.now(),
    ...(budgets && { budgets }),
    ...(signal && { signal }),
  };
  if (placement === 'page') {
    const { createLocalPool } = await import('@rl-playground/engine/localPool');
    return {
      ...given,
      createPool: (model, { generatorPrecision }) => createLocalPool(model, generatorPrecision),
    };
  }
  return {
    ...given,
    createPool: (model, { numGenerators, generatorPrecision }) =>
      createWorkerPool({
        size: numGenerators,
        precision: generatorPrecision,
        backend,
        wasmPath: address('wasm/'),
        model,
        deadline,
      }),
  };
}

export interface DeviceOptions {
  readonly limits: DeviceLimits;
  /** The GPU's memory in bytes, where the address of the page says it. */
  readonly gpuBytes?: number;
  /** The longest silence of generators and threads that is waited for. */
  readonly deadline?: Deadline;
}

/** Starts a device whose numbers are right, as `startTested` does. `say` hears what is being done. */
export async function startDevice(
  backend: 'webgpu' | 'wasm' | null,
  { limits, deadline, gpuBytes }: DeviceOptions,
  say: (label: string) => void,
): Promise<BackendInfo> {
  say('Starting the device');
  const info = await startTested(backend, { wasmPath: address('wasm/'), limits, deadline });
  if (info.backend === 'wasm') return info;
  say('Timing matrix products on this GPU');
  await prepareGemmPlans();
  return { ...info, ...(gpuBytes !== undefined && { gpuBytes }) };
}

/**
 * Resolves to a sentence where the running GPU computes the rounded products wrongly that a run's generators are to have, or to null. The
 * check and its kernels are loaded for runs that want such products.
 */
export async function doubtOfGenerators({ generatorProducts }: RunConfig): Promise<string | null> {
  if (generatorProducts === 'exact') return null;
  const { doubtOfProducts } = await import('@rl-playground/engine/products');
  return doubtOfProducts(generatorProducts);
}
