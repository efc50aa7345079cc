/** The model of a run for another trainer: merged, or a base with the adapter beside it. */
import {
  openBytes,
  type LoadedModel,
  addressOnHub,
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
  /** The folder `adapter`; null without LoRA, and where the adapter is merged. */
  readonly adapter: string | null;
}

const below = (folder: string, files: ReadonlyMap<string, OpenFile>): (readonly [string, OpenFile])[] =>
  [...files]
    .filter(([name]) => name !== 'README.md')
    .map(([name, file]) => [`${folder}/${name}`, file] as const);

/** The base that an adapter was trained beside; null if it is a folder of the Hub, which other trainers find by its name. */
function baseBeside({ model, adapter }: CheckpointParts): LoadedModel | null {
  if (adapter?.base) return withWeights(model, adapter.base);
  const onHub = model.origin && addressOnHub(model.origin);
  return onHub && onHub.file === null ? null : model;
}

/** The model with its adapter beside it, or merged for a trainer that takes none up. Weights have 32 bits, but for a frozen base. */
export function handedModel(parts: CheckpointParts, adapted: boolean): HandedModel {
  const { model } = parts;
  const own = { model: 'model', revision: null };
  if (parts.adapter === null || !adapted)
    return {
      ...own,
      files: new Map(below('model', mergedFolder(parts, 'F32', model.weights))),
      adapter: null,
    };
  const base = baseBeside(parts);
  const files = below('adapter', peftFolder(parts, 'F32', model.weights));
  if (base === null) {
    const { origin } = model;
    const place = { model: origin?.name ?? model.name, revision: origin?.commit ?? null };
    return { ...place, files: new Map(files), adapter: 'adapter' };
  }
  const baseFiles = mergedFolder({ ...parts, model: base, adapter: null }, 'base', base.weights);
  return { ...own, files: new Map([...below('model', baseFiles), ...files]), adapter: 'adapter' };
}

/** AdamW's moments and the reference of a run that has them, in safetensors by the names of their parameters. */
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
