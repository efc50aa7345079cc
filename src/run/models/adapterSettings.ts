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
