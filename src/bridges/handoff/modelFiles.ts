/** The model of a run in the form in which another trainer continues it: merged, or a base with the adapter beside it. */
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
  /** The folder `model`, or the name of the base on the Hub. */
  readonly model: string;
  readonly revision: string | null;
  /** The folder `adapter`; null without LoRA, and if the adapter is merged. */
  readonly adapter: string | null;
}

const below = (folder: string, files: ReadonlyMap<string, OpenFile>): (readonly [string, OpenFile])[] =>
  [...files]
    .filter(([name]) => name !== 'README.md')
    .map(([name, file]) => [`${folder}/${name}`, file] as const);

/** The base beside which an adapter was trained, if it can't be loaded by a name. */
function baseBeside({ model, adapter }: CheckpointParts): LoadedModel | null {
  if (adapter?.base) return withWeights(model, adapter.base);
  return model.origin && model.origin.hubUrl === null ? null : model;
}

/**
 * The model for a trainer. `adapted`: the trainer takes an adapter; otherwise it is merged into the model. Weights are in 32 bits except
 * for a frozen base.
 */
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

/** AdamW's moments and the reference, in safetensors by the names of their parameters, if the run has them. */
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
