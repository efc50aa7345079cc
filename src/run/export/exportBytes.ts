import {
  adapterParameterCount,
  parameterCount,
  storedBytes,
  type LoadedModel,
} from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { ExportFormat, WeightType } from './exportTypes.ts';

type Model = Pick<LoadedModel, 'config' | 'weights'>;

/** The bytes of a weight; those of the base's own type are the mean over its tensors. */
function bytesOf(type: WeightType, { config, weights }: Model): number {
  if (type !== 'base') return type === 'F32' ? 4 : 2;
  return [...weights.values()].reduce((sum, tensor) => sum + storedBytes(tensor), 0) / parameterCount(config);
}

/** The bytes of an export's weights, which are nearly all of it; null where the run has nothing in that format. */
export function exportBytes(
  model: Model,
  run: RunConfig | null,
  { format, type }: { readonly format: ExportFormat; readonly type: WeightType },
): number | null {
  if (format !== 'peft') return parameterCount(model.config) * bytesOf(type, model);
  if (run === null || run.loraRank === 0) return null;
  const { loraRank: rank, loraAlpha: alpha, loraTargets: targets } = run;
  return adapterParameterCount(model.config, { rank, alpha, targets }) * bytesOf(type, model);
}
