/** How many rows are decoded together, by what their keys and values take. */
import { MAX_SLOTS } from '../kernels/decode/index.ts';
import type { ModelConfig } from '../model/config.ts';
import type { GroupRequest } from './types.ts';

/** Lengths are rounded up to multiples of it, so that few buffer sizes ever exist. */
const LENGTH_STEP = 16;
/** Bytes of keys and values of one generator. */
const CACHE_BUDGET = 2 ** 30;

export const roundUp = (length: number): number => Math.ceil(length / LENGTH_STEP) * LENGTH_STEP;

/** Bytes of one position's keys and values in all layers. */
function positionBytes({ layers, kvHeads, headDim }: ModelConfig): number {
  return layers * 2 * kvHeads * headDim * 4;
}

export interface BatchSize {
  /** Rows at a time. */
  readonly slots: number;
  /** Prompts at a time. */
  readonly places: number;
  /** The longest prompt, rounded up. */
  readonly promptLength: number;
}

/**
 * At most `MAX_SLOTS` rows: more gain little, since by then each weight that is read serves many. `ownLength`: positions that
 * a row takes besides its prompt's place; `mostPositions`: a limit on all positions together.
 */
export function batchSize(
  config: ModelConfig,
  requests: readonly GroupRequest[],
  ownLength: (promptLength: number) => number,
  mostPositions = Infinity,
): BatchSize {
  const total = requests.reduce((sum, { samples }) => sum + samples, 0);
  const promptLength = roundUp(Math.max(1, ...requests.map(({ promptIds }) => promptIds.length)));
  const affordable = Math.min(CACHE_BUDGET / positionBytes(config), mostPositions);
  const perRow = promptLength + ownLength(promptLength);
  const slots = Math.max(1, Math.min(MAX_SLOTS, total, Math.floor(affordable / perRow)));
  return { slots, places: Math.max(1, Math.min(slots, requests.length)), promptLength };
}
