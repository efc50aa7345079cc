/** What a model can't be asked to learn from, found before anything runs on the device. */
import type { LanguageModel } from '../model/languageModel.ts';
import { checkLengths, paddedLength, type Sequence } from './batch.ts';

const VALUES = ['advantages', 'samplerLogprobs', 'oldLogprobs', 'referenceLogprobs'] as const;

type Limits = Pick<LanguageModel, 'config' | 'ropeTables'>;
type Tokens = Pick<Sequence, 'promptIds' | 'tokens'>;

/**
 * Throws on an empty prompt or completion, a token that is not in the vocabulary, a value that is not finite or has no token, and on a
 * sequence longer than the model was opened for, naming sequence and place.
 */
export function checkSequences(sequences: readonly (Tokens & Partial<Sequence>)[], model: Limits): void {
  const [positions = 0] = model.ropeTables.cosines.shape;
  sequences.forEach((sequence, index) => {
    checkLengths(sequence, index);
    const where = `Sequence ${index}`;
    checkTokens(sequence.promptIds, `${where}: promptIds`, model);
    checkTokens(sequence.tokens, `${where}: tokens`, model);
    const padded = paddedLength(sequence);
    if (padded > positions)
      throw new Error(
        `${where} takes ${padded} positions, padded; the model was opened for ${positions}. Shorten it, or open the engine with more positions.`,
      );
    for (const name of VALUES) {
      const values = sequence[name] ?? [];
      for (let at = 0; at < values.length; at++)
        if (!Number.isFinite(values[at]))
          throw new Error(`${where}: ${name}[${at}] is ${values[at]}; it must be a finite number.`);
    }
  });
}

/** Throws on a token that is not in the vocabulary. `what`: the array, for the message. */
export function checkTokens(
  ids: readonly number[],
  what: string,
  { config: { vocabSize } }: Pick<Limits, 'config'>,
): void {
  ids.forEach((id, at) => {
    if (!(Number.isInteger(id) && id >= 0 && id < vocabSize))
      throw new Error(
        `${what}[${at}] is ${id}; the model's tokens are the whole numbers from 0 to ${vocabSize - 1}.`,
      );
  });
}
