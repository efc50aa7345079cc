/**
 * The arguments of the engine's calls, their order, and their checks. Names that do not exist and sequences that a model can't learn from
 * are refused before anything runs on the device: the page's console can pass anything, whatever the types say.
 */
import { checkList, described } from '@rl-playground/base/described';
import type { LanguageModel } from '../model/languageModel.ts';
import type { WantedSampling } from '../rollout/requests.ts';
import type { GenerateOptions, GroupRequest } from '../rollout/decoding/types.ts';
import type { Sequence } from '../loss/sequence.ts';
import { checkLengths, paddedLength, TOKEN_VALUES } from '../update/batch.ts';
import type { UpdateOptions } from '../update/optimizer.ts';

export interface CallOptions {
  /** The temperature of every log-probability; 1 by default. */
  readonly temperature?: number;
  /** Receives the number of tokens of the sequences done since the last call, prompts included. */
  readonly onProgress?: (tokens: number) => void;
  /** p_old = stop-gradient(p): the ratio is exactly 1. */
  readonly ratioToItself?: boolean;
}

export interface SampleOptions extends GenerateOptions {
  /** Index of the one generator to ask; by default the requests are dealt to all of them. */
  readonly generator?: number;
}

/** A prompt, its completion, and those numbers of a `Sequence` that the loss reads. */
export type EngineSequence = Tokens & Partial<Sequence>;

const CALL_OPTIONS = ['temperature', 'onProgress', 'ratioToItself'] as const satisfies (keyof CallOptions)[];
const SAMPLING = [
  'maxTokens',
  'temperature',
  'topP',
  'topK',
  'minP',
  'repetitionPenalty',
  'logitNoise',
  'stop',
] as const satisfies (keyof WantedSampling)[];
const SAMPLE_OPTIONS = [
  'signal',
  'onGroup',
  'onProgress',
  'generator',
  'mayTakeBack',
  'patience',
] as const satisfies (keyof SampleOptions)[];

type Limits = Pick<LanguageModel, 'config' | 'positions'>;
type Tokens = Pick<Sequence, 'promptIds' | 'tokens'>;

/** @throws Error naming a key of `value` that is not in `known`: a misspelled option would otherwise be ignored. */
export function checkKeys(value: object, known: readonly string[], what: string): void {
  if (typeof value !== 'object' || value === null)
    throw new Error(`The ${what}s are ${described(value)}; pass an object with any of: ${known.join(', ')}.`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`There is no ${what} "${unknown}"; there are: ${known.join(', ')}.`);
}

export function checkModel(of: unknown): void {
  if (of !== 'policy' && of !== 'reference')
    throw new Error(
      `Log-probabilities are wanted of ${described(of)}; pass 'policy' or 'reference', and options behind it.`,
    );
}

export function checkLoss(loss: unknown): void {
  if (loss === null || !['string', 'object', 'function'].includes(typeof loss))
    throw new Error(
      `The loss is ${described(loss)}; pass a name, an object with the name as loss, or a function.`,
    );
}

export function checkOptions(options: CallOptions): void {
  checkKeys(options, CALL_OPTIONS, 'option');
  const { temperature = 1 } = options;
  if (!(temperature > 0 && Number.isFinite(temperature)))
    throw new Error(`The temperature of log-probabilities is ${temperature}; it must be a number above 0.`);
}

/** Checks the arguments of `sample` that its own checks of numbers take for granted. */
export function checkSampling(
  requests: readonly GroupRequest[],
  sampling: WantedSampling,
  options: SampleOptions,
): void {
  checkList(requests, 'The requests are', 'pass a list of { promptIds, samples, seed, step, problem }');
  checkKeys(sampling, SAMPLING, 'sampling setting');
  checkKeys(options, SAMPLE_OPTIONS, 'option');
  if (sampling.stop !== undefined) checkList(sampling.stop, 'stop is', 'pass a list of texts');
}

/** Checks the arguments of `optimStep` and fills in its default. */
export function checkedUpdate(learningRate: number, options: UpdateOptions): Required<UpdateOptions> {
  checkKeys(options, ['gradientScale'], 'option');
  const { gradientScale = 1 } = options;
  if (!(learningRate >= 0 && Number.isFinite(learningRate)))
    throw new Error(`The learning rate is ${described(learningRate)}; it must be a finite number from 0 up.`);
  if (!(gradientScale > 0 && Number.isFinite(gradientScale)))
    throw new Error(
      `The gradients are to be multiplied by ${described(gradientScale)}; it must be a number above 0.`,
    );
  return { gradientScale };
}

/**
 * Checks sequences against a model. `positions` is the longest prompt plus completion; null if only the model's own room, padding
 * included, limits it.
 *
 * @throws Error naming sequence and place, for anything but a list of sequences, an empty prompt or completion, a token outside of the
 * vocabulary, a value that is not finite or has no token, and a sequence that is too long.
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
    for (const name of TOKEN_VALUES) {
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
  for (const name of ['promptIds', 'tokens', ...TOKEN_VALUES] as const) {
    const value = sequence[name];
    const optional = name !== 'promptIds' && name !== 'tokens';
    if (!isRow(value) && !(optional && value === undefined))
      throw new Error(`${where}: ${name} is ${described(value)}; a list of numbers is needed.`);
  }
}

function checkRoom(
  sequence: Tokens,
  where: string,
  { positions: room }: Limits,
  positions: number | null,
): void {
  const length = sequence.promptIds.length + sequence.tokens.length;
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

/** @throws Error for anything but a list, and for a token outside of the vocabulary. `what` names the array in the message. */
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

/** Returns the sequence without its empty arrays, which count as missing. */
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

/** Runs calls that must not meet on the device: each begins when those before it have ended, well or badly. */
export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** The names of the calls that have not ended, in their order. */
  readonly #names: string[] = [];
  /** A function for each call under way, which rejects it when the queue is closed. */
  readonly #ends = new Set<() => void>();
  #closed = false;

  /** Runs `work` in its turn. @throws Error if the queue is closed by then, or before the work has ended. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.assertOpen(name);
    this.#names.push(name);
    const turn = this.#last.then(() => {
      this.assertOpen(name);
      return work();
    });
    const ended = (): void => void this.#names.shift();
    this.#last = turn.then(ended, ended);
    return this.beside(name, turn);
  }

  /** Runs work that needs no turn. It rejects at once if the queue is closed meanwhile, because the work may never answer then. */
  beside<T>(name: string, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void =>
        reject(new Error(`The engine was disposed of before ${name} had ended; await it first.`));
      this.#ends.add(end);
      work.then(resolve, reject).finally(() => this.#ends.delete(end));
    });
  }

  assertOpen(name: string): void {
    if (this.#closed)
      throw new Error(`${name} was called, but the engine is disposed of; open another with createEngine.`);
  }

  /** @throws Error if a call is at work, for calls that can't wait for their turn. */
  assertIdle(name: string): void {
    this.assertOpen(name);
    const [under] = this.#names;
    if (under !== undefined)
      throw new Error(`${name} was called while ${under} was at work; await that first.`);
  }

  /** Takes no call from now on, and rejects those under way. */
  close(): void {
    this.#closed = true;
    for (const end of this.#ends) end();
  }
}
