/** The environment of an engine in the page, the run's or the user's own: files beside the page, generators in Web Workers. */
import type { Deadline } from '@rl-playground/base/deadline';
import { address } from '../models/besidePage.ts';
import type { MemoryBudgets, EngineEnvironment } from '@rl-playground/engine/parts';
import { createWorkerPool } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';

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
