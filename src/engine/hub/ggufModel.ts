/**
 * The model of a GGUF file: texts as Hugging Face's libraries read them are made of its header, and its tensors have Hugging Face's names.
 * So everything that takes a folder takes the file (`openFolder.ts`), and a checkpoint of a run that began from it has the texts.
 */
import type { StoredWeights } from '../model/storedWeights.ts';
import { architectureOf, configOf } from './gguf/architecture.ts';
import { GgufError } from './gguf/ggufError.ts';
import { readGgufHeader } from './gguf/header.ts';
import { GgufWeights } from './gguf/tensors.ts';
import { tokenizerTexts, type TokenizerTexts } from './gguf/vocabulary.ts';
import { ModelFileError, type OpenFile } from './types.ts';

export interface GgufModel {
  readonly file: OpenFile;
  /** Its tensors under Hugging Face's names. */
  readonly weights: StoredWeights;
  /** The bytes of one of `GGUF_TEXTS`. @throws ModelFileError where the vocabulary is broken, or of a kind that is not read. */
  readonly text: (name: GgufText) => Uint8Array;
}

/** The texts of a model that a header has all parts of. */
export type GgufText = 'config.json' | 'tokenizer.json' | 'tokenizer_config.json' | 'generation_config.json';

/** Opens a GGUF file. @throws ModelFileError where it breaks the format, or holds a model that is not supported. */
export async function openGguf(label: string, file: OpenFile): Promise<GgufModel> {
  const named = (error: unknown): unknown =>
    error instanceof GgufError ? new ModelFileError(`${label}: ${error.message}`) : error;
  try {
    const header = await readGgufHeader(file);
    const architecture = architectureOf(header.metadata);
    const weights = new GgufWeights(file, header);
    const config = await configOf(header, weights, architecture);
    let made: TokenizerTexts | null = null;
    const tokenizer = (): TokenizerTexts => (made ??= tokenizerTexts(header.metadata, weights.vocabSize));
    const texts: Readonly<Record<GgufText, () => object>> = {
      'config.json': () => config,
      'tokenizer.json': () => tokenizer().tokenizerJson,
      'tokenizer_config.json': () => tokenizer().tokenizerConfig,
      'generation_config.json': () => tokenizer().generationConfig,
    };
    const text = (name: GgufText): Uint8Array => {
      try {
        return new TextEncoder().encode(JSON.stringify(texts[name]()));
      } catch (error) {
        throw named(error);
      }
    };
    return { file, weights: weights.underHuggingFaceNames(architecture, config.head_dim), text };
  } catch (error) {
    throw named(error);
  }
}
