/**
 * A GGUF file as a model folder: texts as Hugging Face's libraries read them are made of its header, and its tensors have Hugging Face's
 * names. So everything that takes a folder takes the file, and a checkpoint of a run that began from it has the texts.
 */
import { openBytes } from '../openFiles.ts';
import type { ModelFiles, OpenFile } from '../types.ts';
import { architectureOf, configOf } from './architecture.ts';
import { readGgufHeader } from './header.ts';
import { GgufWeights } from './tensors.ts';
import { tokenizerTexts, type TokenizerTexts } from './vocabulary.ts';

/** @throws ModelFileError where the file breaks the format, or holds a model that is not supported. */
export async function ggufFolder(label: string, file: OpenFile): Promise<ModelFiles> {
  const header = await readGgufHeader(file, label);
  const architecture = architectureOf(header.metadata, label);
  const weights = new GgufWeights(file, header, label);
  const config = await configOf(header, weights, architecture, label);
  const stored = weights.underHuggingFaceNames(architecture, config.head_dim);
  let made: TokenizerTexts | null = null;
  const tokenizer = (): TokenizerTexts =>
    (made ??= tokenizerTexts(header.metadata, weights.vocabSize, label));
  const texts = new Map<string, () => object>([
    ['config.json', () => config],
    ['tokenizer.json', () => tokenizer().tokenizerJson],
    ['tokenizer_config.json', () => tokenizer().tokenizerConfig],
    ['generation_config.json', () => tokenizer().generationConfig],
  ]);
  return {
    label,
    names: [...texts.keys()],
    open: async (name, options) => {
      options?.signal?.throwIfAborted();
      const text = texts.get(name);
      if (text === undefined) return null;
      const bytes = new TextEncoder().encode(JSON.stringify(text()));
      options?.onProgress?.(bytes.length, bytes.length);
      return Promise.resolve(openBytes(bytes));
    },
    weights: stored,
  };
}
