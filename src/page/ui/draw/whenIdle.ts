import { breathe } from '@rl-playground/engine/parts';

/** Milliseconds after which work that can wait is done all the same. */
const LONGEST_WAIT = 500;

/** Resolves when the page has nothing else to do, or before long. */
export function whenIdle(): Promise<void> {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback !== 'function') return breathe();
  return new Promise((resolve) => {
    requestIdleCallback(() => resolve(), { timeout: LONGEST_WAIT });
  });
}
