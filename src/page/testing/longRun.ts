/** A long run of made-up numbers for what draws charts. */

export interface LongRun {
  /** Steps that are there at once. */
  readonly steps: number;
  /** Steps that `oneMoreStep` may add, one at a time. */
  readonly more: number;
}

/**
 * A test evaluates this function in a page whose run has made a step, so it uses nothing from outside. The page then shows the long run in place of
 * its own, and has the global function `oneMoreStep`, which goes on with it.
 */
export function showLongRun({ steps, more }: LongRun): void {
  const controller = window.rlPlayground?.controller;
  const base = controller?.snapshot();
  const step = base?.metrics[0];
  if (!controller || !base || !step) throw new Error('There is no step.');
  const all = Array.from({ length: steps + more }, (_, i) => ({
    ...step,
    step: i + 1,
    reward: Math.sin(i / 500) + (i % 7) / 7,
    accuracy: (i % 11) / 11,
    format: (i % 13) / 13,
    kl: (i % 17) / 17,
  }));
  let shown = steps;
  Reflect.set(controller, 'snapshot', () => ({
    ...base,
    totalSteps: all.length,
    step: shown,
    metrics: all.slice(0, shown),
  }));
  Reflect.set(window, 'oneMoreStep', () => {
    shown++;
    // A change of the run that changes nothing else.
    controller.dismiss('none');
  });
}
