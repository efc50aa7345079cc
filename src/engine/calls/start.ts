/** The weights and factors that an engine begins with, by its settings. */
import { drawsFor } from '@rl-playground/base/random';
import { breatheIfDue } from '../backend/eventLoop.ts';
import type { LoadedModel } from '../hub/types.ts';
import { initialFactors } from '../model/adapter.ts';
import type { ModelConfig } from '../model/config.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { LoraSettings } from '../model/lora.ts';
import { parameterCount } from '../model/parameters.ts';
import { widened } from '../model/storedWeights.ts';
import type { WeightArrays } from '../model/weights.ts';
import type { EngineSettings } from './settings.ts';

/** Keeps the draws of first factors apart from every other stream of the same seed. */
const ADAPTER_STREAM = 0x10fa;

export function loraOf({ loraRank, loraAlpha, loraTargets }: EngineSettings): LoraSettings | null {
  return loraRank === 0 ? null : { rank: loraRank, alpha: loraAlpha, targets: loraTargets };
}

/** The largest model, in bytes as f32, whose base `auto` keeps in a pool: small models are merged for generators, which decode faster then. */
const SMALL_MODEL = 64 * 2 ** 20;

/** The most parameters of a model whose 4 bits are fitted to examples: the time for it grows faster than the model. */
const MOST_FITTED = 2 ** 20;

/** True if these settings keep a model's base apart from the trained factors. */
export function keepsBaseFrozen(
  { loraRank, baseFormat }: Pick<EngineSettings, 'loraRank' | 'baseFormat'>,
  config: ModelConfig,
): boolean {
  return loraRank > 0 && !(baseFormat === 'auto' && 4 * parameterCount(config) <= SMALL_MODEL);
}

/**
 * The weights of a model as an engine of these settings takes them: frozen on the device under LoRA, unless they are few or all are
 * trained. `onPiece` is awaited as bytes of a frozen base arrive there. The 4 bits of a very small model are fitted to the sequences of
 * `examples`, which is not asked otherwise.
 *
 * @throws Error if the device has no room for a frozen base.
 */
export async function startingWeights(
  settings: Pick<EngineSettings, 'loraRank' | 'baseFormat'>,
  { config, weights }: Pick<LoadedModel, 'config' | 'weights'>,
  onPiece?: (done: number, total: number) => Promise<void> | void,
  examples?: () => readonly (readonly number[])[],
): Promise<WeightArrays | FrozenBase> {
  if (!keepsBaseFrozen(settings, config)) return widened(weights);
  const base = await FrozenBase.load(config, weights, settings.baseFormat, onPiece);
  if (settings.baseFormat === 'q4' && parameterCount(config) <= MOST_FITTED && examples) {
    const { fitBase } = await import('../model/fitBase.ts');
    await fitBase(base, weights, examples(), breatheIfDue);
  }
  return base;
}

/** The factors that such an engine begins with; null without LoRA. */
export async function startingFactors(
  settings: EngineSettings,
  { config }: Pick<LoadedModel, 'config'>,
): Promise<Float32Array | null> {
  const lora = loraOf(settings);
  return lora && initialFactors(config, lora, drawsFor(settings.seed, ADAPTER_STREAM));
}
