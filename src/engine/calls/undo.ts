/** Work that changes the policy as a whole or not at all. */
import { backendLost } from '../backend/backendHealth.ts';
import { messageOf } from '@rl-playground/base/errors';
import type { Engine } from './engine.ts';

/** Of a copy of what is trained and its two moments: kept on the host, where a lost device or a broken update can't reach it. */
const MOST_BYTES = 64 * 2 ** 20;

/** Bytes of the copy; 0 where none is made. `trained`: floats that are trained. */
export function undoBytes(trained: number): number {
  const bytes = 3 * 4 * trained;
  return bytes <= MOST_BYTES ? bytes : 0;
}

/** The policy is neither what it was before a piece of work nor what it would have been after it. */
export class WeightsAstray extends Error {
  override readonly name = 'WeightsAstray';
}

/**
 * Where `work` fails behind an update of its own, policy and optimizer become again what they were before. That takes a copy, which is made
 * where it is small; weights without one are left as they are.
 *
 * @throws what `work` throws; WeightsAstray in its place where the policy was updated and can't go back.
 */
export async function undoneOnFailure<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const copied = undoBytes(engine.policy.trainable.tensor.size) > 0;
  const before = copied ? await engine.saveState() : null;
  const updates = engine.optimizer.step;
  try {
    return await work();
  } catch (error) {
    if (engine.optimizer.step === updates || backendLost()) throw error;
    if (before === null)
      throw new WeightsAstray(
        `${messageOf(error)}\nSome of the step's updates were made before, so that the weights are of no step.`,
      );
    engine.loadState(before);
    throw error;
  }
}
