/**
 * A GGUF file as a model folder: texts as Hugging Face's libraries read them are made of its header, and its tensors have Hugging Face's
 * names. So everything that takes a folder takes the file, and a checkpoint of a run that began from it has the texts.
 */
import { architectureOf, configOf } from './gguf/architecture.ts';
import { GgufError } from './gguf/ggufError.ts';
import { readGgufHeader } from './gguf/header.ts';
import { GgufWeights } from './gguf/tensors.ts';
import { tokenizerTexts, type TokenizerTexts } from './gguf/vocabulary.ts';
import { openBytes } from './openFiles.ts';
import { ModelFileError, type GgufFile, type ModelFiles, type OpenFile } from './types.ts';

/** Opens a GGUF file. @throws ModelFileError where it breaks the format, or holds a model that is not supported. */
export async function ggufFolder(
  label: string,
  file: OpenFile,
): Promise<ModelFiles & { readonly gguf: GgufFile }> {
  const usable = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof GgufError) throw new ModelFileError(`${label}: ${error.message}`);
      throw error;
    }
  };
  return usable(async () => {
    const header = await readGgufHeader(file);
    const architecture = architectureOf(header.metadata);
    const weights = new GgufWeights(file, header);
    const config = await configOf(header, weights, architecture);
    const tensors = weights.underHuggingFaceNames(architecture, config.head_dim);
    let made: TokenizerTexts | null = null;
    const tokenizer = (): TokenizerTexts => (made ??= tokenizerTexts(header.metadata, weights.vocabSize));
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
        const bytes = new TextEncoder().encode(JSON.stringify(await usable(text)));
        options?.onProgress?.(bytes.length, bytes.length);
        return openBytes(bytes);
      },
      gguf: { file, weights: tensors },
    };
  });
}
