/** What a model can't be asked to learn from, found before anything runs on the device. */
import type { LanguageModel } from '../model/languageModel.ts';
import { paddedLength, type Sequence } from './batch.ts';

const VALUES = ['advantages', 'samplerLogprobs', 'oldLogprobs', 'referenceLogprobs'] as const;

/**
 * Throws on a token that is not in the vocabulary, on a value that is not finite, and on a sequence longer than the model was opened for,
 * naming sequence and place. (packMicrobatches refuses empty ones and arrays of other lengths.)
 */
export function checkSequences(
  sequences: readonly (Pick<Sequence, 'promptIds' | 'tokens'> & Partial<Sequence>)[],
  { config: { vocabSize }, ropeTables }: Pick<LanguageModel, 'config' | 'ropeTables'>,
): void {
  const [positions = 0] = ropeTables.cosines.shape;
  sequences.forEach((sequence, index) => {
    for (const name of ['promptIds', 'tokens'] as const)
      sequence[name].forEach((id, at) => {
        if (!(Number.isInteger(id) && id >= 0 && id < vocabSize))
          throw new Error(
            `Sequence ${index}: ${name}[${at}] is ${id}; the model's tokens are the whole numbers from 0 to ${vocabSize - 1}.`,
          );
      });
    const padded = paddedLength(sequence);
    if (padded > positions)
      throw new Error(
        `Sequence ${index} takes ${padded} positions, padded; the model was opened for ${positions}. Shorten it, or open the engine with more positions.`,
      );
    for (const name of VALUES) {
      const values = sequence[name] ?? [];
      for (let at = 0; at < values.length; at++)
        if (!Number.isFinite(values[at]))
          throw new Error(`Sequence ${index}: ${name}[${at}] is ${values[at]}; it must be a finite number.`);
    }
  });
}
