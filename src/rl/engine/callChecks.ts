/** What the engine's calls refuse of their arguments. In a page's console anything may be passed, whatever the types say. */
import type { GenerateOptions, GroupRequest } from '../../rollout/types.ts';
import type { WantedSampling } from '../../rollout/sampling.ts';
import type { CallOptions } from './engine.ts';
import type { UpdateOptions } from '../update/optimizer.ts';

const CALL_OPTIONS = ['temperature', 'onProgress', 'ratioToItself'] as const satisfies (keyof CallOptions)[];
const SAMPLING = [
  'maxTokens',
  'temperature',
  'topP',
  'topK',
  'stop',
] as const satisfies (keyof WantedSampling)[];
const GENERATE_OPTIONS = ['signal', 'onGroup', 'onProgress'] as const satisfies (keyof GenerateOptions)[];

/** Throws on anything but a list. `what`: the subject and its verb. */
export function checkList(value: unknown, what: string, need: string): void {
  if (!Array.isArray(value)) throw new Error(`${what} ${described(value)}; ${need}.`);
}

/** Throws on a name that is not among `known`: a slip of the pen would otherwise pass for a default. */
export function checkKeys(value: object, known: readonly string[], what: string): void {
  if (typeof value !== 'object' || value === null)
    throw new Error(`The ${what}s are ${described(value)}; pass an object with any of: ${known.join(', ')}.`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`There is no ${what} "${unknown}"; there are: ${known.join(', ')}.`);
}

/** A value as a message names it. */
export function described(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
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

/** Of `sample`: what its own checks of numbers take for granted. */
export function checkSampling(
  requests: readonly GroupRequest[],
  sampling: WantedSampling,
  options: GenerateOptions,
): void {
  checkList(requests, 'The requests are', 'pass a list of { promptIds, samples, seed, step, problem }');
  checkKeys(sampling, SAMPLING, 'sampling setting');
  checkKeys(options, GENERATE_OPTIONS, 'option');
  if (sampling.stop !== undefined) checkList(sampling.stop, 'stop is', 'pass a list of texts');
}

/** Of `optimStep`, with its default. */
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
