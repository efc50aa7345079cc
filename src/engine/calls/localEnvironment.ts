/** The environment of an engine in the caller's own thread: one generator, and the clock. */
import { createLocalPool } from '../rollout/localPool.ts';
import type { EngineEnvironment } from './host.ts';

export const LOCAL_ENVIRONMENT: EngineEnvironment = {
  createPool: (generator, { generatorPrecision }) => createLocalPool(generator, generatorPrecision),
  now: () => performance.now(),
};
