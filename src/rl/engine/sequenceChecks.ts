/** What a model can't be asked to learn from, found before anything runs on the device. */
import type { LanguageModel } from '../../model/languageModel.ts';
import { checkList, described } from './callChecks.ts';
import { checkLengths, paddedLength, type Sequence } from '../update/batch.ts';

const VALUES = ['advantages', 'samplerLogprobs', 'oldLogprobs', 'referenceLogprobs'] as const;

type Limits = Pick<LanguageModel, 'config' | 'ropeTables'>;
type Tokens = Pick<Sequence, 'promptIds' | 'tokens'>;

/** A prompt, its completion, and of the numbers what a loss reads. */
export type EngineSequence = Tokens & Partial<Sequence>;

/**
 * Throws on what is no list of sequences, an empty prompt or completion, a token that is not in the vocabulary, a value that is not finite
 * or has no token, and on a sequence longer than the model was opened for, naming sequence and place. `positions`: the longest
 * prompt plus completion; null where the model's own room, padding included, is all there is.
 */
export function checkSequences(
  sequences: readonly EngineSequence[],
  model: Limits,
  positions: number | null = null,
): void {
  checkList(sequences, 'The sequences are', 'pass a list of { promptIds, tokens, … }');
  sequences.forEach((sequence, index) => {
    const where = `Sequence ${index}`;
    checkShape(sequence, where);
    checkLengths(sequence, index);
    checkTokens(sequence.promptIds, `${where}: promptIds`, model);
    checkTokens(sequence.tokens, `${where}: tokens`, model);
    checkRoom(sequence, where, model, positions);
    for (const name of VALUES) {
      const values = sequence[name] ?? [];
      for (let at = 0; at < values.length; at++)
        if (!Number.isFinite(values[at]))
          throw new Error(
            `${where}: ${name}[${at}] is ${described(values[at])}; it must be a finite number.`,
          );
    }
  });
}

const isRow = (value: unknown): boolean =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

function checkShape(sequence: EngineSequence, where: string): void {
  if (typeof sequence !== 'object' || sequence === null)
    throw new Error(`${where} is ${described(sequence)}; an object with promptIds and tokens is needed.`);
  for (const name of ['promptIds', 'tokens', ...VALUES] as const) {
    const value = sequence[name];
    const optional = name !== 'promptIds' && name !== 'tokens';
    if (!isRow(value) && !(optional && value === undefined))
      throw new Error(`${where}: ${name} is ${described(value)}; a list of numbers is needed.`);
  }
}

function checkRoom(sequence: Tokens, where: string, { ropeTables }: Limits, positions: number | null): void {
  const length = sequence.promptIds.length + sequence.tokens.length;
  const [room = 0] = ropeTables.cosines.shape;
  const remedy = 'Shorten it, or open the engine with more positions.';
  if (positions !== null && length > positions)
    throw new Error(
      `${where} has ${length} tokens, prompt and completion; the engine was opened for ${positions} positions. ${remedy}`,
    );
  const padded = paddedLength(sequence);
  if (padded > room)
    throw new Error(
      `${where} takes ${padded} positions, padded; the model was opened for ${room}. ${remedy}`,
    );
}

/** Throws on what is no list, and on a token that is not in the vocabulary. `what`: the array, for the message. */
export function checkTokens(
  ids: readonly number[],
  what: string,
  { config: { vocabSize } }: Pick<Limits, 'config'>,
): void {
  if (!isRow(ids)) throw new Error(`${what} is ${described(ids)}; a list of token ids is needed.`);
  ids.forEach((id, at) => {
    if (!(Number.isInteger(id) && id >= 0 && id < vocabSize))
      throw new Error(
        `${what}[${at}] is ${described(id)}; the model's tokens are the whole numbers from 0 to ${vocabSize - 1}.`,
      );
  });
}

/** An empty array is one that is not there. */
export function wholeSequence({
  samplerLogprobs = [],
  advantages = [],
  ...sequence
}: EngineSequence): Sequence {
  const given = (values: ArrayLike<number> | undefined): ArrayLike<number> | undefined =>
    values === undefined || values.length === 0 ? undefined : values;
  const { oldLogprobs, referenceLogprobs } = sequence;
  return {
    ...sequence,
    samplerLogprobs,
    advantages,
    oldLogprobs: given(oldLogprobs),
    referenceLogprobs: given(referenceLogprobs),
  };
}
