import {
  adapterParameterCount,
  parameterCount,
  storedBytes,
  type LoadedModel,
} from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  ggufTypeOf,
  isNumberExport,
  type ExportFormat,
  type NumberExport,
  type WeightType,
} from './exportTypes.ts';

type Model = Pick<LoadedModel, 'config' | 'weights'>;

/** The bytes of a weight; those of the base's own type are the mean over its tensors. */
function bytesOf(type: NumberExport, { config, weights }: Model): number {
  if (type !== 'base') return type === 'F32' ? 4 : 2;
  return [...weights.values()].reduce((sum, tensor) => sum + storedBytes(tensor), 0) / parameterCount(config);
}

/** The parameters of the run's adapter; null where it trains the whole model. */
function adapterNumbers({ config }: Model, run: RunConfig | null): number | null {
  if (run === null || run.loraRank === 0) return null;
  const { loraRank: rank, loraAlpha: alpha, loraTargets: targets } = run;
  return adapterParameterCount(config, { rank, alpha, targets });
}

/** The bytes of a GGUF file's tensors in a type that is chosen. */
const ggufBytes = ({ weights }: Model, type: Exclude<WeightType, 'base'>): number =>
  [...weights].reduce(
    (sum, [name, { shape }]) => sum + storedBytes({ shape, dtype: ggufTypeOf(name, { shape }, type) }),
    0,
  );

/** The bytes of an export's weights, which are nearly all of it; null where the run has nothing in that format and type. */
export function exportBytes(
  model: Model,
  run: RunConfig | null,
  { format, type }: { readonly format: ExportFormat; readonly type: WeightType },
): number | null {
  if (format === 'gguf' && type !== 'base') return ggufBytes(model, type);
  if (!isNumberExport(type)) return null;
  if (format !== 'peft') return parameterCount(model.config) * bytesOf(type, model);
  const adapter = adapterNumbers(model, run);
  return adapter === null ? null : adapter * bytesOf(type, model);
}

/**
 * The bytes of a checkpoint's tensors, which are nearly all of it: weights, two moments of each number that is trained, and, where all
 * weights are, the reference of KL. An adapter comes merged and with its base model, unless that is frozen and stays apart.
 */
export function checkpointBytes(
  model: Model,
  run: RunConfig | null,
  { baseApart, full }: { readonly baseApart: boolean; readonly full: boolean },
): number {
  const [whole, adapter] = [parameterCount(model.config), adapterNumbers(model, run)];
  if (run === null) return 4 * whole;
  if (adapter === null) return 4 * 4 * whole;
  const base = baseApart ? (full ? bytesOf('base', model) * whole : 0) : 2 * 4 * whole;
  return 3 * 4 * adapter + base;
}
