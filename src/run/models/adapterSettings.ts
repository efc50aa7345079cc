/** The settings that a run has to have which begins from an adapter. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { LoraSettings } from '@rl-playground/engine/parts';

/** A run's own way to say it: it has no α / √r. */
export function loraSettings(
  settings: LoraSettings,
): Pick<RunConfig, 'loraRank' | 'loraAlpha' | 'loraTargets'> {
  const { rank, alpha, targets, rankStabilized } = settings;
  const loraAlpha = rankStabilized === true ? alpha * Math.sqrt(rank) : alpha;
  return { loraRank: rank, loraAlpha, loraTargets: [...targets] };
}

export function loraText(settings: LoraSettings): string {
  const { loraRank, loraAlpha, loraTargets } = loraSettings(settings);
  return `rank ${loraRank}, α ${loraAlpha}, on ${loraTargets.join(', ')}`;
}

/** Parameters from which on a model is large: training all of its weights takes 16 bytes for each. */
const LARGE_MODEL = 20_000_000;

/**
 * The changes to settings for a model of so many parameters: a large one is trained by LoRA of rank 32 on its seven projections (Schulman
 * et al. 2025) with one generator, which holds a base of its own. It is null if the model is small or LoRA is on.
 */
export function largeModelSettings(
  parameters: number | null,
  { loraRank }: Pick<RunConfig, 'loraRank'>,
): Pick<RunConfig, 'loraRank' | 'numGenerators'> | null {
  return parameters !== null && parameters >= LARGE_MODEL && loraRank === 0
    ? { loraRank: 32, numGenerators: 1 }
    : null;
}

export const LARGE_MODEL_NOTE =
  'The model is large, so it will be trained by LoRA of rank 32 with one generator. loraRank 0 trains all weights.';
