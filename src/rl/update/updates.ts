/** How the answers of a step are cut into updates. */

export interface UpdateSettings {
  /** Contiguous parts of the batch, each an update of its own (Tinker's `num_substeps`). */
  readonly numSubsteps: number;
  /** Passes over the batch (PPO's epochs, TRL's `num_iterations`). */
  readonly ppoEpochs: number;
  /** Answers per mini-batch of a shuffled batch; 0 keeps the batch, or its substeps, whole. */
  readonly miniBatchSize: number;
  /** Mini-batches whose gradients are added up to one update. */
  readonly gradientAccumulation: number;
}

/** One update: the sequences of each of its mini-batches, by index. */
export type PlannedUpdate = readonly (readonly number[])[];

/**
 * The updates of a batch of `count` sequences, all passes after each other. Parts are as equal as whole numbers allow (they are equal where
 * nothing was removed from the batch); none is empty. Mini-batches are of a shuffled batch, as TRL's and PPO's are, by `draw`
 * (uniform in [0, 1)); substeps are contiguous, as Tinker's are.
 */
export function planUpdates(count: number, settings: UpdateSettings, draw: () => number): PlannedUpdate[] {
  const { numSubsteps, ppoEpochs, miniBatchSize, gradientAccumulation } = settings;
  const all = Array.from({ length: count }, (_, i) => i);
  const pass = (): PlannedUpdate[] => {
    if (miniBatchSize === 0)
      return evenParts(all, numSubsteps).map((substep) => evenParts(substep, gradientAccumulation));
    const miniBatches = evenParts(shuffled(all, draw), Math.ceil(count / miniBatchSize));
    const updates = Math.ceil(miniBatches.length / gradientAccumulation);
    return Array.from({ length: updates }, (_, k) =>
      miniBatches.slice(k * gradientAccumulation, (k + 1) * gradientAccumulation),
    );
  };
  return Array.from({ length: ppoEpochs }, pass).flat();
}

/** Contiguous, as many as there are items at most. */
function evenParts(items: readonly number[], wanted: number): number[][] {
  const parts = Math.min(wanted, items.length);
  const edge = (k: number): number => Math.floor((k * items.length) / parts);
  return Array.from({ length: parts }, (_, k) => items.slice(edge(k), edge(k + 1)));
}

/** Fisher and Yates. */
function shuffled(items: readonly number[], draw: () => number): number[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const at = Math.floor(draw() * (last + 1));
    [order[last], order[at]] = [order[at] ?? 0, order[last] ?? 0];
  }
  return order;
}
