/** Runs work that changes the policy as a whole or not at all. */
import { backendLost } from '../backend/backendHealth.ts';
import { messageOf } from '@rl-playground/base/errors';
import type { Engine } from './engine.ts';

/**
 * The most bytes of a copy of the trained weights and their two moments. It is kept on the host, where a lost device or a broken update
 * can't reach it.
 */
const MOST_BYTES = 64 * 2 ** 20;

/** The bytes of the copy; 0 if none is made. `trained` is the number of trained floats. */
export function undoBytes(trained: number): number {
  const bytes = 3 * 4 * trained;
  return bytes <= MOST_BYTES ? bytes : 0;
}

/** The policy is neither what it was before a piece of work nor what it would have been after it. */
export class WeightsAstray extends Error {
  override readonly name = 'WeightsAstray';
}

/**
 * Runs `work`. If it fails after an update of its own, policy and optimizer become again what they were before. That takes a copy, which
 * is made if it is small; larger weights are left as they are.
 *
 * @throws what `work` throws, or WeightsAstray if the policy was updated and can't go back.
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
        `${messageOf(error)}\nSome updates of this step had been made by then, so the weights belong to no step.`,
      );
    engine.loadState(before);
    throw error;
  }
}
