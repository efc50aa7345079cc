/** The model of a run as another trainer takes it up: merged, or a base with the adapter beside it. */
import {
  openBytes,
  type LoadedModel,
  type OpenFile,
  safetensorsFile,
  storedInMemory,
  withWeights,
} from '@rl-playground/engine/parts';
import { type CheckpointParts, trainedSpecs, writeOptimizer } from '@rl-playground/run/checkpoint';
import { mergedFolder, peftFolder } from '@rl-playground/run/export';

export interface HandedModel {
  readonly files: ReadonlyMap<string, OpenFile>;
  /** Folder `model`, or the name of the base on the Hub. */
  readonly model: string;
  readonly revision: string | null;
  /** Folder `adapter`; null without LoRA, and where it is merged. */
  readonly adapter: string | null;
}

const below = (folder: string, files: ReadonlyMap<string, OpenFile>): (readonly [string, OpenFile])[] =>
  [...files]
    .filter(([name]) => name !== 'README.md')
    .map(([name, file]) => [`${folder}/${name}`, file] as const);

/** The base that an adapter was trained beside, where it can't be had by a name. */
function baseBeside({ model, adapter }: CheckpointParts): LoadedModel | null {
  if (adapter?.base) return withWeights(model, adapter.base);
  return model.origin && model.origin.hubUrl === null ? null : model;
}

/** `adapted`: whether the trainer takes an adapter up; else it is merged into the model. Weights are in 32 bits but for a frozen base. */
export function handedModel(parts: CheckpointParts, adapted: boolean): HandedModel {
  const { model, adapter } = parts;
  if (adapter === null || !adapted)
    return {
      files: new Map(below('model', mergedFolder(parts, 'F32', model.weights))),
      model: 'model',
      revision: null,
      adapter: null,
    };
  const base = baseBeside(parts);
  const files = below('adapter', peftFolder(parts, 'F32', model.weights));
  if (base === null)
    return {
      files: new Map(files),
      model: model.origin?.name ?? model.name,
      revision: model.origin?.commit ?? null,
      adapter: 'adapter',
    };
  const baseFiles = mergedFolder({ ...parts, model: base, adapter: null }, 'base', base.weights);
  return {
    files: new Map([...below('model', baseFiles), ...files]),
    model: 'model',
    revision: null,
    adapter: 'adapter',
  };
}

/** AdamW's moments and the reference, in safetensors by the names of their parameters, where the run has them. */
export function trainingFiles(parts: CheckpointParts): Map<string, OpenFile> {
  const { model, adapter, optimizer, reference, runConfig } = parts;
  const files = new Map<string, OpenFile>();
  if (optimizer !== null)
    files.set('optimizer.safetensors', writeOptimizer(optimizer, trainedSpecs(model.config, adapter, null)));
  if (reference !== null && (runConfig?.klBeta ?? 0) > 0)
    files.set('reference.safetensors', safetensorsFile(storedInMemory(reference), { format: 'pt' }));
  return files;
}

export const textFile = (text: string): OpenFile => openBytes(new TextEncoder().encode(text));
