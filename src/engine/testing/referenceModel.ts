/** A tiny model of `../shared/refdata/models` on the running device, with the results of a float64 implementation. */
import { loadWeights } from '../hub/load.ts';
import { OpenFolder } from '../hub/openFolder.ts';
import type { ModelFiles } from '../hub/types.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { ModelWeights } from '../model/weights.ts';
import { parseExpectedTensors, type ExpectedTensor } from './expectedTensors.ts';

export interface ExpectedAnswers {
  /** The values of the losses by name. */
  readonly losses: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly greedy: { readonly prompt: number[]; readonly completion: number[] };
}

export interface ReferenceModel {
  readonly model: LanguageModel;
  readonly answers: ExpectedAnswers;
  readonly tensors: ReadonlyMap<string, ExpectedTensor>;
  /** A tensor of the reference data by name. @throws Error if there is none. */
  expected(name: string): Float64Array;
  dispose(): void;
}

/** The longest sequence or continuation of the reference data, with room for padding. */
export const REFERENCE_POSITIONS = 96;

export async function openReferenceModel(files: ModelFiles): Promise<ReferenceModel> {
  const { config, weights } = await loadWeights(files);
  const folder = new OpenFolder(files);
  const answers = await folder.requiredJson('expected.json');
  const tensors = parseExpectedTensors((await folder.read('expected.safetensors')) ?? new Uint8Array());
  const model = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), REFERENCE_POSITIONS);
  return {
    model,
    answers: answers as ExpectedAnswers,
    tensors,
    expected(name) {
      const tensor = tensors.get(name);
      if (!tensor) throw new Error(`${files.label}: expected.safetensors has no ${name}.`);
      return tensor.values;
    },
    dispose: () => model.dispose(),
  };
}
