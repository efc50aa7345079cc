import type { RunConfig } from '../settings/schema/schema.ts';

/**
 * True if KL is measured against another model than training began with: the result of a warm-up, or a renewed one. Under LoRA
 * the base is there all the time.
 */
export function referenceMoves({
  loraRank,
  klReference,
  warmStartSteps,
}: Pick<RunConfig, 'loraRank' | 'klReference' | 'warmStartSteps'>): boolean {
  return loraRank === 0 && (klReference === 'past' || warmStartSteps > 0);
}
