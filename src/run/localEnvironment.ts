/** What a run needs of the place it runs in, where that is the caller's own thread: one generator, and the clock. */
import { createLocalPool } from '../rollout/localPool.ts';
import type { SessionEnvironment } from './session.ts';

export const LOCAL_ENVIRONMENT: SessionEnvironment = {
  createPool: (generator, { generatorPrecision }) => createLocalPool(generator, generatorPrecision),
  now: () => performance.now(),
};
